// What a block of a grouped convolution brings into shared memory, its weights and the pixels below its
// results, and the results that it takes out.
#pragma once

#include "kernels/common/matrix.cuh"
#include "kernels/grouped_conv/plan.h"

namespace kadvise {

// What a block is at: its units and tiles, and a rectangle of results.
struct GroupedPlace {
  std::int64_t image, row, column;  // of the first result
  std::int32_t unit, tile;

  __device__ __forceinline__ std::int32_t firstResult(const GroupedPlan& p) const {
    return unit * p.results + tile * kGroupedTile;
  }
};

__device__ __forceinline__ GroupedPlace groupedPlace(const GroupedPlan& p, std::uint32_t rectangle,
                                                     std::uint32_t slice) {
  const std::uint32_t rows = p.byAcross.quotient(rectangle), image = p.byDown.quotient(rows);
  const std::uint32_t units = p.byParts.quotient(slice);
  return {image, static_cast<std::int64_t>(rows - image * p.down) * p.rows,
          static_cast<std::int64_t>(rectangle - rows * p.across) * p.columns,
          static_cast<std::int32_t>(units) * p.units,
          static_cast<std::int32_t>(slice - units * p.parts) * p.blockTiles};
}

__device__ __forceinline__ std::int32_t tapsOf(const GroupedConvArgs& a) {
  return a.kernelRows * a.kernelColumns;
}

__device__ __forceinline__ void clearShared(char* from, std::int32_t bytes) {
  for (std::int32_t i = static_cast<std::int32_t>(threadIdx.x) * 16; i < bytes;
       i += static_cast<std::int32_t>(blockDim.x) * 16)
    *reinterpret_cast<uint4*>(from + i) = uint4{0, 0, 0, 0};
}

// Results of the block that there are.
__device__ __forceinline__ std::int32_t resultsHere(const GroupedConvArgs& a, const GroupedPlan& p,
                                                    const GroupedPlace& at) {
  const std::int32_t ofUnit = p.parts == 1 ? p.blockResults : p.results - at.tile * kGroupedTile;
  const std::int32_t ofAll = static_cast<std::int32_t>(a.results) - at.firstResult(p);
  const std::int32_t most = ofUnit < ofAll ? ofUnit : ofAll;
  return most < p.blockResults ? most : p.blockResults;
}

// A row for each result: [tap][input of the unit], as in memory but for the zeros of other groups.
template <class T>
__device__ __forceinline__ void stageWeights(const GroupedConvArgs& a, const GroupedPlan& p,
                                             const GroupedPlace& at, char* staged) {
  const auto perResult = static_cast<std::uint32_t>(p.weightCopies);
  const std::uint32_t copies = resultsHere(a, p, at) * perResult;
  const std::uint32_t padding =
      p.blockTiles * kGroupedTile - p.unitResults;  // rows of a unit without a result
  const T* const from = static_cast<const T*>(a.weight) +
                        at.firstResult(p) * static_cast<std::int64_t>(tapsOf(a)) * p.groupInputs;
  withBytes(p.weightBytes, [&]<int kBytes>() {
    for (std::uint32_t i = threadIdx.x; i < copies; i += blockDim.x) {
      const std::uint32_t result = p.byWeightCopies.quotient(i), unit = p.byUnitResults.quotient(result);
      std::uint32_t place = (i - result * perResult) * kBytes;
      if (p.hasGaps != 0) {
        const std::uint32_t copy = i - result * perResult, tap = p.byTapCopies.quotient(copy);
        const std::uint32_t inUnit = result - unit * p.unitResults + at.tile * kGroupedTile;
        place = tap * p.chunks * kGroupedChunk + (copy - tap * p.tapCopies) * kBytes +
                p.byGroupResults.quotient(inUnit) * p.groupInputs * static_cast<std::uint32_t>(sizeof(T));
      }
      copyBytesAsync<kBytes>(staged + (result + unit * padding) * p.weightPitch + place,
                             reinterpret_cast<const char*>(from) + i * kBytes, true);
    }
  });
}

template <class T>
__device__ __forceinline__ void stageBias(const GroupedConvArgs& a, const GroupedPlan& p,
                                          const GroupedPlace& at, float* staged) {
  const std::uint32_t results = resultsHere(a, p, at), padding = p.blockTiles * kGroupedTile - p.unitResults;
  const T* const from = static_cast<const T*>(a.bias) + at.firstResult(p);
  for (std::uint32_t i = threadIdx.x; i < results; i += blockDim.x)
    staged[i + p.byUnitResults.quotient(i) * padding] = a.bias == nullptr ? 0.0f : toFloat(from[i]);
}

// The pixels below a rectangle, a row a warp; zeros beside the image.
template <class T>
__device__ __forceinline__ void stageImage(const GroupedConvArgs& a, const GroupedPlan& p,
                                           const GroupedPlace& at, char* staged) {
  const auto perPixel = static_cast<std::uint32_t>(p.pixelCopies);
  const std::uint32_t copies = p.stagedColumns * perPixel;
  const std::int32_t rowBytes = p.phase * a.strideColumns * p.pixelPitch;
  const auto left = static_cast<std::int32_t>(at.column * a.strideColumns - a.padColumns);
  const auto top = static_cast<std::int32_t>(at.row * a.strideRows - a.padRows);
  const auto columns = static_cast<std::uint32_t>(a.columns);
  const auto step = static_cast<std::int32_t>(a.steps.column * static_cast<std::int64_t>(sizeof(T)));
  const std::int32_t firstChannel = at.unit * p.inputs;
  const std::uint32_t bytes =
      (static_cast<std::int32_t>(a.channels) - firstChannel) * static_cast<std::int32_t>(sizeof(T));
  const char* const image =
      reinterpret_cast<const char*>(static_cast<const T*>(a.x) + at.image * a.steps.image + firstChannel);
  const bool isDense = p.inputs % kLanes<T> == 0;
  withBytes(p.imageBytes, [&]<int kBytes>() {
    for (std::int32_t row = static_cast<std::int32_t>(threadIdx.x) / 32; row < p.stagedRows; row += p.warps) {
      const std::int32_t y = top + row;
      const bool isRow = y >= 0 && y < a.rows;
      const char* const from = image + (isRow ? y * a.steps.row * static_cast<std::int64_t>(sizeof(T)) : 0);
      char* const to = staged + row * rowBytes;
      for (std::uint32_t i = threadIdx.x % 32; i < copies; i += 32) {
        const std::uint32_t column = p.byPixelCopies.quotient(i), copy = i - column * perPixel;
        std::uint32_t place = copy * kBytes;
        if (!isDense) {
          const std::uint32_t unit = p.byUnitCopies.quotient(copy);
          place = unit * p.chunks * kGroupedChunk + (copy - unit * p.unitCopies) * kBytes;
        }
        std::uint32_t position = column;
        if (a.strideColumns != 1) {
          const std::uint32_t across = p.byStride.quotient(column);
          position = (column - across * a.strideColumns) * p.phase + across;
        }
        const std::int32_t x = left + static_cast<std::int32_t>(column);
        const bool isThere = isRow && static_cast<std::uint32_t>(x) < columns && copy * kBytes < bytes;
        copyBytesAsync<kBytes>(to + position * p.pixelPitch + place,
                               from + (isThere ? static_cast<std::int64_t>(x) * step + copy * kBytes : 0),
                               isThere);
      }
    }
  });
}

// Results of a rectangle to where they belong.
template <class T>
__device__ __forceinline__ void storeResults(const GroupedConvArgs& a, const GroupedPlan& p,
                                             const GroupedPlace& at, const char* staged) {
  const auto perPixel = static_cast<std::uint32_t>(p.resultCopies);
  const auto rowsLeft = static_cast<std::int32_t>(a.resultRows - at.row);
  const auto columnsLeft = static_cast<std::int32_t>(a.resultColumns - at.column);
  const std::int32_t bytes = resultsHere(a, p, at) * static_cast<std::int32_t>(sizeof(T));
  const auto rowStep = static_cast<std::int32_t>(a.resultColumns * a.results),
             step = static_cast<std::int32_t>(a.results);
  T* const rectangle = static_cast<T*>(a.result) + at.firstResult(p) +
                       ((at.image * a.resultRows + at.row) * a.resultColumns + at.column) * a.results;
  const std::uint32_t copies = p.rows * p.columns * perPixel;
  withBytes(p.resultBytes, [&]<int kBytes>() {
    using Word = WordOf<kBytes>;
    for (std::uint32_t i = threadIdx.x; i < copies; i += blockDim.x) {
      const std::uint32_t pixel = p.byResultCopies.quotient(i), row = p.byColumns.quotient(pixel);
      const std::int32_t place = (i - pixel * perPixel) * kBytes, column = pixel - row * p.columns;
      if (static_cast<std::int32_t>(row) >= rowsLeft || column >= columnsLeft || place >= bytes) continue;
      char* const to =
          reinterpret_cast<char*>(rectangle + (static_cast<std::int32_t>(row) * rowStep + column * step));
      *reinterpret_cast<Word*>(to + place) =
          *reinterpret_cast<const Word*>(staged + pixel * p.resultPitch + place);
    }
  });
}

}  // namespace kadvise
