/* A model of the mark, which keeps identifiers in order when the server's memory is lost. The checker spin runs it
   (test/model/run.sh). The model explains the steps of src/generator: those of a session that generates, of an operator who
   calls ids_reset_clock() or ids_advance_clock(), and of a crash. The clock shows any time whenever it is read. run.sh also
   exchanges steps or leaves one out, and each time the checker finds a broken promise.

   The promise: an identifier is above all identifiers that were committed before its generation began, also those of earlier
   runs of the server. A transaction counts as committed if its record is in the WAL that is left. There are exceptions:
   - ids_reset_clock() may lower the tick, the time above which generators are claimed, or a mark that is from an earlier run.
     The promise begins anew there: it does not hold between identifiers taken before and identifiers taken after.
   - An identifier that was shown but not committed may come again, or one below it, after a crash, until the WAL writer has
     written the mark. run.sh shows it. With WAL_WRITER, an identifier counts as committed once it was shown and the WAL writer has
     then written what it was handed: also if its transaction was rolled back, or is still open.

   A tbsl has a hash of its time and of the number of resets when its tick was taken, so that it does not come again after a reset.

   The mark is a time in a page of the database. It is at or above the time of every identifier that was returned. A page and
   its changes are in the WAL, so a transaction that commits later has the change before its own record. A crash loses the
   end of the WAL: `losing` is a step of its own, and the WAL of the steps after it will not be left. Then `restart` makes a server
   of what was kept. It may be a standby, on which sessions took ticks of its own before it is promoted. */

#ifndef SESSIONS
#define SESSIONS 2
#endif
#ifndef IDS
#define IDS 2           /* how many each session generates in a run of the server */
#endif
#ifndef CRASHES
#define CRASHES 2
#endif
#ifndef OPERATIONS
#define OPERATIONS 0    /* of an operator */
#endif
#ifndef WAL_WRITER
#define WAL_WRITER 0
#endif
#ifndef READS
#define READS 0         /* 1: sessions also ask what is settled, by unit of time */
#endif
#ifndef GREATEST_CLOCK
#define GREATEST_CLOCK 2
#endif
#ifndef STEP
#define STEP 1          /* of the times that the clock can show */
#endif
#define AHEAD 1         /* how far the mark is moved beyond the time that needs it */
#define ROLLBACK 1      /* a tick is lowered only if it is further ahead of the clock */

/* A tick is a time and a counter of one bit. */
#define time(tick)   ((tick) >> 1)
#define first(time)  ((time) << 1)
#define last(time)   (((time) << 1) + 1)

/* The order of the steps. */

#ifndef GENERATE
#define GENERATE  generate()
#endif
#ifndef STORE
#define STORE     commit()
#endif

#ifndef MARKED
#define MARKED    time(id) <= known && resets == known_resets
#endif
/* The session compares with the mark that it knows. That may be too low but not too high, because a reset is counted. */

#ifndef USABLE
#define USABLE    known != 0 && known_resets == resets
#endif
/* A tick is not used if the session took it before it knew the mark: another session may raise the ticks meanwhile. */
#ifndef STILL_USABLE
#define STILL_USABLE  usable && known_resets == resets
#endif
/* Nor if ids_reset_clock() lowers the ticks in another database, which does not lock this page: it may be taken again. */

#ifndef ANSWERED
#define ANSWERED  MARKED
#endif
/* Like an identifier, what a reader is told is never above the mark. */

#ifndef LOCK_PAGE
#define LOCK_PAGE !locked
#endif

#ifndef OF_THIS_RUN
#define OF_THIS_RUN  mark_run == this_run
#endif
#ifndef BEGIN
#define BEGIN     raise(mark); read_greatest(); move(greatest); usable = false
#endif
/* The first session of a run lifts all ticks above the mark. Then move(greatest) cannot lower the mark. It says that this was
   done. */

#ifndef GREATEST
#define GREATEST  raise_to_max(greatest, floor); raise_to_max(greatest, time(tick))
#endif

#ifndef LOG
#define LOG       log()
#endif
#ifndef AFTER_CLOSE
#define AFTER_CLOSE  skip
#endif
/* The change is in the WAL before the page is released, so before anybody uses the new mark. */

#ifndef HAND
#define HAND      hand()
#endif
/* Commits hand their records to the WAL writer, but a transaction that has stored nothing hands over none, even if it moved the
   mark. */

#ifndef IN_RECOVERY
#define IN_RECOVERY  usable = true
#endif
/* Nothing can be committed, and no mark is read. So the session reads it after the promotion. */

#ifndef RAISED
#define RAISED    last
#endif
#ifndef CLAIM
#define CLAIM     raise_tick(floor)
#endif
/* A generator that was not used when the ticks were raised begins above that time. */

