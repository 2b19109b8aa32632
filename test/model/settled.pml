/* A model of how T_settled() finds the identifier below which nothing will be added. The checker spin runs it
   (test/model/run.sh). The model explains the order of the steps: those of a writer, which is a transaction that makes
   identifiers, and those of a reader, which is a session that calls T_settled(). The checker tries every interleaving of
   these steps. run.sh also exchanges steps or leaves one out, and each time the checker finds a broken promise.

   The promises:
   - No row is lost. The reader's snapshot sees the transactions of all identifiers below the answer, except those
     transactions that were rolled back.
   - No reader stands still. If all transactions have ended before the snapshot is taken, the answer is above the last
     identifier. The answer is 1, so nothing is read, only if the reader has met a transaction that may have made any identifiers.

   A writer publishes a limit: it makes no identifier below that. The limit is in one of these places for as long as a reader may
   need it:

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
   transaction id and a limit. Each of the two is read and written in a step of its own. */

#ifndef WRITERS
#define WRITERS 2       /* sessions that make identifiers */
#endif
#ifndef TRANSACTIONS
#define TRANSACTIONS 2  /* of each, one after the other */
#endif
#ifndef PLACES
#define PLACES 2        /* of the table of finished transactions */
#endif
#ifndef RECOVERED
#define RECOVERED 0     /* 1: the server has started with a prepared transaction */
#endif
#ifndef PROMOTED
#define PROMOTED 0      /* 1: it has started as a standby, and is promoted later */
#endif
#ifndef RESETS
#define RESETS 0        /* 1: ids_reset_clock() is called before the reader's snapshot is taken */
#endif
#ifndef SHARED
#define SHARED 0        /* 1: another generator has a column in the records, and another database's sessions had the slots */
#endif

#ifndef UNITS
#define UNITS 0         /* 1: two identifiers are of a unit of time, and do not sort in the order in which they are made */
#endif

#define MARK 1          /* the last identifier from before the server's start */
#define UNKNOWN 1       /* the limit of a transaction that may have made any identifiers */
#define NOTHING 255     /* the limit of a transaction that has made none, or only in another database */
#define IMPOSSIBLE 200  /* a transaction id that the server will never reach */

/* The order of the steps. */

#ifndef START
#define START   note(); move_mark()
#endif
/* The first session that makes identifiers or asks notes the transactions that were prepared before the server's start. It
   also lifts the tick above the mark: a limit of 1 would be that of a writer that may have made any identifiers. */

#ifndef NOTE
#define NOTE    d_step { note_next(); note_prepared() }
#endif
/* The slot of a prepared transaction may have been taken by another one before the extension is first used. Then nothing shows
   who had it. So note_next remembers the next transaction id: a transaction before it may have been committed without a
   record. Both are done under the server's lock of prepared transactions, so all of these are before the next id. */

#ifndef ENROL
#define ENROL   RECORD; take()
#endif
#ifndef RECORD
#if SHARED
#define RECORD  elsewhere_in_slot[me] = false; read_limit(); publish()
#else
#define RECORD  read_limit(); publish()
#endif
#endif
/* The limit is published before the first identifier is taken. So a reader either finds the limit, or has read the tick
   before the limit was published. In the second case all identifiers of this transaction are above that tick. */

#ifndef ENROL_TOO
#define ENROL_TOO       ENROL
#endif
/* The transaction has a record for another generator. */

#ifndef RESET
#define RESET         count(); lower_tick()
#endif
#ifndef ENROL_AGAIN
#define ENROL_AGAIN   read_resets(); read_limit(); publish()
#endif
/* Whoever has taken a tick that is too low sees that the count has risen, waits until all ticks are lowered, and enrols again. */

#ifndef LOWERS
#define LOWERS  limit < slot[me]
#endif
/* The identifiers from before the reset are still above the limit from before it. */

#ifndef TAKE_ANOTHER
#if RESETS
#define TAKE_ANOTHER  take()
#else
#define TAKE_ANOTHER  skip
#endif
#endif
/* A further identifier does not change the limit, which is below the first identifier. It only raises the tick, as other
   sessions do. So the model leaves it out. */

#ifndef COMMIT
#define COMMIT  finish(); store(xid, limit); raise(xid); clear()
#endif
/* finish: the server removes the transaction from the list of running ones, and later snapshots see it. Earlier snapshots do
   not see it. A reader with such a snapshot may ask when the slot is already empty. It finds the limit in the table, where it
   looks for all transactions up to the greatest that raise has seen. */

