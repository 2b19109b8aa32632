#include "core/bytes.hpp"

#include <cstring>

#include "catch.hpp"

using namespace ids;

namespace {

constexpr std::uint8_t kBytes[] = {0xff, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};

template <class T>
void check_word(T expected_at_1) {
  T compiled = expected_at_1;
  CHECK(load_big_endian<T>(kBytes + 1) == compiled);
  std::uint8_t stored[sizeof(T) + 2] = {};
  store_big_endian(stored + 1, expected_at_1);
  CHECK(stored[0] == 0);
  CHECK(std::memcmp(stored + 1, kBytes + 1, sizeof(T)) == 0);
  CHECK(stored[sizeof(T) + 1] == 0);
}

}  // namespace

TEST_CASE("words are stored most significant byte first") {
  static_assert(load_big_endian<std::uint8_t>(kBytes + 1) == 0x01);
  static_assert(load_big_endian<std::uint16_t>(kBytes + 1) == 0x0123);
  static_assert(load_big_endian<std::uint32_t>(kBytes + 1) == 0x01234567);
  static_assert(load_big_endian<std::uint64_t>(kBytes + 1) == 0x0123456789abcdef);
  static_assert([] {
    std::uint8_t stored[8]{};
    store_big_endian(stored, std::uint64_t{0x0123456789abcdef});
    return stored[0] == 0x01 && stored[7] == 0xef;
  }());
  static_assert(swap_bytes(std::uint8_t{0x01}) == 0x01);
  static_assert(swap_bytes(std::uint16_t{0x0123}) == 0x2301);
  static_assert(swap_bytes(std::uint32_t{0x01234567}) == 0x67452301);
  static_assert(swap_bytes(std::uint64_t{0x0123456789abcdef}) == 0xefcdab8967452301);
  check_word<std::uint8_t>(0x01);
  check_word<std::uint16_t>(0x0123);
  check_word<std::uint32_t>(0x01234567);
  check_word<std::uint64_t>(0x0123456789abcdef);
}

TEST_CASE("bytes compare as by memcmp whichever byte differs") {
  std::uint8_t a[20], b[20];
  for (std::size_t decisive = 0; decisive < 20; ++decisive) {
    for (std::size_t i = 0; i < 20; ++i) {
      a[i] = i < decisive ? 0x80 : 0xff;
      b[i] = i < decisive ? 0x80 : 0x00;
    }
    a[decisive] = 0x7f;
    b[decisive] = 0x80;
    CAPTURE(decisive);
    CHECK(compare_bytes<20>(a, b) < 0);
    CHECK(compare_bytes<20>(b, a) > 0);
    CHECK((compare_bytes<16>(a, b) < 0) == (decisive < 16));
    CHECK((compare_bytes<10>(a, b) < 0) == (decisive < 10));
    CHECK((compare_bytes<7>(a, b) < 0) == (decisive < 7));
  }
  CHECK(compare_bytes<20>(a, a) == 0);
}

TEST_CASE("the distance of bytes is the distance of the first words that differ") {
  const auto distance = []<std::size_t N>(Bytes<N> a, Bytes<N> b) {
    return distance_of_bytes<N>(a.data(), b.data());
  };
  CHECK(distance(Bytes<8>{}, Bytes<8>{1}) == 0x1p56);
  CHECK(distance(Bytes<8>{0, 0, 0, 0, 0, 0, 0, 7}, Bytes<8>{0, 0, 0, 0, 0, 0, 1, 0}) == 249);
  CHECK(distance(Bytes<20>{0, 0, 0, 0, 0, 0, 0, 0, 255}, Bytes<20>{0, 0, 0, 0, 0, 0, 0, 1}) == 1);
  CHECK(distance(Bytes<10>{1}, Bytes<10>{1, 0, 0, 0, 0, 0, 0, 0, 1, 2}) == 258 * 0x1p-64);
  Bytes<20> a{1}, b{1};
  b[19] = 2;
  CHECK(distance(a, b) == 0x1p-127);
  CHECK(distance(a, a) == 0);
}

TEST_CASE("bytes count up and down as a number that wraps around") {
  for (unsigned n = 0; n <= UINT16_MAX; ++n) {
    const auto less = bytes_of_number<16>(n), more = bytes_of_number<16>(n + 1);
    REQUIRE(increment_bytes(less) == more);
    REQUIRE(decrement_bytes(more) == less);
  }
  constexpr Bytes<2> kLast{0xff, 0xff};
  CHECK(increment_bytes(kLast) == Bytes<2>{});
  CHECK(decrement_bytes(Bytes<2>{}) == kLast);
}