#ifndef RESET
#define RESET     lock(); decide(); count(); raise_first(); lower(); move_down(); unlock()
#endif
/* The page is locked first: a session that finds that the clock was reset must not read the old mark again. It is counted
   before the mark is lower: from then on no session uses the mark that it knows. */

#ifndef ADVANCE
#define ADVANCE   lock(); raise_to(); move_up(); unlock(); flush()
#endif
/* The identifiers below that time are committed elsewhere already. So no later commit flushes the mark in time. */

/* In memory, and lost with the server. */
byte this_run = 1;    /* the server's start */
bool recovery;          /* a standby, not yet promoted */
bool claimed;           /* the generator was used; others may be used before it */
byte tick;
byte floor;             /* generators that are claimed later begin above this time */
byte resets;
bool locked;            /* the page is locked */

/* The page, as it is in memory, and as the WAL leaves it. */
byte mark = 1;
byte mark_run;          /* the run that moved the mark */
byte logged = 1;
byte logged_run;

bool losing;            /* the WAL of all further steps will be lost */
bool lost;              /* with it the last move of the mark */
bool handed_lost;       /* and something that was handed to the WAL writer, which therefore has not written it */
byte kept;
byte kept_run;

/* Only the promise needs these. */
byte committed;         /* the greatest identifier */
byte kept_committed;
byte shown;             /* the greatest that was shown since the WAL writer wrote */
byte below[SESSIONS];   /* the greatest that was committed when the session began to generate */
byte made[SESSIONS];    /* what it has made and not yet committed */
bool old[SESSIONS];     /* it took its tick before the promise began anew */
byte operations;
byte crashes;

inline raise_to_max(variable, value) { if :: (value) > variable -> variable = value :: else fi }

inline read_clock(now) {
  now = 0;
  do :: now < GREATEST_CLOCK -> now = now + STEP :: break od
}

/* Steps of a session that generates. */

inline claim() {
  if
  :: claimed
  :: d_step { !claimed -> claimed = true; CLAIM }
  fi
}

inline take() {
  atomic {
    read_clock(now);
    if :: now > time(tick) -> tick = first(now) :: else -> tick++ fi;
    id = tick;
    counted = resets;
    old[me] = false;
    now = 0
  }
}

inline generate() {
  claim();
  do
  :: take();
    if
    :: MARKED -> break
    :: else ->
      move_mark(time(id));
      if :: usable -> break :: else fi
    fi
  od
}

/* A reader is told that all identifiers of earlier units are settled. It begins a unit, if the clock is there, so that the one
   before it is settled, and keeps the answer. */
inline ask() {
  claim();
  do
  :: atomic {
      read_clock(now);
      if :: now > time(tick) -> tick = first(time(tick) + 1) :: else fi;
      id = tick + 1;
      old[me] = false;
      now = 0
    };
    if
    :: ANSWERED -> break
    :: else ->
      move_mark(time(id));
      if :: usable -> break :: else fi
    fi
  od
}

inline move_mark(to) {
  if
  :: recovery -> IN_RECOVERY
  :: else ->
    lock();
    usable = USABLE;
    if
    :: !(OF_THIS_RUN) -> BEGIN
    :: OF_THIS_RUN && usable && to > mark -> move(to)
    :: else
    fi;
    d_step { usable = STILL_USABLE; known = mark; known_resets = resets; locked = false };
    AFTER_CLOSE
  fi
}

inline lock()   { atomic { LOCK_PAGE -> locked = true } }
inline unlock() { locked = false }

inline raise_tick(to) { if :: tick < RAISED(to) -> tick = RAISED(to) :: else fi }

inline raise(to) {
  d_step {
    raise_to_max(floor, to);
    if :: claimed -> raise_tick(to) :: else fi
  }
}

inline read_greatest() {
  atomic { read_clock(greatest); GREATEST }
}

inline move(to) {
  d_step { mark = to + AHEAD; mark_run = this_run; greatest = 0 };
  LOG;
  HAND
}

inline log() { d_step { logged = mark; logged_run = this_run; lost = WAL_WRITER && losing } }

inline hand() { d_step { if :: lost -> handed_lost = true :: else fi } }

/* Outside of the server, where a lost WAL does not undo it. */
inline stored_elsewhere(greatest_id) {
  d_step {
    raise_to_max(committed, greatest_id);
    if :: losing -> raise_to_max(kept_committed, greatest_id) :: else fi
  }
}

inline commit() {
  d_step {
    raise_to_max(committed, made[me]); made[me] = 0;
    if :: WAL_WRITER && losing -> handed_lost = true :: else fi
  }
}

proctype wal_writer() {
end:
  do
  :: atomic { shown != 0 && !handed_lost -> stored_elsewhere(shown); shown = 0 }
  od
}

