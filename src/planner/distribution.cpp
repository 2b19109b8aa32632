// The estimate of one bound. It follows PostgreSQL's own scalarltsel, with two differences. Within
// a bin of the histogram it interpolates by the first 64 bits of the ids, which grow evenly with
// time. Beyond the histogram's end it continues at the rate of the last bin. For example
//
//   id < T_first('2026-11-20')     histogram of 100 bins, the last from 11-11 to 11-16
//
//   is below 100 bins + 4 days / 5 days = 100.8, of 100 bins + what an index tells has come since,
//   say 5 days / 5 days = 101: the share is 0.998
#include <algorithm>

#include "planner/distribution.hpp"

namespace ids {

namespace {

// A comparison function that always gives the same answer and remembers the last value it was
// given.
struct Onlooker {
  const Column& column;
  bool answer;
  std::uint64_t seen;
};

Datum look_on(FunctionCallInfo fcinfo) {
  auto* onlooker = static_cast<Onlooker*>(fcinfo->flinfo->fn_extra);
  onlooker->seen = onlooker->column.value(PG_GETARG_DATUM(0));
  PG_RETURN_BOOL(onlooker->answer);
}

// The column's least or greatest value, if an index has it. PostgreSQL looks it up when it searches
// the histogram. If every comparison says "go on", the search compares this value last.
bool true_end(const Column& column, bool greatest, std::uint64_t* end) {
  Onlooker onlooker{column, greatest, 0};
  FmgrInfo procedure{};
  procedure.fn_addr = look_on;
  procedure.fn_oid = column.objects.procedures[BTLessStrategyNumber];
  procedure.fn_extra = &onlooker;
  const double share =
      ineq_histogram_selectivity(column.root, column.statistics, column.less, &procedure, false,
                                 false, InvalidOid, static_cast<Datum>(0), column.objects.type);
  *end = onlooker.seen;
  // PostgreSQL returns 0 or 1 only if it is sure of the end.
  return share == (greatest ? 1 : 0);
}

}  // namespace

Distribution::Distribution(const Column& of_column, std::uint64_t lowest, std::uint64_t highest)
    : column(of_column) {
  if (!column.has_statistics() || lowest > highest) return;
  HeapTuple row = column.statistics->statsTuple;
  AttStatsSlot slot;
  if (!statistic_proc_security_check(column.statistics,
                                     column.objects.procedures[BTLessStrategyNumber]) ||
      !get_attstatsslot(&slot, row, STATISTIC_KIND_HISTOGRAM, InvalidOid, ATTSTATSSLOT_VALUES))
    return;
  if (slot.nvalues > 2) {
    count = slot.nvalues;
    points = static_cast<Point*>(palloc(sizeof(Point) * (static_cast<std::size_t>(count) + 1)));
    for (int i = 0; i < count; ++i)
      points[i] = {column.value(slot.values[i]), static_cast<double>(i)};
  }
  free_attstatsslot(&slot);
  if (count == 0) return;

  bins = count - 1;
  last_bin = points[count - 2].at;
  // PostgreSQL, too, looks up a true end only for values near it.
  std::uint64_t end;
  if (highest > last_bin) {
    knows_last = true_end(column, true, &end);
    extend(end);
  }
  if (lowest <= points[1].at) {
    knows_first = true_end(column, false, &end);
    if (knows_first) points[0].at = end;
  }
}

// The rows since a point, in bins. Many ids are newer than the statistics: this assumes the rate of
// the bin before, up to the given end, and at most as many rows as the statistics know of.
double Distribution::rows_since(const Point* point, std::uint64_t end) const {
  const auto width = static_cast<double>(std::max<std::uint64_t>(point->at - point[-1].at, 1));
  return std::min(static_cast<double>(end - point->at) / width, bins);
}

void Distribution::extend(std::uint64_t greatest) {
  Point* last = points + count - 1;
  const std::uint64_t now = column.now;
  if (last->at > now && last[-1].at <= now) {
    // The last bin ends in the future, perhaps with a stray id: today's rate is another.
    *last = {now, last[-1].below + rows_since(last - 1, now)};
  } else if (knows_last && greatest < last->at) {
    last->at = greatest;
  } else if (knows_last) {
    // A stray id of the future must not stretch the present.
    const std::uint64_t end = last->at > now ? greatest : std::min(greatest, now);
    last[1] = {end, last->below + rows_since(last, end)};
    ++count;
  }
}

// The share of the rows below a value. Rows that equal it do not count, because almost no id equals
// a boundary such as T_first().
double Distribution::below(std::uint64_t value) const {
  if (value > points[count - 1].at) return 1;
  if (value < points[0].at) return 0;
  const Point* right = std::lower_bound(points + 1, points + count, value,
                                        [](const Point& p, std::uint64_t v) { return p.at < v; });
  const Point* left = right - 1;
  // All ids of a bin may have the same first 64 bits.
  const auto width = static_cast<double>(std::max<std::uint64_t>(right->at - left->at, 1));
  const double part = static_cast<double>(value - left->at) / width;
  return (left->below + part * (right->below - left->below)) / points[count - 1].below;
}

double Distribution::share_of_others(int strategy, std::uint64_t value) const {
  if (count == 0) return 0.5;
  const bool is_upper = strategy < BTEqualStrategyNumber;
  const double below_it = below(value);
  const bool sure = (knows_first && value <= points[1].at) || (knows_last && value > last_bin);
  const double doubt = sure ? 0 : 0.01 / bins;
  return std::clamp(is_upper ? below_it : 1 - below_it, doubt, 1 - doubt);
}

double Distribution::share(int strategy, Datum id) const {
  if (!column.has_statistics()) return DEFAULT_INEQ_SEL;
  FmgrInfo procedure;
  fmgr_info(column.objects.procedures[strategy], &procedure);
  double common;
  const double among_common =
      mcv_selectivity(column.statistics, &procedure, InvalidOid, id, true, &common);
  const double others = share_of_others(strategy, column.value(id));
  return std::clamp(among_common + (1 - column.null_share() - common) * others, 0.0, 1.0);
}

}  // namespace ids
