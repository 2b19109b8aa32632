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

 private:
  // A value, and how many rows are below it, in bins of the histogram. Between two points the
  // number grows evenly.
  struct Point {
    std::uint64_t at;
    double below;
  };

  double share_of_others(int strategy, std::uint64_t value) const;
  double below(std::uint64_t value) const;
  void extend(std::uint64_t greatest);
  double rows_since(const Point* point, std::uint64_t end) const;

  const Column& column;
  Point* points = nullptr;     // the histogram's, with corrected ends, and perhaps one more
  int count = 0;               // 0: there is no histogram
  double bins = 0;             // of the histogram, which all have as many rows
  std::uint64_t last_bin = 0;  // where its last bin begins
  bool knows_first = false;
  bool knows_last = false;
};

}  // namespace ids