proctype session(byte me) {
  byte my_run = 1, id, ids, known, known_resets, counted, now, greatest;
  bool usable, in_recovery, moved;
end:
  do
  :: {
end_of_run:
      do
      :: ids < IDS ->
        d_step { below[me] = committed; in_recovery = recovery };
        GENERATE;
        atomic {
          assert(in_recovery || id > below[me]);
          assert(in_recovery || counted == known_resets);
          if
          :: !in_recovery && !old[me] -> made[me] = id; if :: WAL_WRITER -> raise_to_max(shown, id) :: else fi
          :: else
          fi;
          below[me] = 0; usable = false; counted = 0; ids++
        };
        if :: STORE :: made[me] = 0 /* is rolled back */ :: skip /* stays open */ fi;
        id = 0
      :: READS && ids < IDS && !recovery ->
        ask();
        atomic { if :: !old[me] -> made[me] = last(time(id) - 1) :: else fi; usable = false; ids++ };
        if :: STORE :: made[me] = 0 fi;
        id = 0
      :: !claimed && ids == 0 -> move_mark(0); usable = false; ids = 1  /* another generator */
      od
    } unless { my_run != this_run };
    d_step {
      my_run = this_run;
      id = 0; ids = 0; known = 0; known_resets = 0; counted = 0; now = 0; greatest = 0;
      usable = false; in_recovery = false; moved = false
    }
  od
}

/* Steps of an operator. */

inline decide() {
  atomic {
    read_clock(now);
    lowers = mark > now + ROLLBACK;
    moves = lowers || mark_run != this_run;
    now = 0
  }
}

inline count() { resets++ }

inline raise_first() { if :: moves && !lowers -> raise(mark) :: else fi }

inline lower() {
  atomic {
    read_clock(now);
    if :: floor > now + ROLLBACK -> floor = 0; if :: !claimed -> begin_anew() :: else fi :: else fi;
    if
    :: time(tick) > now + ROLLBACK ->
      if :: now > 1 -> tick = first(now - 1) :: else -> tick = 0 fi;
      begin_anew()
    :: else
    fi;
    now = 0
  }
}

inline move_down() {
  if
  :: moves ->
    read_greatest();
    d_step { if :: lowers && mark_run != this_run -> begin_anew() :: else fi };
    move(greatest)
  :: else
  fi
}

inline begin_anew() {
  committed = 0; shown = 0;
  at = 0;
  do :: at < SESSIONS -> below[at] = 0; made[at] = 0; old[at] = true; at++ :: else -> break od;
  at = 0
}

inline raise_to() {
  moves = mark_run != this_run || at > mark;
  if :: mark_run != this_run && mark > at -> raise(mark) :: else -> raise(at) fi
}

inline move_up() {
  if :: moves -> read_greatest(); move(greatest) :: else fi
}

inline flush() { atomic { !losing -> raise_to_max(committed, last(at)) } }

proctype operator() {
  byte my_run = 1, at, now, greatest;
  bool lowers, moves, moved;
end:
  do
  :: {
end_of_run:
      do
      :: operations < OPERATIONS && !recovery -> operations++;
        if
        :: RESET
        :: atomic { count(); lower() }  /* ids_reset_clock() in another database; a session waits for it when it closes the page */
        :: at = 1; do :: at < GREATEST_CLOCK -> at++ :: break od; ADVANCE
        fi;
        d_step { at = 0; lowers = false; moves = false }
      od
    } unless { my_run != this_run };
    d_step { my_run = this_run; at = 0; now = 0; greatest = 0; lowers = false; moves = false }
  od
}

proctype server() {
  byte i;
  do
  :: crashes < CRASHES ->
    d_step { losing = true; kept = logged; kept_run = logged_run; kept_committed = committed };
    atomic {
      crashes++; this_run++;
      if :: recovery = true :: recovery = false fi;
      claimed = false; tick = 0; floor = 0; resets = 0; locked = false; losing = false;
      lost = false; handed_lost = false; shown = 0;
      mark = kept; logged = kept; mark_run = kept_run; logged_run = kept_run; committed = kept_committed;
      kept = 0; kept_run = 0; kept_committed = 0;
      i = 0;
      do :: i < SESSIONS -> below[i] = 0; made[i] = 0; old[i] = false; i++ :: else -> break od;
      i = 0
    };
    if :: recovery -> recovery = false :: else fi
  :: else -> break
  od
}

init {
  byte i;
  atomic {
    do :: i < SESSIONS -> run session(i); i++ :: else -> break od;
    if :: OPERATIONS > 0 -> run operator() :: else fi;
    if :: WAL_WRITER -> run wal_writer() :: else fi;
    run server()
  }
}
