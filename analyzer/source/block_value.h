// What each thread of a simulated block holds: a number, a place in memory, or something that stands for
// what nobody knows. Two unknown values with one number are the same value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzer/source/unit.h"

namespace kadvise::source {

struct BlockValue {
  enum class Kind : std::uint8_t {
    Known,
    Loaded,  // from memory, or made of that and of what all threads share: it may be anything
    Murky    // made of things that bind it in unknown ways
  };
  Kind kind = Kind::Murky;
  bool isMadeUp = false;    // depends on a size that is not in the source
  std::int64_t number = 0;  // itself, the bytes behind base, or what stands for an unknown value
  const clang::ValueDecl* base = nullptr;  // of a pointer: what it points into
  std::uint32_t sizes = 0;                 // made-up ones that it depends on: a bit for each
  bool mayBeEqual = false;                 // other threads may have the same, whatever number stands for it
};

using Lanes = std::vector<BlockValue>;  // one of each thread

// Whether a thread runs a statement; Loose: it does in some runs, by what it loaded.
enum class Runs : std::uint8_t { No, Yes, Loose };
using Mask = std::vector<Runs>;

inline bool runsAny(const Mask& m) {
  return std::any_of(m.begin(), m.end(), [](auto r) { return r != Runs::No; });
}

// Of the two ways of a choice: some threads may go either.
inline bool isOpen(const Mask& yes, const Mask& no) {
  for (std::size_t i = 0; i < yes.size(); ++i)
    if (yes[i] == Runs::Loose && no[i] == Runs::Loose) return true;
  return false;
}

inline std::int64_t mixed(std::int64_t a, std::int64_t b) {
  auto x = static_cast<std::uint64_t>(a) * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(b);
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9u;
  return static_cast<std::int64_t>(x ^ (x >> 32));
}

}  // namespace kadvise::source
