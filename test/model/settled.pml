/* How T_settled() finds out below which identifier nothing will be added, as a model that the checker spin runs
   (test/model/run.sh). It says why the steps of a transaction that makes identifiers, and of a session that asks, stand in
   the order in which they stand: the checker goes through every interleaving of them, and each order that run.sh gives in
   their stead, or without one of them, loses a row.

   The promise: when a session asks, every identifier at or below the answer is of a transaction that the session's snapshot
   sees, or of one that has been rolled back.

   Where the lower limit of a transaction's identifiers is, while it may be needed:

       slot of its session  --PREPARE TRANSACTION-->  a slot for prepared transactions
                |                                                |
              COMMIT                        after COMMIT PREPARED, when the slot is needed
                |                                                |
                +------------->  table of finished  <------------+

   It is written to the next place before it leaves the one before, and who asks reads the places in the same direction. So
   it cannot slip past.

   Each statement that touches shared memory is one step of the model, and steps take effect in the order in which they are
   written. On a real processor a memory barrier stands between two steps whose order matters; leaving one out exchanges the
   steps on its two sides, which is what run.sh tries. A slot for prepared transactions and a place of the table have a
   transaction id and a limit, which are read and written together. */

#ifndef WRITERS
#define WRITERS 2       /* sessions that make identifiers */
#endif
#ifndef TRANSACTIONS
#define TRANSACTIONS 2  /* of each, one after the other */
#endif
#ifndef PLACES
#define PLACES 2        /* of the table of finished transactions */
#endif
#define ALL (WRITERS * TRANSACTIONS)

/* The order of the steps. */

#ifndef ENROL
#define ENROL   read_limit(); publish(); take()
#endif
/* read_limit, publish: who asks either finds the limit, or has read the tick before it was published. Then all identifiers
   of this transaction are above that tick. So the limit must be there before the first identifier is taken. */

#ifndef TAKE_ANOTHER
#define TAKE_ANOTHER  skip
#endif
/* A further identifier leaves the limit as it is, below the first. All it does is to raise the tick, as other sessions do; so
   it is left out here. */

#ifndef COMMIT
#define COMMIT  finish(); store(xid, limit); clear()
#endif
/* finish: the server takes the transaction from those that run; snapshots from here on see it. Snapshots from before do not,
   but may be asked about later, when the slot is empty: for these the limit is in the table. */

#ifndef ABORT
#define ABORT   finish(); clear()
#endif

#ifndef PREPARE
#define PREPARE recycle(); prepare(); clear()
#endif

#ifndef RECYCLE
#define RECYCLE store(prepared.xid, prepared.limit)
#endif
/* COMMIT PREPARED runs no code of the extension. So the slot keeps the limit until another transaction needs it. */

#ifndef ASK
#define ASK     read_tick(); read_slots(); read_next(); read_prepared(); probe()
#endif
/* read_tick before read_slots: of a transaction that enrols in between, all identifiers are above the tick.
   read_next after read_slots: a transaction whose limit has left its slot by then has its id. */

typedef Place { byte xid; byte limit };

byte tick;             /* the last identifier; an identifier of the model is its tick */
byte slot[WRITERS];    /* the limit, plus 1; 0: the session is not enrolled */
Place prepared;        /* the only slot for prepared transactions */
Place finished[PLACES];

byte next = 1;         /* the server's next transaction id */
byte ended;            /* transactions that run no more, as a set of bits; they have been committed or rolled back */
bool in_doubt;         /* the prepared transaction has not ended yet */
bool preparing;        /* a lock: one transaction at a time looks for a slot */

/* For the promise alone: first identifiers, 0 for none, of the transactions that run in each session and of the one in doubt;
   and the least of those that were committed after the snapshot was taken. */
byte made[WRITERS];
byte made_in_doubt;
byte unseen = 255;
bool asked;            /* the snapshot has been taken */
bool answered;

#define bit(x)     (1 << (x))
#define has(set, x)  (((set) >> (x)) & 1)

/* Steps of a transaction. */

inline read_limit() { limit = tick }
inline publish()    { slot[me] = limit + 1 }

inline take() {
  d_step {
    tick++;
    if :: made[me] == 0 -> made[me] = tick :: else fi
  }
}

inline get_xid() {
  d_step { xid = next; next++ }
}

