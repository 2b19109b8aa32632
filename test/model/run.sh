#!/bin/bash
# Checks the model of T_settled() with spin:
#   test/model/run.sh        a small configuration; then protocols with a step exchanged or left out, each of which must be
#                            seen to lose a row
#   test/model/run.sh full   two sessions with two transactions each, 175 million states: five minutes, 10 GB of memory
set -euo pipefail
cd "$(dirname "$0")/../.."
model=$PWD/test/model/settled.pml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints "ok" or "wrong", and the number of states; fails if the checker did not finish.
verify() { # name, flags of the C compiler and of the checker, definitions for the model
  local dir=$work/$1 optimize=$2 memory=$3 definition definitions=()
  for definition in "${@:4}"; do definitions+=("-D'$definition'"); done  # spin hands them to a shell
  mkdir "$dir" && cd "$dir"
  spin "${definitions[@]}" -a "$model" >spin.log || { cat spin.log >&2; return 1; }
  cc $optimize -w -DSAFETY -o pan pan.c
  ./pan -m100000 $memory >pan.log || { cat pan.log >&2; return 1; }
  grep -q 'max search depth too small\|out of memory' pan.log && { cat pan.log >&2; return 1; }
  local states
  states=$(sed -n 's/ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
  if grep -q 'errors: 0$' pan.log; then echo "ok $states"
  elif grep -q 'assertion violated' pan.log; then echo "wrong $states"
  else cat pan.log >&2; return 1; fi
}

if [ "${1:-}" = full ]; then
  # Only a hash of 64 bits is kept of each state.
  result=$(verify full '-O2 -DHC4' -w28)
  echo "two sessions with two transactions each: $result"
  [[ $result = ok* ]]
  exit
fi

result=$(verify small -O2 -w22 TRANSACTIONS=1 PLACES=1)
echo "two sessions with a transaction each: $result"
[[ $result = ok* ]]

# Fails unless the checker finds a lost row. What is wrong, and the definitions that make the protocol so.
wrong() {
  local result
  result=$(verify "${1// /_}" -O0 -w20 TRANSACTIONS=1 PLACES=1 "${@:2}")
  [[ $result = wrong* ]] || { echo "not seen to be wrong: $1"; return 1; }
}
wrong 'an identifier is taken before the limit is published' ENROL='read_limit(); take(); publish()'
wrong 'the limit is read after the first identifier is taken' ENROL='take(); read_limit(); publish()'
wrong 'nothing is published' ENROL='read_limit(); take()'
wrong 'the limit rises with a further identifier' TAKE_ANOTHER='read_limit(); publish(); take()'
wrong 'COMMIT empties the slot before it is in the table' COMMIT='finish(); clear(); store(xid, limit)'
wrong 'COMMIT empties the slot while others see it running' COMMIT='clear(); finish(); store(xid, limit)'
wrong 'COMMIT stores nothing' COMMIT='finish(); clear()'
wrong 'PREPARE empties the slot first' PREPARE='recycle(); clear(); prepare()'
wrong 'PREPARE does not recycle' PREPARE='prepare(); clear()'
wrong 'the tick is read after the slots' ASK='read_slots(); read_tick(); read_next(); read_prepared(); probe()'
wrong 'the slots are not read' ASK='read_tick(); read_next(); read_prepared(); probe()'
wrong 'prepared transactions are read before the slots' ASK='read_tick(); read_prepared(); read_slots(); read_next(); probe()'
wrong 'prepared transactions are not read' ASK='read_tick(); read_slots(); read_next(); probe()'
wrong 'the next transaction id is read before the slots' ASK='read_tick(); read_next(); read_slots(); read_prepared(); probe()'
wrong 'the table is read before the slots' ASK='read_tick(); read_next(); probe(); read_slots(); read_prepared()'
wrong 'the table is read before prepared transactions' ASK='read_tick(); read_slots(); read_next(); probe(); read_prepared()'
wrong 'the table is not read' ASK='read_tick(); read_slots(); read_prepared()'
wrong 'an older transaction takes the place of a newer one' 'WINS(x)=true'
wrong 'a displaced transaction is passed over' DISPLACED=skip
echo 'protocols with a step exchanged or left out: each was seen to lose a row'