#ifndef ABORT
#define ABORT   finish(); clear()
#endif

#ifndef COMMITS
#if PROMOTED
#define COMMITS !made_in_recovery[me]
#else
#define COMMITS true
#endif
#endif
/* The identifiers from before a promotion have no record: what the transaction writes after it, it cannot commit. */

#ifndef PREPARE
#define PREPARE read_former(); recycle(); move(); clear()
#endif
#ifndef RECYCLE
#define RECYCLE store(former, its_limit); raise(former)
#endif
/* COMMIT PREPARED runs no code of the extension. So the limit stays in the slot until another transaction needs the slot. */

#ifndef ASK
#define ASK     begin_unit(); read_tick(); read_slots(); read_prepared(); read_greatest(); probe()
#endif
#ifndef UNLISTED
#define UNLISTED  from_recovery
#endif
/* A snapshot that was taken during recovery lists no running transactions, so it has no answer. */

/* read_tick comes before read_slots: a transaction may publish its limit between the two, and then all of its identifiers are
   above the tick. read_greatest comes last: a transaction that has left its slot by then has raised it. */

#if UNITS
#define least(tick)  ((tick) / 2 * 2)  /* that sorts first of those of its unit */
#else
#define least(tick)  (tick)
#endif
#ifndef ROUNDED
#define ROUNDED  least(answer)
#endif
/* The answer is the least identifier of a unit. A unit is settled when the next one has begun, so the reader begins it. */

typedef Place { byte xid; byte limit };  /* 0: none */

byte tick;             /* the last identifier; an identifier of the model is its tick */
byte slot[WRITERS];    /* the limit; 0: the session is not enrolled */
Place prepared;        /* the only slot for prepared transactions */
Place finished[PLACES];
bool locked[PLACES];
byte greatest;         /* transaction that is or was in the table */
bool noting;           /* a lock: only one session notes */
bool noted;
byte noted_next;       /* the next transaction id of that moment */

byte next = 1;         /* the server's next transaction id */
byte ended;            /* transactions that run no more, as a set of bits; they have been committed or rolled back */
byte in_slot;          /* what the server has in its slot for prepared transactions: the last transaction that used it */
bool elsewhere;        /* it belongs to another database */
bool in_doubt;         /* it has not ended yet */
bool preparing;        /* a session is moving its transaction there */
bool recovery = PROMOTED;
bool made_in_recovery[WRITERS];
byte resets;
bool lowering;         /* a lock */
bool was_reset;
bool elsewhere_in_slot[WRITERS] = SHARED;  /* the slot has the number of another database */

/* Only the promises need these. */
byte working = WRITERS + RECOVERED;
byte made[WRITERS];    /* the first identifier of the transaction that runs in each session; 0: none */
byte made_in_doubt;    /* the first identifier of the prepared transaction that has not ended */
byte unseen = 255;     /* the least of the identifiers that were committed after the snapshot was taken */
bool asked;            /* the snapshot has been taken */
bool answered;

#if PROMOTED
#define CAN_WRITE  !recovery
#else
#define CAN_WRITE  true
#endif
#define bit(x)     (1 << (x))
#define has(set, x)  ((x) < 8 && (((set) >> (x)) & 1))

/* Steps that come before all others of a session. */

inline note() {
  if
  :: noted
  :: atomic { !noting -> noting = true }; NOTE
  fi
}

inline note_next() {
  noted_next = next;
  greatest = next - 1
}

inline note_prepared() {
  d_step {
    if :: elsewhere -> prepared.limit = NOTHING :: else -> prepared.limit = UNKNOWN fi;
    if
    :: in_slot != 0 && in_slot >= noted_next -> prepared.xid = IMPOSSIBLE  /* a small id seems to be of the next epoch */
    :: else -> prepared.xid = in_slot
    fi;
    noted = true
  }
}

inline move_mark() {
  if
  :: tick >= MARK
  :: d_step { tick < MARK -> tick = MARK }
  fi
}

/* Steps of a transaction. */

inline read_limit() { limit = tick + 1 }
inline publish() {
  d_step { if :: slot[me] == 0 || LOWERS -> slot[me] = limit :: else -> limit = slot[me] fi }
}

inline count() { resets++ }
inline lower_tick() { atomic { if :: tick > MARK -> tick = MARK :: skip fi } }  /* if it is ahead of the clock */

#if RESETS

inline read_resets() { atomic { !lowering -> known = resets } }

inline draw() { d_step { tick++; id = tick } }