inline finish() {
  d_step {
    ended = ended | bit(xid);
    if :: !aborts && asked && made[me] < unseen -> unseen = made[me] :: else fi;
    made[me] = 0
  }
}

#ifndef WINS
#define WINS(x)  (x) > finished[(x) % PLACES].xid
#endif

/* The newer of two transactions with the same place has it. */
inline store(finished_xid, its_limit) {
  d_step {
    if
    :: WINS(finished_xid) ->
      finished[(finished_xid) % PLACES].xid = finished_xid;
      finished[(finished_xid) % PLACES].limit = its_limit
    :: else
    fi
  }
}

inline clear() { slot[me] = 0 }

inline recycle() {
  if
  :: prepared.xid != 0 -> RECYCLE
  :: else
  fi
}

/* From here on the server's list of prepared transactions has it in the session's stead. */
inline prepare() {
  d_step {
    prepared.xid = xid;
    prepared.limit = limit;
    in_doubt = true;
    made_in_doubt = made[me];
    made[me] = 0
  }
}

proctype writer(byte me) {
  byte transactions, xid, limit;
  bool aborts;
  do
  :: transactions < TRANSACTIONS && !answered ->
    /* It may have written something else before. */
    if :: get_xid() :: skip fi;
    ENROL;
    if :: TAKE_ANOTHER :: skip fi;
    if
    :: xid == 0 -> get_xid()
    :: xid == 0 -> made[me] = 0  /* no row, no transaction id */
    :: xid != 0
    fi;
    if
    :: xid == 0 -> clear()
    :: xid != 0 -> COMMIT
    :: atomic { xid != 0 -> aborts = true }; ABORT
    :: atomic { xid != 0 && !preparing && (prepared.xid == 0 || has(ended, prepared.xid)) -> preparing = true };
      PREPARE;
      preparing = false
    fi;
    d_step { transactions++; xid = 0; limit = 0; aborts = false }
  :: else -> break
  od
}

/* COMMIT PREPARED or ROLLBACK PREPARED, by whom and whenever. */
proctype finisher() {
end:
  do
  :: atomic {
      in_doubt && !answered ->
      ended = ended | bit(prepared.xid);
      if
      :: asked && made_in_doubt < unseen -> unseen = made_in_doubt
      :: skip  /* rolled back, or the snapshot sees it */
      fi;
      made_in_doubt = 0;
      in_doubt = false
    }
  od
}

/* Steps of a session that asks. */

inline lower(to) { if :: to < answer -> answer = to :: else fi }

inline read_tick() { d_step { lower(tick) } }

inline read_slots() {
  i = 0;
  do
  :: i < WRITERS -> d_step { if :: slot[i] != 0 -> lower(slot[i] - 1) :: else fi; i++ }
  :: i == WRITERS -> break
  od
}

inline read_prepared() {
  d_step { if :: prepared.xid != 0 && !has(seen, prepared.xid) -> lower(prepared.limit) :: else fi }
}

inline read_next() { upto = next }

#ifndef DISPLACED
#define DISPLACED  answer = 0  /* the smallest identifier: nothing to read yet */
#endif

/* Each transaction that the snapshot sees as running, and those that began later. Where a newer one has the place, its
   limit is lost, if it had one. That matters only if it has ended: else the limit was in a slot. */
inline probe() {
  x = 1;
  do
  :: x < upto ->
    d_step {
      if
      :: has(seen, x) -> skip
      :: !has(seen, x) && finished[x % PLACES].xid == x -> lower(finished[x % PLACES].limit)
      :: !has(seen, x) && finished[x % PLACES].xid > x && has(ended, x) -> DISPLACED
      :: else
      fi;
      x++
    }
  :: x >= upto -> break
  od
}

proctype reader() {
  byte seen, upto, i, x;
  byte answer = 255;
  d_step { seen = ended; asked = true };  /* the server takes the snapshot */
  ASK;
  i = 0;
  atomic {
    assert(answer < unseen);
    assert(made_in_doubt == 0 || answer < made_in_doubt);
    do
    :: i < WRITERS -> assert(made[i] == 0 || answer < made[i]); i++
    :: else -> break
    od;
    answered = true  /* nothing from here on can break the promise */
  }
}

init {
  byte i;
  atomic {
    do
    :: i < WRITERS -> run writer(i); i++
    :: else -> break
    od;
    run finisher();
    run reader()
  }
}
