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
  if (!column.has_statistics() || lowest > highest ||
      !statistic_proc_security_check(column.statistics,
                                     column.objects.procedures[BTLessStrategyNumber]) ||
      !get_attstatsslot(&histogram, column.statistics->statsTuple, STATISTIC_KIND_HISTOGRAM,
                        InvalidOid, ATTSTATSSLOT_VALUES) ||
      histogram.nvalues <= 2)
    return;
  count = histogram.nvalues;
  bins = count - 1;
  first = column.value(histogram.values[0]);
  last = {column.value(histogram.values[count - 1]), static_cast<double>(bins)};
  // PostgreSQL, too, looks up a true end only for values near it.
  std::uint64_t end;
  if (highest > point(bins - 1).at) {
    knows_last = true_end(column, true, &end);
    extend(end);
  }
  if (lowest <= point(1).at) {
    knows_first = true_end(column, false, &end);
    if (knows_first) first = end;
  }
}

Distribution::Point Distribution::point(int i) const {
  if (i > bins) return beyond;
  if (i == bins) return last;
  return {i == 0 ? first : column.value(histogram.values[i]), static_cast<double>(i)};
}

// The rows since a point, in bins. Many ids are newer than the statistics: this assumes the rate of
// the bin before, up to the given end, and at most as many rows as the statistics know of.
double Distribution::rows_since(const Point& point, const Point& before, std::uint64_t end) const {
  const auto width = static_cast<double>(std::max<std::uint64_t>(point.at - before.at, 1));
  return std::min(static_cast<double>(end - point.at) / width, static_cast<double>(bins));
}

void Distribution::extend(std::uint64_t greatest) {
  const Point before = point(bins - 1);
  const std::uint64_t now = column.now;
  if (last.at > now && before.at <= now) {
    // The last bin ends in the future, perhaps with a stray id: today's rate is another.
    last = {now, before.below + rows_since(before, point(bins - 2), now)};
  } else if (knows_last && greatest < last.at) {
    last.at = greatest;
  } else if (knows_last) {
    // A stray id of the future must not stretch the present.
    const std::uint64_t end = last.at > now ? greatest : std::min(greatest, now);
    beyond = {end, last.below + rows_since(last, before, end)};
    ++count;
  }
}

// The share of the rows below a value. Rows that equal it do not count, because almost no id equals
// a boundary such as T_first().
double Distribution::below(std::uint64_t value) const {
  int begin = 0;
  int end = count - 1;
  if (value > point(end).at) return 1;
  if (value < first) return 0;
  while (end - begin > 1) {
    const int middle = (begin + end) / 2;
    (point(middle).at < value ? begin : end) = middle;
  }
  const Point left = point(begin);
  const Point right = point(end);
  // All ids of a bin may have the same first 64 bits.
  const auto width = static_cast<double>(std::max<std::uint64_t>(right.at - left.at, 1));
  const double part = static_cast<double>(value - left.at) / width;
  return (left.below + part * (right.below - left.below)) / point(count - 1).below;
}

double Distribution::share_of_others(int strategy, std::uint64_t value) const {
  if (count == 0) return 0.5;
  const bool is_upper = strategy < BTEqualStrategyNumber;
  const double below_it = below(value);
  const bool sure =
      (knows_first && value <= point(1).at) || (knows_last && value > point(bins - 1).at);
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
