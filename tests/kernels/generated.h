// Cases drawn at random from small sets, which hold the edges of what kernels tell apart; the same in each
// run.
#pragma once

#include "tests/kernels/on_device.h"

#include <random>

namespace kadvise::test {

inline constexpr int kGeneratedCases = 240;

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}

  template <class T>
  T of(std::initializer_list<T> choices) {
    return choices.begin()[engine_() % choices.size()];
  }
  bool coin() { return engine_() % 2 == 0; }
  at::ScalarType dtype() { return of({at::kFloat, at::kHalf, at::kBFloat16}); }

  // The values of `dense`, [batch, channel, time], with times or channels dense, gaps between the rows, and a
  // beginning that 16 bytes may not divide.
  Tensor sequence(const Tensor& dense) {
    const bool timesDense = coin();
    const std::int64_t offset = of<std::int64_t>({0, 0, 0, 1, 3}), gap = of<std::int64_t>({0, 0, 3, 8});
    const Tensor rows = timesDense ? dense : dense.transpose(1, 2);
    const std::int64_t b = rows.size(0), n = rows.size(1), length = rows.size(2);
    Tensor buffer = at::empty({offset + b * n * (length + gap)}, dense.options());
    Tensor view = buffer.slice(0, offset).view({b, n, length + gap}).slice(2, 0, length);
    view.copy_(rows);
    return timesDense ? view : view.transpose(1, 2);
  }

 private:
  std::mt19937 engine_;
};

}  // namespace kadvise::test
