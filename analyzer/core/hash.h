// A stable 64-bit hash (FNV-1a) for identities that go into reports.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace kadvise {

inline std::string stableHash(std::string_view text) {
  std::uint64_t h = 14695981039346656037ull;
  for (unsigned char c : text) h = (h ^ c) * 1099511628211ull;
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(h));
  return hex;
}

}  // namespace kadvise
