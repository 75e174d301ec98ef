// Memory for kernels' threads that run on the CPU: it notes every access outside of the tensors, and every
// output that is written more than once.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace kadvise::test {

struct HostAccess {
  const float *input, *inputEnd;
  float *output, *outputEnd;
  std::vector<int> writes;
  int outside = 0, misaligned = 0;

  HostAccess(const at::Tensor& x, at::Tensor& y)
      : input(x.const_data_ptr<float>()),
        inputEnd(input + x.numel()),
        output(y.mutable_data_ptr<float>()),
        outputEnd(output + y.numel()),
        writes(static_cast<std::size_t>(y.numel()), 0) {}

  bool isGood() const {
    return outside == 0 && misaligned == 0 &&
           std::all_of(writes.begin(), writes.end(), [](int n) { return n == 1; });
  }
};

struct HostMemory {
  using Element = float;
  template <int N>
  struct Raw {
    float element[N];
  };
  HostAccess* access;

  template <int N>
  static bool isPieceAt(const float* p) {
    return reinterpret_cast<std::uintptr_t>(p) % (N * sizeof(float) < 16 ? N * sizeof(float) : 16) == 0;
  }
  template <int N>
  Raw<N> loadIf(const float* p, bool when) const {
    Raw<N> raw{};
    if (!when) return raw;
    access->misaligned += isPieceAt<N>(p) ? 0 : 1;
    const bool within = p >= access->input && p + N <= access->inputEnd;
    access->outside += within ? 0 : 1;
    if (within) std::copy(p, p + N, raw.element);
    return raw;
  }
  template <int N>
  Raw<N> loadOr(const float* p, bool when, float otherwise) const {
    return when ? loadIf<N>(p, when) : filled<N>(otherwise);
  }
  template <int N>
  Raw<N> filled(float v) const {
    Raw<N> raw;
    std::fill(raw.element, raw.element + N, v);
    return raw;
  }
  template <int N, int kPart>
  Raw<N> joined(const Raw<kPart> (&part)[N / kPart]) const {
    Raw<N> raw;
    for (int j = 0; j < N; ++j) raw.element[j] = part[j / kPart].element[j % kPart];
    return raw;
  }
  template <int N, int kFirst, int kStride, int kBody>
  Raw<N> every(const Raw<1>& left, const Raw<kBody>& body, const Raw<1>& right) const {
    Raw<N> raw;
    for (int j = 0; j < N; ++j) {
      const int column = kFirst + j * kStride;
      raw.element[j] = column < 0       ? left.element[0]
                       : column < kBody ? body.element[column]
                                        : right.element[0];
    }
    return raw;
  }
  float larger(float a, float b) const { return a != a || a > b ? a : b; }
  template <int N>
  Raw<N> larger(const Raw<N>& a, const Raw<N>& b) const {
    Raw<N> raw;
    for (int j = 0; j < N; ++j) raw.element[j] = larger(a.element[j], b.element[j]);
    return raw;
  }
  template <int N>
  void widen(const Raw<N>& raw, float (&v)[N]) const {
    std::copy(raw.element, raw.element + N, v);
  }
  template <int N>
  void store(float* p, const float (&v)[N]) const {
    access->misaligned += isPieceAt<N>(p) ? 0 : 1;
    const bool within = p >= access->output && p + N <= access->outputEnd;
    access->outside += within ? 0 : 1;
    if (!within) return;
    std::copy(v, v + N, p);
    for (int j = 0; j < N; ++j) ++access->writes[static_cast<std::size_t>(p - access->output + j)];
  }
  template <int N>
  void storePiece(float* p, const Raw<N>& raw) const {
    store(p, raw.element);
  }
  template <int N>
  Raw<1> elementOf(const Raw<N>& raw, int i) const {
    return {{raw.element[i]}};
  }
  template <int N>
  bool rowIsWhole(const float* p, std::int64_t columns, std::int64_t step) const {
    return step == 1 && columns >= N && isPieceAt<N>(p);
  }
};

}  // namespace kadvise::test
