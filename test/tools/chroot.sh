#!/bin/bash
# Runs a command as root in a throw-away chroot with a bare Debian and a copy of this project and its packages, or of what ARCHIVE
# holds, the archive for PGXN:
#   test/tools/chroot.sh SUITE COMMAND      SUITE as debootstrap knows it, or experimental; a shell's COMMAND
# It has nothing but make and ca-certificates. ARCH=s390x makes one for that architecture; QEMU runs its programs.
# Needs root and about 3 GB in $TMPDIR, /var/tmp by default. Ends with 69 if the mirror cannot be reached, else as
# COMMAND ends. Nothing is left behind, even if it is interrupted: the command's mounts and processes are in namespaces
# that end with it.
set -euo pipefail

cd "$(dirname "$0")/../.."
suite=$1
[ "$(id -u)" = 0 ] || { echo "A chroot needs root: run this as root." >&2; exit 1; }
command -v debootstrap >/dev/null || test/tools/deps.sh debootstrap
if [ -n "${ARCH:-}" ]; then
  test/tools/deps.sh qemu-user-static binfmt-support arch-test
  arch-test "$ARCH" >/dev/null || update-binfmts --enable
  # Emulating pointer authentication, which later processors have, takes ten times as long.
  [ "$ARCH" != arm64 ] || export QEMU_CPU=cortex-a72
fi

root=$(mktemp -d -p "${TMPDIR:-/var/tmp}" ids.XXXXXX)
chmod 755 "$root"
inside=
trap 'set +e; [ -z "$inside" ] || { kill -KILL $inside; wait $inside; } 2>/dev/null; rm -rf --one-file-system "$root" "$root.log"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Waits so that a signal is answered at once.
run() {
  unshare --mount --pid --ipc --fork --kill-child "$@" </dev/null &
  inside=$!
  wait $inside || { local status=$?; inside=; return $status; }
  inside=
}

release=$suite
[ "$suite" != experimental ] || release=sid
run debootstrap ${ARCH:+--arch="$ARCH"} --variant=minbase --include=make,ca-certificates "$release" "$root" >"$root.log" 2>&1 || {
  tail -n 5 "$root.log" >&2
  ! grep -qE "Failed getting release file|Couldn't download" "$root.log" || exit 69
  exit 1
}
# The package lists of unstable releases may have expired; a mirror may be busy.
printf '%s\n' 'Acquire::Check-Valid-Until "false";' 'Acquire::Retries "3";' >"$root/etc/apt/apt.conf.d/local"
if [ "$suite" = experimental ]; then
  sed -n 's/ sid / experimental /p' "$root/etc/apt/sources.list" >"$root/etc/apt/sources.list.d/experimental.list"
fi

if [ -n "${QEMU_CPU:-}" ]; then
  # Debian starts PostgreSQL with the variables in this file only.
  mkdir -p "$root/etc/postgresql-common"
  echo "QEMU_CPU = '$QEMU_CPU'" >"$root/etc/postgresql-common/environment"
fi

project="/srv/ids with spaces"
if [ -n "${ARCHIVE:-}" ]; then
  test/tools/deps.sh unzip
  unzip -q "$ARCHIVE" -d "$root/srv"
  mv "$root"/srv/ids-* "$root$project"
else
  mkdir "$root$project"
  tar --exclude=./.git --exclude='./build/*/*' --exclude='*.o' --exclude='*.bc' --exclude='*.d' --exclude='*.so' -cf - . |
    tar --no-same-owner -C "$root$project" -xf -
fi

run /bin/sh -c '
  mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount -t tmpfs tmpfs "$1/dev/shm" || exit 1
  exec chroot "$1" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 ${http_proxy:+http_proxy="$http_proxy"} ${QEMU_CPU:+QEMU_CPU="$QEMU_CPU"} \
    /bin/sh -c "cd \"\$0\" && $2" "$3"' sh "$root" "$2" "$project"
