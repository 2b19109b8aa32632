// How the ids of a column are distributed, from its statistics.
#pragma once

#include <cstdint>

#include "core/bytes.hpp"
#include "planner/catalog.hpp"
#include "planner/planned_table.hpp"

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

// A column's least or greatest value.
struct End {
  bool is_looked_up;
  bool is_known;
  std::uint64_t at;
};

// The share of the column's rows for which its comparison with an id holds, read from the most
// common values and the histogram. A planning reads them once for each column: that takes longer
// than to look for a value in them.
class Distribution {
 public:
  // Null without statistics. lowest and highest are the first 64 bits of the ids that will be asked
  // for; lowest is greater than highest if there are none.
  static Distribution* of(const Column& column, std::uint64_t lowest, std::uint64_t highest);
  double share(int strategy, Datum id) const;

 private:
  // A value, and how many rows are below it, in bins of the histogram. Between two points the
  // number grows evenly.
  struct Point {
    std::uint64_t at;
    double below;
  };

  struct Common {
    std::uint64_t at;
    Datum id;
    double up_to;  // the share of the rows that have this value or one before it
  };

  void read(const Column& of_column);
  void look_at_ends(std::uint64_t lowest, std::uint64_t highest);
  void extend();
  double share_of_common(int strategy, Datum id) const;
  double share_of_others(int strategy, std::uint64_t value) const;
  double below(std::uint64_t value) const;
  double rows_since(const Point* point, std::uint64_t end) const;

  Distribution* next;
  Node* node;
  const Column* column;  // that is asked about now
  Common* common;        // the most common values, in ascending order
  int commons;
  double common_share;
  double bins;    // of the histogram, which all have as many rows; 0: there is none
  Point* points;  // the histogram's, with corrected ends, and perhaps one more
  int count;
  Point first, last;  // the histogram's own
  End least, greatest;
  bool knows_first, knows_last;
};

}  // namespace ids
