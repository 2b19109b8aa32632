// The objects of an identifier type in the catalogs, found by name once and then known by OID.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "pg/postgres.hpp"

namespace ids {

// The functions that make an id of a time or a range: T_first, T_last, T_range_first, T_range_last.
enum { kFirst, kLast, kRangeFirst, kRangeLast, kBoundaries };

// A function that compares an id with a time, or that finds its time in a range.
struct Predicate {
  Oid function;     // InvalidOid if the catalog does not have it
  int id_argument;  // which operand is the id: 0 or 1
  int strategy;     // the btree strategy with the id on the left; InvalidStrategy for ranges
};
constexpr int kPredicates = 10;  // at most

// Comparisons go by their btree strategy.
struct CatalogObjects {
  std::uint64_t as_of;  // the number of catalog changes when they were found
  Oid type;
  Oid comparisons[BTMaxStrategyNumber + 1];
  Oid procedures[BTMaxStrategyNumber + 1];
  Oid boundaries[kBoundaries];
  Oid settled_support;  // of every T_settled()
  Predicate predicates[kPredicates];
};

// A type, as the planner needs to know it. Its functions are named T_first and so on.
struct PlannedType {
  const char* name;
  bool by_value;
  CatalogObjects* objects;
  Oid core_type = InvalidOid;  // PostgreSQL's own type with T_within(id, tstzrange) for operators
};

// The objects of the type, or null while the extension is being installed.
const CatalogObjects* objects_of(const PlannedType& type);

// The function of pg_catalog whose name is the prefix and the suffix, or InvalidOid.
Oid function_named(const char* prefix, const char* suffix, std::initializer_list<Oid> arguments);

// The btree strategy of a comparison of the type, or InvalidStrategy.
int strategy_of(const CatalogObjects& objects, Oid comparison);

// The strategy with the operands exchanged.
constexpr int commuted(int strategy) { return BTMaxStrategyNumber + 1 - strategy; }

}  // namespace ids
