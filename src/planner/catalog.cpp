#include "planner/catalog.hpp"

namespace ids {

namespace {

// Counts changes of functions in the catalogs; 0: nobody counts yet.
std::uint64_t changes = 0;

Oid type_named(const char* name) {
  return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(name),
                         ObjectIdGetDatum(PG_CATALOG_NAMESPACE));
}

// The function of an operator, or InvalidOid.
Oid function_of(const char* operator_name, Oid left, Oid right) {
  const Oid found = GetSysCacheOid4(
      OPERNAMENSP, Anum_pg_operator_oid, CStringGetDatum(operator_name), ObjectIdGetDatum(left),
      ObjectIdGetDatum(right), ObjectIdGetDatum(PG_CATALOG_NAMESPACE));
  return OidIsValid(found) ? get_opcode(found) : InvalidOid;
}

// The type's family is found by its name: the type cache would look for it in a table.
bool find_comparisons(const char* type, CatalogObjects* objects) {
  const Oid family = GetSysCacheOid3(
      OPFAMILYAMNAMENSP, Anum_pg_opfamily_oid, ObjectIdGetDatum(BTREE_AM_OID),
      CStringGetDatum(psprintf("%s_ops", type)), ObjectIdGetDatum(PG_CATALOG_NAMESPACE));
  for (int strategy = 1; strategy <= BTMaxStrategyNumber; ++strategy) {
    const Oid comparison =
        get_opfamily_member(family, objects->type, objects->type, static_cast<int16>(strategy));
    if (!OidIsValid(comparison)) return false;
    objects->comparisons[strategy] = comparison;
    objects->procedures[strategy] = get_opcode(comparison);
  }
  return true;
}

bool find_boundaries(const PlannedType& type, CatalogObjects* objects) {
  static constexpr const char* kSuffixes[] = {"_first", "_last", "_range_first", "_range_last"};
  for (int i = 0; i < kBoundaries; ++i) {
    const Oid argument = i >= kRangeFirst ? TSTZRANGEOID : TIMESTAMPTZOID;
    objects->boundaries[i] = function_named(type.name, kSuffixes[i], {argument});
    if (!OidIsValid(objects->boundaries[i])) return false;
  }
  return true;
}

// T < timestamptz, timestamptz < T and so on; T <@ tstzrange and tstzrange @> T, with a domain in
// place of the range.
void find_predicates(CatalogObjects* objects) {
  const struct {
    const char* on_left;
    const char* on_right;
    int strategy;
    Oid time;
  } operators[] = {
      {"<", ">", BTLessStrategyNumber, TIMESTAMPTZOID},
      {"<=", ">=", BTLessEqualStrategyNumber, TIMESTAMPTZOID},
      {">=", "<=", BTGreaterEqualStrategyNumber, TIMESTAMPTZOID},
      {">", "<", BTGreaterStrategyNumber, TIMESTAMPTZOID},
      {"<@", "@>", InvalidStrategy, type_named("ids_tstzrange")},
  };
  Predicate* next = objects->predicates;
  for (const auto& op : operators) {
    *next++ = {function_of(op.on_left, objects->type, op.time), 0, op.strategy};
    *next++ = {function_of(op.on_right, op.time, objects->type), 1, op.strategy};
  }
}

}  // namespace

// All objects are looked up together, at first use and after a change in the catalogs. Until ALTER
// EXTENSION UPDATE, predicates of a newer version are missing.
const CatalogObjects* objects_of(const PlannedType& type) {
  CatalogObjects* objects = type.objects;
  if (changes == 0) {
    CacheRegisterSyscacheCallback(
        PROCOID, [](Datum, auto, uint32) { ++changes; }, static_cast<Datum>(0));
    changes = 1;
  }
  if (objects->as_of == changes) return objects;
  const std::uint64_t as_of = changes;
  const bool is_core_type = OidIsValid(type.core_type);
  objects->type = is_core_type ? type.core_type : type_named(type.name);
  if (!OidIsValid(objects->type) || !find_comparisons(is_core_type ? "uuid" : type.name, objects) ||
      !find_boundaries(type, objects))
    return nullptr;
  if (is_core_type)
    objects->predicates[0] = {function_named(type.name, "_within", {objects->type, TSTZRANGEOID}),
                              0, InvalidStrategy};
  else
    find_predicates(objects);
  objects->settled_support = get_func_support(function_named(type.name, "_settled", {}));
  objects->as_of = as_of;
  return objects;
}

Oid function_named(const char* prefix, const char* suffix, std::initializer_list<Oid> arguments) {
  return GetSysCacheOid3(
      PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(psprintf("%s%s", prefix, suffix)),
      PointerGetDatum(buildoidvector(arguments.begin(), static_cast<int>(arguments.size()))),
      ObjectIdGetDatum(PG_CATALOG_NAMESPACE));
}

int strategy_of(const CatalogObjects& objects, Oid comparison) {
  for (int strategy = 1; strategy <= BTMaxStrategyNumber; ++strategy)
    if (objects.comparisons[strategy] == comparison) return strategy;
  return InvalidStrategy;
}

}  // namespace ids
