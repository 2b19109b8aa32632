#include "generator/generator.hpp"

namespace ids {

bool wait_for_clock(std::int64_t unix_us) {
  const std::int64_t lead_us = unix_us - unix_now<1>();
  if (lead_us >= kRollbackUs) return false;
  CHECK_FOR_INTERRUPTS();
  // The sleep is short, because a signal that arrives just before it does not end it.
  if (lead_us > 0) pg_usleep(Min(lead_us, 10'000));
  return true;
}

std::uint64_t keyed_hash(std::uint64_t value) {
  const auto& secret = shared_state()->header.secret;
  return hash_bytes_extended(secret, sizeof secret, value);
}

void clock_out_of_range(const char* generator) {
  ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                  errmsg("the server's clock is out of range for generator \"%s\"", generator),
                  errhint("If the clock was wrong and is now right, call "
                          "pg_catalog.ids_reset_clock() to make the generators follow it again.")));
}

}  // namespace ids
