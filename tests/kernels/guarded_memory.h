// Tensors of an emulated GPU.
#pragma once

#include "kernels/common/vector.cuh"

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

namespace kadvise::test {

// Elements of a tensor with others around them that nobody may touch. `offset` of them lie between a multiple
// of 16 bytes and the first.
template <class T>
struct Guarded {
  static constexpr std::int64_t kGuard = 64;
  std::int64_t size, offset;
  std::vector<uint4> memory;

  Guarded(std::int64_t n, std::int64_t begin)
      : size(n),
        offset(begin),
        memory(static_cast<std::size_t>((n + 2 * kGuard + begin) / (16 / sizeof(T)) + 1)) {
    for (std::int64_t i = -kGuard; i < size + kGuard; ++i) data()[i] = fromFloat<T>(std::nanf(""));
  }
  T* data() { return reinterpret_cast<T*>(memory.data()) + kGuard + offset; }
  bool isUntouchedAround() {
    for (std::int64_t i = 1; i <= kGuard; ++i) {
      if (!std::isnan(toFloat(data()[-i])) || !std::isnan(toFloat(data()[size + i - 1]))) return false;
    }
    return true;
  }
};

template <class T>
void fill(T* to, const at::Tensor& from) {
  const at::Tensor values = from.contiguous();
  for (std::int64_t i = 0; i < values.numel(); ++i) to[i] = fromFloat<T>(values.const_data_ptr<float>()[i]);
}

}  // namespace kadvise::test