inline take() {
  draw();
  do
  :: atomic { resets == known -> if :: made[me] == 0 || id < made[me] -> made[me] = id :: else fi }; break
  :: resets != known -> ENROL_AGAIN; draw()
  od
}

#else

inline take() {
  d_step {
    tick++;
    if :: made[me] == 0 -> made[me] = tick :: else fi
  }
}

#endif

inline get_xid() {
  d_step { xid = next; next++ }
}

inline finish() {
  d_step {
    ended = ended | bit(xid);
    if :: !aborts && asked && made[me] != 0 && made[me] < unseen -> unseen = made[me] :: else fi;
    made[me] = 0
  }
}

#ifndef WINS
#define WINS(x)  (x) > finished[(x) % PLACES].xid
#endif

/* Of two transactions with the same place, the newer one gets it. Readers take the lock too. */
inline store(finished_xid, its_limit) {
  atomic {
    !locked[(finished_xid) % PLACES] -> locked[(finished_xid) % PLACES] = true;
    if :: WINS(finished_xid) -> finished[(finished_xid) % PLACES].limit = its_limit :: else fi
  };
  d_step {
    if :: WINS(finished_xid) -> finished[(finished_xid) % PLACES].xid = finished_xid :: else fi;
    locked[(finished_xid) % PLACES] = false
  }
}

/* Also if a newer transaction has the place: it may not have raised it yet. */
inline raise(to) { d_step { if :: greatest < to -> greatest = to :: else fi } }

inline clear() { slot[me] = 0 }

/* No other session can change the slot meanwhile. */
inline read_former() { d_step { former = prepared.xid; its_limit = prepared.limit } }

inline recycle() {
  if
  :: former != 0 -> RECYCLE
  :: else
  fi
}

/* In any order. A reader that finds one transaction's id with the limit of another reads on: the former one is in the table, and
   the new one was in the slot of its session, which the reader has read before. */
inline move() {
  if
  :: prepared.limit = limit; prepare()
  :: prepare(); prepared.limit = limit
  fi
}

/* The server moves the transaction from the session to its list of prepared transactions. */
inline prepare() {
  d_step {
    prepared.xid = xid;
    in_doubt = true;
    made_in_doubt = made[me];
    made[me] = 0
  }
}
inline enrol() {
#if PROMOTED
  if
  :: recovery -> made_in_recovery[me] = true; take()
  :: !recovery -> note(); ENROL
  fi
#elif SHARED
  if
  :: ENROL
  :: other = true; ENROL_TOO
  :: other = true; limit = NOTHING; xid = xid
  fi
#else
  ENROL
#endif
}

proctype writer(byte me) {
  byte transactions, xid, limit, former, its_limit, known, id;
  bool aborts, other;
  do
  :: transactions < TRANSACTIONS && !answered ->
    /* It may have written something else before. */
    if :: CAN_WRITE -> get_xid() :: skip fi;
#if PROMOTED
    if :: recovery :: !recovery -> START fi;
#else
    START;
#endif
#if RESETS
    read_resets();
#endif
    enrol();
    if :: TAKE_ANOTHER :: skip fi;
    if
    :: xid == 0 && CAN_WRITE -> get_xid()
    :: xid == 0 -> made[me] = 0  /* no row, no transaction id */
    :: xid != 0
    fi;
    if
    :: xid == 0 -> clear()
    :: xid != 0 && COMMITS -> COMMIT
    :: atomic { xid != 0 -> aborts = true }; ABORT
    :: atomic { xid != 0 && COMMITS && !preparing && !in_doubt -> preparing = true; in_slot = xid; elsewhere = false };
      PREPARE;
      preparing = false
    fi;
    d_step {
      transactions++; xid = 0; limit = 0; former = 0; its_limit = 0; id = 0; aborts = false; other = false;
      made_in_recovery[me] = false
    }
  :: else -> break
  od;
  working--
}

/* What happens once, at any time, depending on the configuration. */
proctype operator() {
  if
  :: RESETS -> lowering = true; RESET; lowering = false; was_reset = true
  :: PROMOTED -> recovery = false
  :: else
  fi
}

/* A session that does not use the extension and prepares a transaction in this or another database. */
proctype other() {
  byte xid;
  atomic { CAN_WRITE -> get_xid() };
end:
  atomic {
    !preparing && !in_doubt ->
    in_slot = xid;
    in_doubt = true;
    if :: elsewhere = true :: elsewhere = false fi;
    working--
  }
}

