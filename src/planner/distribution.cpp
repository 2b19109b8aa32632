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
End find_end(const Column& column, bool greatest) {
  Onlooker onlooker{column, greatest, 0};
  FmgrInfo procedure{};
  procedure.fn_addr = look_on;
  procedure.fn_oid = column.objects.procedures[BTLessStrategyNumber];
  procedure.fn_extra = &onlooker;
  const double share =
      ineq_histogram_selectivity(column.root, column.statistics, column.less, &procedure, false,
                                 false, InvalidOid, static_cast<Datum>(0), column.objects.type);
  // PostgreSQL returns 0 or 1 only if it is sure of the end.
  return {true, share == (greatest ? 1 : 0), onlooker.seen};
}

}  // namespace

Distribution* Distribution::of(const Column& column, std::uint64_t lowest, std::uint64_t highest) {
  if (!column.has_statistics()) return nullptr;
  PlannedTable* table = planned(column.statistics->rel);
  Distribution* known = table->distributions;
  while (known && !equal(known->node, column.node)) known = known->next;
  if (!known) {
    MemoryContext before = MemoryContextSwitchTo(table->memory());
    known = static_cast<Distribution*>(palloc0(sizeof(Distribution)));
    known->node = static_cast<Node*>(copyObjectImpl(column.node));
    known->read(column);
    known->next = table->distributions;
    table->distributions = known;
    MemoryContextSwitchTo(before);
  }
  known->column = &column;
  if (known->bins > 0) known->look_at_ends(lowest, highest);
  return known;
}

void Distribution::read(const Column& of_column) {
  HeapTuple row = of_column.statistics->statsTuple;
  if (!statistic_proc_security_check(of_column.statistics,
                                     of_column.objects.procedures[BTLessStrategyNumber]))
    return;
  AttStatsSlot slot;
  if (get_attstatsslot(&slot, row, STATISTIC_KIND_MCV, InvalidOid,
                       ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS)) {
    commons = slot.nvalues;
    common = static_cast<Common*>(palloc(sizeof(Common) * static_cast<Size>(commons)));
    for (int i = 0; i < commons; ++i)
      common[i] = {of_column.value(slot.values[i]), slot.values[i], slot.numbers[i]};
    std::sort(common, common + commons,
              [](const Common& a, const Common& b) { return a.at < b.at; });
    for (Common* one = common; one < common + commons; ++one)
      one->up_to = common_share += one->up_to;
  }
  if (!get_attstatsslot(&slot, row, STATISTIC_KIND_HISTOGRAM, InvalidOid, ATTSTATSSLOT_VALUES))
    return;
  if (slot.nvalues > 2) {
    bins = slot.nvalues - 1;
    points = static_cast<Point*>(palloc(sizeof(Point) * (static_cast<Size>(slot.nvalues) + 1)));
    for (int i = 0; i < slot.nvalues; ++i)
      points[i] = {of_column.value(slot.values[i]), static_cast<double>(i)};
    first = points[0];
    last = points[slot.nvalues - 1];
  }
  free_attstatsslot(&slot);
}

// Begins with the ends of the statistics. PostgreSQL, too, looks up a true end only for values near
// it.
void Distribution::look_at_ends(std::uint64_t lowest, std::uint64_t highest) {
  count = static_cast<int>(bins) + 1;
  points[0] = first;
  points[count - 1] = last;
  const bool is_near_last = highest > points[count - 2].at;
  const bool is_near_first = lowest <= points[1].at;
  if (is_near_last && !greatest.is_looked_up) greatest = find_end(*column, true);
  if (is_near_first && !least.is_looked_up) least = find_end(*column, false);
  knows_last = is_near_last && greatest.is_known;
  knows_first = is_near_first && least.is_known;
  if (is_near_last) extend();
  if (knows_first) points[0].at = least.at;
}

// The rows since a point, in bins. Many ids are newer than the statistics: this assumes the rate of
// the bin before, up to the given end, and at most as many rows as the statistics know of.
double Distribution::rows_since(const Point* point, std::uint64_t end) const {
  const auto width = static_cast<double>(std::max<std::uint64_t>(point->at - point[-1].at, 1));
  return std::min(static_cast<double>(end - point->at) / width, bins);
}

void Distribution::extend() {
  Point* end = points + count - 1;
  const std::uint64_t now = column->now;
  if (end->at > now && end[-1].at <= now) {
    // The last bin ends in the future, perhaps with a stray id: today's rate is another.
    *end = {now, end[-1].below + rows_since(end - 1, now)};
  } else if (knows_last && greatest.at < end->at) {
    end->at = greatest.at;
  } else if (knows_last) {
    // A stray id of the future must not stretch the present.
    const std::uint64_t at = end->at > now ? greatest.at : std::min(greatest.at, now);
    end[1] = {at, end->below + rows_since(end, at)};
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
  if (bins == 0) return 0.5;
  const bool is_upper = strategy < BTEqualStrategyNumber;
  const double below_it = below(value);
  const bool sure = (knows_first && value <= points[1].at) ||
                    (knows_last && value > points[static_cast<int>(bins) - 1].at);
  const double doubt = sure ? 0 : 0.01 / bins;
  return std::clamp(is_upper ? below_it : 1 - below_it, doubt, 1 - doubt);
}

// The share of the most common values among all rows for which the comparison holds.
double Distribution::share_of_common(int strategy, Datum id) const {
  const bool is_upper = strategy < BTEqualStrategyNumber;
  const std::uint64_t value = column->value(id);
  const Common* one = std::lower_bound(common, common + commons, value,
                                       [](const Common& c, std::uint64_t v) { return c.at < v; });
  double below = one == common ? 0 : one[-1].up_to;
  for (; one < common + commons && one->at == value; ++one)
    if (DatumGetBool(OidFunctionCall2(column->objects.procedures[strategy], one->id, id)) ==
        is_upper)
      below += one->up_to - (one == common ? 0 : one[-1].up_to);
  return is_upper ? below : common_share - below;
}

double Distribution::share(int strategy, Datum id) const {
  const double others = 1 - column->null_share() - common_share;
  return std::clamp(
      share_of_common(strategy, id) + others * share_of_others(strategy, column->value(id)), 0.0,
      1.0);
}

}  // namespace ids
