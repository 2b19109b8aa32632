// How the ids of a column are distributed, from its statistics.
#pragma once

#include <cstdint>

#include "core/bytes.hpp"
#include "planner/catalog.hpp"

namespace ids {

// A column of ids, or an expression, and its statistics.
struct Column {
  PlannerInfo* root;
  const PlannedType& type;
  const CatalogObjects& objects;
  std::uint64_t now;  // what the first 64 bits of an id would be
  Node* node;
  VariableStatData* statistics;
  Oid less;  // the comparison by which the statistics are sorted

  // What is compared: the first 64 bits of an id.
  std::uint64_t value(Datum id) const {
    return type.by_value ? id
                         : load_big_endian<std::uint64_t>(
                               reinterpret_cast<const std::uint8_t*>(DatumGetPointer(id)));
  }
  bool has_statistics() const { return HeapTupleIsValid(statistics->statsTuple); }
  double null_share() const {
    return reinterpret_cast<Form_pg_statistic>(GETSTRUCT(statistics->statsTuple))->stanullfrac;
  }
};

// The share of the column's rows for which its comparison with an id holds, read from the most
// common values and the histogram. lowest and highest are the first 64 bits of the ids that will be
// asked for; lowest is greater than highest if there are none.
class Distribution {
 public:
  Distribution(const Column& of_column, std::uint64_t lowest, std::uint64_t highest);
  double share(int strategy, Datum id) const;
  // Frees its memory: a query may have thousands of windows.
  void release() { free_attstatsslot(&histogram); }

 private:
  // A value, and how many rows are below it, in bins of the histogram. Between two points the
  // number grows evenly.
  struct Point {
    std::uint64_t at;
    double below;
  };

  Point point(int i) const;
  double share_of_others(int strategy, std::uint64_t value) const;
  double below(std::uint64_t value) const;
  void extend(std::uint64_t greatest);
  double rows_since(const Point& point, const Point& before, std::uint64_t end) const;

  const Column& column;
  AttStatsSlot histogram{};
  int bins = 0;             // of the histogram, which all have as many rows
  int count = 0;            // of the points, one more than bins, or two; 0: there is no histogram
  std::uint64_t first = 0;  // the histogram's first point, corrected
  Point last{};             // its last one, corrected
  Point beyond{};
  bool knows_first = false;
  bool knows_last = false;
};

}  // namespace ids