/* COMMIT PREPARED or ROLLBACK PREPARED, which any session can call at any time. */
proctype finisher() {
end:
  do
  :: atomic {
      in_doubt && !answered ->
      ended = ended | bit(in_slot);
      if
      :: asked && made_in_doubt != 0 && made_in_doubt < unseen -> unseen = made_in_doubt
      :: skip  /* rolled back, or the snapshot sees it */
      fi;
      made_in_doubt = 0;
      in_doubt = false
    }
  od
}

/* Steps of a reader. */

inline lower(to) {
  if :: to < answer -> answer = to :: else fi;
  if :: to == UNKNOWN -> met_unknown = true :: else fi
}

inline begin_unit() { d_step { if :: UNITS -> tick = least(tick + 2) :: else fi } }

inline read_tick() { answer = tick + 1 }

inline read_slots() {
  i = 0;
  do
#if SHARED
  :: i < WRITERS ->
    x = slot[i];
    d_step { if :: x != 0 && !elsewhere_in_slot[i] && x < answer -> answer = x :: else fi; x = 0; i++ }
#else
  :: i < WRITERS -> d_step { if :: slot[i] != 0 && slot[i] < answer -> answer = slot[i] :: else fi; i++ }
#endif
  :: i >= WRITERS -> break
  od;
#if PROMOTED
  if :: answer == UNKNOWN -> met_unknown = true :: else fi  /* enrolled before the mark could be read */
#endif
}

inline read_prepared() {
  d_step { x = prepared.xid; if :: has(seen, x) -> x = 0 :: else fi };
  d_step { if :: x != 0 && prepared.limit != 0 -> lower(prepared.limit) :: else fi; x = 0 }
}

inline read_greatest() { upto = greatest }

#ifndef DISPLACED
#define DISPLACED  lower(UNKNOWN)
#endif
#ifndef UNRECORDED
#define UNRECORDED lower(UNKNOWN)
#endif
#ifndef LOCK
#define LOCK       !locked[x % PLACES]
#endif

/* Looks for each transaction that the snapshot does not see. If a newer one has the place, the older one's limit is lost. That
   matters only if the older one has ended: until then its limit was in a slot. If an older one has the place, the transaction
   has no record, which is right unless it was prepared before the server's start. */
inline probe() {
  x = from;
  do
  :: d_step {
      do :: x <= upto && (x == 0 || has(seen, x)) -> x++ :: else -> break od;
      found = x <= upto && finished[x % PLACES].xid >= x
    };
    if
    :: x > upto -> break
    :: x <= upto && !found -> d_step { if :: x < noted_next && has(ended, x) -> UNRECORDED :: else fi }
    :: x <= upto && found ->
      atomic {
        LOCK;
        if
        :: finished[x % PLACES].xid == x -> lower(finished[x % PLACES].limit)
        :: finished[x % PLACES].xid > x && has(ended, x) -> DISPLACED
        :: else
        fi
      }
    fi;
    x++
  od
}

proctype reader() {
  byte seen, from, upto, i, x;
  byte answer;
  bool quiet, from_recovery, met_unknown, found;
#if RESETS
  was_reset;
#endif
  d_step {  /* the server takes the snapshot */
    seen = ended;
    asked = true;
    from_recovery = recovery;
    if :: recovery -> from = next :: else fi;
    quiet = working == 0 && !in_doubt && !recovery;
  };
#if PROMOTED
  !recovery;
#endif
  START;
#if PROMOTED
  if
  :: UNLISTED -> lower(UNKNOWN)
  :: else -> ASK
  fi;
#else
  ASK;
#endif
  i = 0;
  atomic {
    answer = ROUNDED;
    assert(answer <= least(unseen));
    assert(made_in_doubt == 0 || answer <= least(made_in_doubt));
    do
    :: i < WRITERS -> assert(made_in_recovery[i] || made[i] == 0 || answer <= least(made[i])); i++
    :: else -> break
    od;
    assert(!quiet || answer == least(tick + 1));
    assert(met_unknown || answer > MARK);
    answered = true  /* nothing from here on can break a promise */
  }
}

init {
  byte i;
  atomic {
    do
    :: i < WRITERS -> run writer(i); i++
    :: else -> break
    od;
    if
    :: RECOVERED -> next = 2; in_slot = 1; in_doubt = true; made_in_doubt = MARK; run other()
    :: else -> noting = true; noted = true; tick = MARK
    fi;
#if RESETS || PROMOTED
    run operator();
#endif
    run finisher();
    run reader()
  }
}
