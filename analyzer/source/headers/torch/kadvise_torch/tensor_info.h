// Strided tensors as kernels are handed them, and sizes of grids.
#pragma once
#include <kadvise_torch.h>
#define MAX_TENSORINFO_DIMS 25
namespace at {
template <class T> KA_THD T ceil_div(T a, T b) { return (a + b - 1) / b; } template <class T> KA_THD T round_up(T a, T b) { return ceil_div(a, b) * b; }
namespace cuda { template <class T> KA_THD T ATenCeilDiv(T a, T b) { return (a + b - 1) / b; }
namespace detail {
template <class T, class I> struct TensorInfo { TensorInfo(); TensorInfo(T *, int, I[MAX_TENSORINFO_DIMS], I[MAX_TENSORINFO_DIMS]);
  void reduceDim(int); int collapseDims(int = -1); KA_THD bool isContiguous() const;
  T *data; I sizes[MAX_TENSORINFO_DIMS], strides[MAX_TENSORINFO_DIMS]; int dims; };
template <class T, class I, int D> struct IndexToOffset { static KA_THD I get(I, const TensorInfo<T, I> &); };
bool maybeOverlappingIndices(const TensorBase &); template <class T, class I> TensorInfo<T, I> getTensorInfo(const TensorBase &);
} } }
