#!/bin/bash
# Tests what "make" compiles again, and "make install", in a copy of this project that has one source file: prints what is wrong.
set -euo pipefail
cd "$(dirname "$0")/../.."
unset MAKEFLAGS MAKELEVEL MFLAGS
work=$(mktemp -d -t 'ids build.XXXXXX')
trap 'rm -rf "$work"' EXIT
cp -R Makefile META.json ids.control README.md SECURITY.md doc sql src test "$work"
cd "$work"
wrong=0
check() { [ "$2" = "$3" ] || { echo "$1: $2, not $3"; wrong=1; }; }
build() { make ROOMS= TYPES= with_llvm=no DESTDIR="$work/stage" "$@"; }
compiled() { build "$@" | grep -c -- '-o src/ids.o' || true; }

# Another PostgreSQL, and the same again.
real=$(command -v "${PG_CONFIG:-pg_config}")
printf '#!/bin/sh\n"%s" "$@" | sed "s/PostgreSQL [0-9]*/PostgreSQL 99/"\n' "$real" >other
chmod +x other
for now in "$real 1" "$real 0" "./other 1" "./other 0" "$real 1"; do
  check "compiled for $now" "$(compiled install PG_CONFIG="${now% *}")" "${now##* }"
done
touch META.json
check 'compiled for another release' "$(compiled)" 1

# JIT's code follows the headers, too.
touch src/pg/postgres.hpp
touch src/ids.bc
check 'bitcode after a change of a header' "$(build -n with_llvm=yes | grep -c -- '-o src/ids.bc')" 1

# Sessions find each file whole while another takes its place: install(1) writes it, then sets its mode. Only a rename on the same disk
# is done at once, and those that have opened the old file keep it.
(cd stage && find . | sort) >installed
ln "$(find stage -name ids.so)" opened
cat >install <<'END'
#!/bin/sh
for target; do :; done
case $target in */stage/*) ;; *) echo "written on another disk, perhaps: $target" >&2; exit 1 ;; esac
/usr/bin/install "$@" -m 0 && (cd stage && find . -type f -perm 0) >>unreadable && exec /usr/bin/install "$@"
END
chmod +x install
build -s install install_bin=./install >log
check 'files that no session could read' "$(sort unreadable | comm -12 - installed)" ''
check 'overwritten' "$(find stage -samefile opened)" ''
check 'files installed' "$(cd stage && find . | sort)" "$(cat installed)"
check 'files that others can read' "$(find stage -type f ! -perm -444)" ''
# Without LLVM, nothing is left of a build with LLVM: JIT may run its code in place of the new library's.
bitcode=stage$("$real" --pkglibdir)/bitcode
for target in install uninstall; do
  mkdir -p "$bitcode/ids" && touch "$bitcode/ids/old.bc" "$bitcode/ids.index.bc"
  build -s $target >log
  check "bitcode after $target" "$(find "$bitcode" -type f)" ''
done
check 'left by uninstall' "$(find stage -type f)" ''
exit $wrong
