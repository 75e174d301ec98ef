// rope on a GPU. A thread turns two chunks that belong together (halves of a row), or one that holds its
// pairs (neighbours), or copies one past the rotary elements: every element of x is read once. Rows of one
// position lie next to each other in most models ([batch, position, head, element]), so that cos and sin come
// from L1.
#include "kernels/common/access.h"
#include "kernels/common/divider.h"
#include "kernels/common/dtypes.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/vector.cuh"
#include "kernels/kernels.h"
#include "kernels/rope/launch.h"

namespace kadvise {
namespace {

constexpr int kBlock = 128;

// What a thread does is an item; the items of a row are numbered, those that turn first.
struct ItemGrid {
  std::int64_t items;
  std::int64_t turning;  // items of a row
  Divider perRow;
  Divider size[RopeArgs::kDims - 1];  // the last dimension takes what is left
};

template <class T>
struct RopeRow {
  const T* x;
  const T* cosine;
  const T* sine;
  T* result;

  __device__ __forceinline__ RopeRow(const RopeArgs& a, const ItemGrid& grid, std::int64_t row)
      : x(static_cast<const T*>(a.x)),
        cosine(static_cast<const T*>(a.cosine)),
        sine(static_cast<const T*>(a.sine)),
        result(static_cast<T*>(a.result)) {
#pragma unroll
    for (int d = 0; d < RopeArgs::kDims; ++d) {
      std::int64_t at = row;
      if (d < RopeArgs::kDims - 1) {
        row = grid.size[d].quotient(row);
        at -= row * grid.size[d].divisor;
      }
      x += at * a.dims[d].x;
      cosine += at * a.dims[d].cosine;
      sine += at * a.dims[d].sine;
      result += at * a.dims[d].result;
    }
  }
};

// Two chunks whose elements turn together.
template <class T, int V>
__device__ __forceinline__ void turnTwo(const RopeRow<T>& row, std::int64_t first, std::int64_t second) {
  const Chunk<T, V> chunks[6] = {loadOnce<T, V>(row.x + first),        loadOnce<T, V>(row.x + second),
                                 loadReused<T, V>(row.cosine + first), loadReused<T, V>(row.cosine + second),
                                 loadReused<T, V>(row.sine + first),   loadReused<T, V>(row.sine + second)};
  float x[2][V], cosine[2][V], sine[2][V], y[2][V];
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    unpack(chunks[h], x[h]);
    unpack(chunks[2 + h], cosine[h]);
    unpack(chunks[4 + h], sine[h]);
  }
#pragma unroll
  for (int j = 0; j < V; ++j) {
    y[0][j] = fmaf(x[0][j], cosine[0][j], -x[1][j] * sine[0][j]);
    y[1][j] = fmaf(x[1][j], cosine[1][j], x[0][j] * sine[1][j]);
  }
  storeWhole(row.result + first, pack<T, V>(y[0]));
  storeWhole(row.result + second, pack<T, V>(y[1]));
}

// One chunk of neighbours.
template <class T, int V>
__device__ __forceinline__ void turnNeighbours(const RopeRow<T>& row, std::int64_t first) {
  float x[V], cosine[V], sine[V], y[V];
  unpack(loadOnce<T, V>(row.x + first), x);
  unpack(loadReused<T, V>(row.cosine + first), cosine);
  unpack(loadReused<T, V>(row.sine + first), sine);
#pragma unroll
  for (int j = 0; j < V; j += 2) {
    y[j] = fmaf(x[j], cosine[j], -x[j + 1] * sine[j]);
    y[j + 1] = fmaf(x[j + 1], cosine[j + 1], x[j] * sine[j + 1]);
  }
  storeWhole(row.result + first, pack<T, V>(y));
}

template <class T, int V, RopePairs kPairs>
__global__ void __launch_bounds__(kBlock)
    turn(const __grid_constant__ RopeArgs a, const __grid_constant__ ItemGrid grid) {
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (index >= grid.items) return;
  const std::int64_t rowIndex = grid.perRow.quotient(index);
  const std::int64_t item = index - rowIndex * grid.perRow.divisor;
  const RopeRow<T> row(a, grid, rowIndex);
  if (item >= grid.turning) {
    const std::int64_t column = a.rotary + (item - grid.turning) * V;
    storeWhole(row.result + column, loadOnce<T, V>(row.x + column));
  } else if constexpr (kPairs == RopePairs::Halves) {
    turnTwo<T, V>(row, item * V, item * V + a.rotary / 2);
  } else if constexpr (V == 1) {
    turnTwo<T, 1>(row, 2 * item, 2 * item + 1);
  } else {
    turnNeighbours<T, V>(row, item * V);
  }
}

// Whether chunks of 16 bytes serve: every row begins at one, and so do its second half and its copied rest.
bool isAligned(const RopeArgs& a) {
  const int lanes = 16 / bytesOf(a.dtype);
  const std::int64_t turned = a.pairs == RopePairs::Halves ? a.rotary / 2 : a.rotary;
  if (turned % lanes != 0 || a.length % lanes != 0) return false;
  for (const RopeDim& dim : a.dims) {
    if ((dim.x | dim.cosine | dim.sine | dim.result) % lanes != 0) return false;
  }
  return at16Bytes(a.x) && at16Bytes(a.cosine) && at16Bytes(a.sine) && at16Bytes(a.result);
}

template <class T, int V, RopePairs kPairs>
cudaError_t launchTurn(const RopeArgs& a, cudaStream_t stream) {
  constexpr int kTurnedByOne = kPairs == RopePairs::Halves || V == 1 ? 2 * V : V;
  const std::int64_t turning = a.rotary / kTurnedByOne;
  const std::int64_t perRow = turning + (a.length - a.rotary) / V;
  std::int64_t rows = 1;
  for (const RopeDim& dim : a.dims) rows *= dim.size;
  const ItemGrid grid{rows * perRow,
                      turning,
                      Divider(perRow),
                      {Divider(a.dims[0].size), Divider(a.dims[1].size), Divider(a.dims[2].size)}};
  const std::int64_t blocks = (grid.items + kBlock - 1) / kBlock;
  if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;  // 2^38 elements
  return launchKernel(turn<T, V, kPairs>, blocks, kBlock, 0, stream, a, grid);
}

template <class T, RopePairs kPairs>
cudaError_t launchPairs(const RopeArgs& a, cudaStream_t stream) {
  return isAligned(a) ? launchTurn<T, kLanes<T>, kPairs>(a, stream) : launchTurn<T, 1, kPairs>(a, stream);
}

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_rope(const kadvise::RopeArgs* args, void* stream) {
  using kadvise::RopePairs;
  const auto error = kadvise::withElementType(args->dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    const auto on = static_cast<cudaStream_t>(stream);
    return args->pairs == RopePairs::Halves ? kadvise::launchPairs<T, RopePairs::Halves>(*args, on)
                                            : kadvise::launchPairs<T, RopePairs::Neighbours>(*args, on);
  });
  return kadvise::sentenceOf(error, "kadvise::rope: starting its kernel");
}
