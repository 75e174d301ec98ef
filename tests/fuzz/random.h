// Random choices that are the same on every machine for the same seed.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace kadvise::fuzz {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t limit) {
    return limit == 0 ? 0 : static_cast<std::size_t>(engine_() % limit);
  }
  bool oneIn(std::size_t n) { return below(n) == 0; }
  template <class T>
  const T& of(const std::vector<T>& items) {
    return items[below(items.size())];
  }
  template <class T, std::size_t N>
  const T& of(const T (&items)[N]) {
    return items[below(N)];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace kadvise::fuzz
