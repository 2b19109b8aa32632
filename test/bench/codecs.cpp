// Text of 1024 identifiers, out and in, against copying as many bytes.
#define CATCH_CONFIG_MAIN  // for Catch2 2
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <array>
#include <cstring>
#include <random>
#include <string>

#include "scru160/scru160.hpp"
#include "snowflake/snowflake.hpp"
#include "tbsl/tbsl.hpp"
#include "ulid/ulid.hpp"

namespace {

constexpr std::size_t kCount = 1024;

template <ids::Codec C>
void measure() {
  std::mt19937_64 random(1);
  static std::array<typename C::Value, kCount> values;
  static std::array<std::array<char, C::kTextSize>, kCount> texts, copies;
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto range = static_cast<std::uint64_t>(C::kMaxTime - C::kMinTime) + 1;
    values[i] = C::first(C::kMinTime + static_cast<std::int64_t>(random() % range));
    values[i].back() = static_cast<std::uint8_t>(random());
    C::format(values[i], texts[i]);
  }
  const std::string name = C::kName;
  BENCHMARK(name + " copy") {
    for (std::size_t i = 0; i < kCount; ++i) {
      std::memcpy(copies[i].data(), texts[i].data(), C::kTextSize);
      asm volatile("" : : "r"(copies[i].data()) : "memory");
    }
    return copies[0][0];
  };
  BENCHMARK(name + " format") {
    for (std::size_t i = 0; i < kCount; ++i) {
      C::format(values[i], copies[i]);
      asm volatile("" : : "r"(copies[i].data()) : "memory");
    }
    return copies[0][0];
  };
  BENCHMARK(name + " parse") {
    std::size_t errors = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      typename C::Value value;
      const auto result = C::parse(std::string_view(texts[i].data(), C::kTextSize), value);
      errors += result.error != ids::ParseError::none;
      asm volatile("" : : "r"(value.data()) : "memory");
    }
    return errors;
  };
}

}  // namespace

TEMPLATE_TEST_CASE("text of 1024 identifiers", "", ids::Ulid, ids::Scru160, ids::Tbsl,
                   ids::Snowflake) {
  measure<TestType>();
}
