#!/bin/bash
# Checks the models with spin, and prints how many states each has:
#   test/model/run.sh        small configurations; then protocols with a step exchanged or left out, each of which must be
#                            seen to break a promise
#   test/model/run.sh full   large configurations, which need minutes and gigabytes of memory
set -euo pipefail
cd "$(dirname "$0")"
models=$PWD
compiler=$(command -v clang || echo cc)  # clang needs half the time
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints "ok" or "wrong", and the number of states; fails if the checker did not finish.
verify() { # name, flags of the C compiler and of the checker, model, definitions for it
  local dir=$work/${1//[ \/]/_} optimize=$2 memory=$3 model=$models/$4.pml definition definitions=()
  for definition in "${@:5}"; do definitions+=("-D'$definition'"); done  # spin hands them to a shell
  mkdir "$dir" && cd "$dir"
  spin "${definitions[@]}" -a "$model" >spin.log || { cat spin.log >&2; return 1; }
  $compiler $optimize -w -DSAFETY -o pan pan.c
  ./pan -m100000 $memory >pan.log || { cat pan.log >&2; return 1; }
  grep -q 'max search depth too small\|out of memory' pan.log && { cat pan.log >&2; return 1; }
  local states
  states=$(sed -n 's/ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
  if grep -q 'errors: 0$' pan.log; then echo "ok $states"
  elif grep -q 'assertion violated' pan.log; then echo "wrong $states"
  else cat pan.log >&2; return 1; fi
}

check() { # ok or wrong, as for verify
  local result
  result=$(verify "${@:2}")
  [ "$1" = wrong ] || echo "$2: $result"
  [[ $result = "$1 "* ]] || { echo "expected to be $1, but it is $result: $2"; return 1; }
}

# As many checks run at a time as there are processors.
running=0
failed=
wait_for_one() {
  wait -n || failed=1
  running=$((running - 1))
}
start() {
  [ "$running" -lt "$(nproc)" ] || wait_for_one
  check "$@" &
  running=$((running + 1))
}
right() { start ok "$1" -O1 -w22 "${@:2}"; }
small() { start ok "$1" -O0 -w20 "${@:2}"; }
# With DREVERSE the sessions that generate go first, which is sooner seen to be wrong.
wrong() { start wrong "$1" '-O0 -DREVERSE' -w20 "${@:2}"; }

if [ "${1:-}" = full ]; then
  # Only a hash of 64 bits is kept of each state.
  flags='-O2 -DHC4'
  check ok 'settled: two sessions after a restart' "$flags" -w26 settled TRANSACTIONS=1 PLACES=1 RECOVERED=1
  check ok 'mark: one session and an operator, two crashes' "$flags" -w24 mark SESSIONS=1 IDS=1 OPERATIONS=1
  check ok 'mark: one session and an operator, two identifiers' "$flags" -w24 mark SESSIONS=1 OPERATIONS=1 CRASHES=1
  check ok 'mark: the same, where the clock is far off' "$flags" -w24 mark SESSIONS=1 OPERATIONS=1 CRASHES=1 GREATEST_CLOCK=3 STEP=3
  exit
fi

settled=(settled TRANSACTIONS=1 PLACES=1)
right 'settled: two sessions with a transaction each' "${settled[@]}"

# What is wrong, and the definitions that make the protocol so.
wrong 'an identifier is taken before the limit is published' "${settled[@]}" ENROL='read_limit(); take(); publish()'
wrong 'the limit is read after the first identifier is taken' "${settled[@]}" ENROL='take(); read_limit(); publish()'
wrong 'nothing is published' "${settled[@]}" ENROL='read_limit(); take()'
wrong 'the limit rises with a further identifier' "${settled[@]}" LOWERS=true TAKE_ANOTHER='read_limit(); publish(); take()'
wrong 'COMMIT empties the slot before it is in the table' "${settled[@]}" COMMIT='finish(); clear(); store(xid, limit); raise(xid)'
wrong 'COMMIT empties the slot while others see it running' "${settled[@]}" \
  COMMIT='clear(); finish(); store(xid, limit); raise(xid)'
wrong 'COMMIT stores nothing' "${settled[@]}" COMMIT='finish(); raise(xid); clear()'
wrong 'COMMIT raises the greatest after the slot is empty' "${settled[@]}" COMMIT='finish(); store(xid, limit); clear(); raise(xid)'
wrong 'COMMIT does not raise the greatest' "${settled[@]}" COMMIT='finish(); store(xid, limit); clear()'
wrong 'COMMIT raises the greatest only if it gets the place' "${settled[@]}" \
  COMMIT='finish(); store(xid, limit); if :: finished[xid % PLACES].xid == xid -> raise(xid) :: else fi; clear()'
wrong 'PREPARE empties the slot first' "${settled[@]}" PREPARE='read_former(); recycle(); clear(); move()'
wrong 'PREPARE does not recycle' "${settled[@]}" PREPARE='move(); clear()'
wrong 'PREPARE recycles after it has moved' "${settled[@]}" PREPARE='read_former(); move(); recycle(); clear()'
wrong 'PREPARE does not wait with the id' "${settled[@]}" \
  PREPARE='read_former(); prepared.limit = limit; recycle(); prepare(); clear()'
wrong 'a recycled transaction does not raise the greatest' "${settled[@]}" RECYCLE='store(former, its_limit)'
wrong 'a recycled transaction raises the greatest too late' "${settled[@]}" RECYCLE='store(former, its_limit)' \
  PREPARE='read_former(); recycle(); move(); if :: former != 0 -> raise(former) :: else fi; clear()'
wrong 'the tick is read after the slots' "${settled[@]}" \
  ASK='answer = 255; read_slots(); lower(tick + 1); read_prepared(); read_greatest(); probe()'
wrong 'the slots are not read' "${settled[@]}" ASK='read_tick(); read_prepared(); read_greatest(); probe()'
wrong 'prepared transactions are read before the slots' "${settled[@]}" \
  ASK='read_tick(); read_prepared(); read_slots(); read_greatest(); probe()'
wrong 'prepared transactions are not read' "${settled[@]}" ASK='read_tick(); read_slots(); read_greatest(); probe()'
wrong 'the greatest is read before the slots' "${settled[@]}" \
  ASK='read_tick(); read_greatest(); read_slots(); read_prepared(); probe()'
wrong 'the greatest is read before prepared transactions' "${settled[@]}" \
  ASK='read_tick(); read_slots(); read_greatest(); read_prepared(); probe()'
wrong 'the table is read before the slots' "${settled[@]}" \
  ASK='read_tick(); read_greatest(); probe(); read_slots(); read_prepared()'
wrong 'the table is read before prepared transactions' "${settled[@]}" \
  ASK='read_tick(); read_slots(); read_greatest(); probe(); read_prepared()'
wrong 'the table is not read' "${settled[@]}" ASK='read_tick(); read_slots(); read_prepared()'
wrong 'the table is read without its lock' "${settled[@]}" LOCK=true
wrong 'an older transaction takes the place of a newer one' "${settled[@]}" 'WINS(x)=true'
wrong 'a displaced transaction is passed over' "${settled[@]}" DISPLACED=skip

recovered=(settled TRANSACTIONS=1 PLACES=1 WRITERS=1 RECOVERED=1)
right 'settled: a session after a restart with a prepared transaction' "${recovered[@]}"

wrong 'recovered transactions are not noted' "${recovered[@]}" NOTE='d_step { note_next(); noted = true }'
wrong 'only those are noted that have a place' "${recovered[@]}" UNRECORDED=skip
wrong 'the next transaction id is read before the lock is taken' "${recovered[@]}" NOTE='note_next(); note_prepared()'
wrong 'the greatest does not begin with the recovered ones' "${recovered[@]}" \
  NOTE='d_step { noted_next = next; note_prepared() }'
wrong 'the tick is not lifted above the mark' "${recovered[@]}" START='note()'

# Each of these has one session.
reset=(settled RESETS=1 WRITERS=1 TRANSACTIONS=2 PLACES=1)
small 'settled: ids_reset_clock() is called' "${reset[@]}"

wrong 'enrolling again raises the limit' "${reset[@]}" LOWERS=true
wrong 'the ticks are lowered before that is counted' "${reset[@]}" RESET='lower_tick(); count()'
wrong 'a session does not wait until the ticks are lowered' "${reset[@]}" ENROL_AGAIN='known = resets; read_limit(); publish()'
wrong 'a session does not enrol again' "${reset[@]}" ENROL_AGAIN='read_resets()'

promoted=(settled PROMOTED=1 RECOVERED=1 WRITERS=1 TRANSACTIONS=1 PLACES=1)
small 'settled: a promotion with a prepared transaction' "${promoted[@]}"

wrong 'a snapshot that was taken during recovery has an answer' "${promoted[@]}" UNLISTED=false
wrong 'a transaction with identifiers of before the promotion commits' "${promoted[@]}" COMMITS=true

shared=(settled SHARED=1 WRITERS=1 TRANSACTIONS=1 PLACES=1)
small 'settled: two generators in a record, two databases' "${shared[@]}"

wrong 'the record of one generator counts for both' "${shared[@]}" ENROL_TOO='take()'
wrong 'COMMIT stores the limit of the first generator only' "${shared[@]}" \
  COMMIT='finish(); if :: other -> store(xid, NOTHING) :: else -> store(xid, limit) fi; raise(xid); clear()'
wrong 'the database is written after the first identifier is taken' "${shared[@]}" \
  ENROL='read_limit(); publish(); take(); elsewhere_in_slot[me] = false'

units=(settled UNITS=1 WRITERS=1 TRANSACTIONS=1 PLACES=1)
small 'settled: ids that are in order by unit of time alone' "${units[@]}"

wrong 'the answer is an identifier within a unit' "${units[@]}" ROUNDED=answer

mark=(mark CRASHES=1 IDS=1 GREATEST_CLOCK=1)
right 'mark: two sessions, a crash' "${mark[@]}"
one=(mark SESSIONS=1)
right 'mark: one session, two crashes' "${one[@]}"
right 'mark: one session and an operator, a crash' mark SESSIONS=1 OPERATIONS=1 CRASHES=1 GREATEST_CLOCK=1
asked=(mark SESSIONS=1 READS=1 CRASHES=1 IDS=3 GREATEST_CLOCK=3)
right 'mark: one session that also asks, a crash' "${asked[@]}"
operated=(mark SESSIONS=1 OPERATIONS=1 CRASHES=1 GREATEST_CLOCK=3 STEP=3)

wrong 'an identifier is returned before the mark is moved' "${one[@]}" \
  GENERATE='claim(); take()' STORE='commit(); move_mark(time(id))'
wrong 'the mark is not moved' "${one[@]}" GENERATE='claim(); take()'
wrong 'the ticks are not raised in a new run' "${one[@]}" \
  BEGIN='read_greatest(); move(greatest); usable = false'
wrong 'the ticks are raised after the mark is moved' "${one[@]}" \
  BEGIN='read_greatest(); move(greatest); raise(mark); usable = false'
wrong 'the ticks are raised to the first tick of the mark' "${one[@]}" RAISED=first
wrong 'a generator that is used later does not begin above the mark' "${one[@]}" CLAIM=skip
wrong 'a new run moves the mark beyond the clock' "${one[@]}" GREATEST=skip
wrong 'the tick from before the ticks were raised is used' "${one[@]}" \
  BEGIN='raise(mark); read_greatest(); move(greatest); usable = true'
wrong 'a tick is used though the session did not know the mark' "${mark[@]}" USABLE='known_resets == resets'
wrong 'a tick shows whether the ticks were raised' "${one[@]}" OF_THIS_RUN='tick > 1'
wrong 'the page is not locked' "${mark[@]}" LOCK_PAGE=true
wrong 'the mark is logged after the page is released' "${mark[@]}" \
  LOG='moved = true' AFTER_CLOSE='if :: moved -> log(); moved = false :: else fi'
wrong 'a reader is told more than is marked' "${asked[@]}" ANSWERED=true
wrong 'a standby reads the mark, and knows it after the promotion' "${one[@]}" IN_RECOVERY='known = mark; usable = true'
wrong 'a session keeps the mark that it knows over a reset' "${operated[@]}" MARKED='time(id) <= known'
wrong 'a reset is counted before the page is locked' "${operated[@]}" \
  RESET='count(); lock(); decide(); raise_first(); lower(); move_down(); unlock()'
wrong 'a tick from before a reset in another database is hashed with the new count' "${operated[@]}" STILL_USABLE=usable
wrong 'a reset is counted after the mark is lower' "${operated[@]}" \
  RESET='lock(); decide(); raise_first(); lower(); move_down(); count(); unlock()'
wrong 'the first reset of a run does not raise the ticks' "${operated[@]}" \
  RESET='lock(); decide(); count(); lower(); move_down(); unlock()'
wrong 'ids_advance_clock() does not move the mark' "${operated[@]}" ADVANCE='lock(); raise_to(); unlock(); flush()'
wrong 'ids_advance_clock() does not raise the ticks' "${operated[@]}" \
  ADVANCE='lock(); moves = true; move_up(); unlock(); flush()'
wrong 'ids_advance_clock() does not flush' "${operated[@]}" \
  ADVANCE='lock(); raise_to(); move_up(); unlock(); stored_elsewhere(last(at))'
# What is not promised, so the order is not wrong.
wrong 'an identifier that was shown but not committed comes again' "${one[@]}" \
  STORE='stored_elsewhere(made[me]); made[me] = 0'

while [ "$running" -gt 0 ]; do wait_for_one; done
[ -z "$failed" ]
echo 'protocols with a step exchanged or left out: each was seen to break a promise'
