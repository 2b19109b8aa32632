/* A model of how T_settled() finds the identifier below which nothing will be added. The checker spin runs it
   (test/model/run.sh). The model explains the order of the steps: those of a writer, which is a transaction that makes
   identifiers, and those of a reader, which is a session that calls T_settled(). The checker tries every interleaving of
   these steps. run.sh also exchanges steps or leaves one out, and each time the checker finds a lost row.

   The promise: the reader's snapshot sees the transactions of all identifiers at or below the answer, except those
   transactions that were rolled back.

   A writer records a lower limit of its identifiers. The limit is in one of these places for as long as a reader may need it:

       slot of its session  --PREPARE TRANSACTION-->  a slot for prepared transactions
                |                                                |
              COMMIT                        after COMMIT PREPARED, when the slot is needed
                |                                                |
                +------------->  table of finished  <------------+

   The limit is written to the next place before it is removed from the last one. A reader reads the places in the same
   order, so it cannot miss the limit.

   Each statement that touches shared memory is one step of the model. Steps take effect in the order in which they are
   written. A real processor needs a memory barrier between two steps whose order matters. Without the barrier the two steps
   may be exchanged, which is what run.sh tries. A slot for prepared transactions and a place of the table contain a
   transaction id and a limit. Both are read and written together. */

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
/* The limit is published before the first identifier is taken. So a reader either finds the limit, or has read the tick
   before the limit was published. In the second case all identifiers of this transaction are above that tick. */

#ifndef TAKE_ANOTHER
#define TAKE_ANOTHER  skip
#endif
/* A further identifier does not change the limit, which is below the first identifier. It only raises the tick, as other
   sessions do. So the model leaves it out. */

#ifndef COMMIT
#define COMMIT  finish(); store(xid, limit); clear()
#endif
/* finish: the server removes the transaction from the list of running ones, and later snapshots see it. Earlier snapshots do
   not see it. A reader with such a snapshot may ask when the slot is already empty. It finds the limit in the table. */

#ifndef ABORT
#define ABORT   finish(); clear()
#endif

#ifndef PREPARE
#define PREPARE recycle(); prepare(); clear()
#endif

#ifndef RECYCLE
#define RECYCLE store(prepared.xid, prepared.limit)
#endif
/* COMMIT PREPARED runs no code of the extension. So the limit stays in the slot until another transaction needs the slot. */

#ifndef ASK
#define ASK     read_tick(); read_slots(); read_next(); read_prepared(); probe()
#endif
/* read_tick comes before read_slots: a transaction may publish its limit between the two, and then all of its identifiers are
   above the tick. read_next comes after read_slots: a transaction that has cleared its slot by then already has its id. */

typedef Place { byte xid; byte limit };

byte tick;             /* the last identifier; an identifier of the model is its tick */
byte slot[WRITERS];    /* the limit, plus 1; 0: the session is not enrolled */
Place prepared;        /* the only slot for prepared transactions */
Place finished[PLACES];

byte next = 1;         /* the server's next transaction id */
byte ended;            /* transactions that run no more, as a set of bits; they have been committed or rolled back */
bool in_doubt;         /* the prepared transaction has not ended yet */
bool preparing;        /* a lock: only one transaction at a time looks for a slot */

/* Only the promise needs these. */
byte made[WRITERS];    /* the first identifier of the transaction that runs in each session; 0: none */
byte made_in_doubt;    /* the first identifier of the prepared transaction that has not ended */
byte unseen = 255;     /* the least of the identifiers that were committed after the snapshot was taken */
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

/* Of two transactions with the same place, the newer one gets it. */
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

/* The server moves the transaction from the session to its list of prepared transactions. */
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

/* COMMIT PREPARED or ROLLBACK PREPARED, which any session can call at any time. */
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

/* Steps of a reader. */

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

/* Looks for each transaction that the snapshot sees as running, and for those that began later. If a newer transaction has
   the place, the older one's limit is lost. That matters only if the older one has ended: until then its limit was in a slot. */
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
