// Which of a grouped convolution's plans is the fastest.
#pragma once

#include "kernels/grouped_conv/plan.h"

#include <cmath>
#include <optional>

namespace kadvise {

// Cycles of an H200 for the whole. A block waits for memory, for what it stages and for its own products;
// those that run beside each other share the schedulers, shared memory and the way to L2. The numbers are
// fitted to 5500 timings of 40 convolutions (tests/bench/results/grouped_conv.h200.txt): what they choose is
// within 2 % of the fastest of a convolution's plans, in the mean.
inline double cyclesOf(const GroupedConvArgs& a, const GroupedPlan& p, const GroupedRectangle& r,
                       const GroupedStaging& s, int sms, std::int64_t mostShared) {
  const double taps = static_cast<double>(a.kernelRows) * a.kernelColumns;
  const std::int32_t warps = warpsOf(p, r.pixelGroups);
  const auto items =
      static_cast<double>(ceilDiv(p.units * (p.blockTiles / p.warpTiles), warps / r.pixelGroups));
  const double products = r.warpPixels * p.warpTiles, steps = taps * ((p.chunks + 1) / 2);
  const double staged = static_cast<double>(s.rows * s.columns) * p.units * p.chunks;  // chunks
  const double stored =
      static_cast<double>(r.rows * r.columns) * p.blockResults * bytesOf(a.dtype) / kGroupedChunk;
  const double weights = static_cast<double>(p.weightsShared) / kGroupedChunk;

  const double instructions =
      steps * (r.warpPixels + 2.0 * p.warpTiles + 3.4 * products + 4.6) + 65 * products;
  const double issued = warps * items * instructions + (staged * 31 + stored * 22) / 32 + warps * 137;
  constexpr double kIssuedOfCycle = 6.2, kBytesOfCycle = 19;
  const double shared = std::max({issued / kIssuedOfCycle, (staged + stored) * kGroupedChunk / kBytesOfCycle,
                                  warps * items * steps * (r.warpPixels * 3.7 + p.warpTiles * 1.9)});
  const double waits = 1960 + items * (steps * std::max(28.0, 11.6 * products) + 850) +
                       (staged * 119 + stored * 11) / 32 / warps;

  const auto rectangles = a.images * ceilDiv(a.resultRows, r.rows) * ceilDiv(a.resultColumns, r.columns);
  const std::int64_t places =
      std::max<std::int64_t>(1, sms * blocksAtOnce(sharedBytes(p, s), warps, mostShared) / p.slices);
  const std::int64_t rounds = ceilDiv(rectangles, places);
  const auto atOnce = static_cast<double>(ceilDiv(ceilDiv(rectangles, rounds) * p.slices, sms));
  const double round = std::max(waits, atOnce * shared) + 0.92 * std::min(waits, atOnce * shared);
  return atOnce * weights * 47 / 32 / kIssuedOfCycle + weights * 99 / 32 / warps +
         static_cast<double>(rounds) * round;
}

// The fastest of some; nothing where none fits. Columns are all of an image's, or equal parts of them.
inline std::optional<GroupedRectangle> rectangleOf(const GroupedConvArgs& a, const GroupedPlan& p, int sms,
                                                   std::int64_t mostShared, double& bestCycles) {
  std::optional<GroupedRectangle> best;
  for (const std::int32_t warpPixels : {2, 4}) {
    for (const std::int32_t pixelGroups : {1, 2, 4, 8}) {
      const std::int64_t pixels = std::int64_t{warpPixels} * pixelGroups * kGroupedPixels;
      for (const std::int64_t across : {1, 2, 3, 4, 6, 8}) {
        const std::int64_t columns = std::min(ceilDiv(a.resultColumns, across), pixels);
        const GroupedRectangle r{std::min(a.resultRows, pixels / columns), columns, warpPixels, pixelGroups};
        const GroupedStaging s = stagingOf(a, p, r);
        if (sharedBytes(p, s) > mostShared) continue;
        if (r.rows * a.resultColumns * a.results > INT32_MAX) continue;  // offsets inside it
        const double cycles = cyclesOf(a, p, r, s, sms, mostShared);
        if (cycles < bestCycles) best = r, bestCycles = cycles;
      }
    }
  }
  return best;
}

// What sizes decide: the units of a plan, and its rectangle.
struct GroupedForm {
  GroupedPlan units;
  GroupedRectangle rectangle;
};

// Nothing where the kernels do not serve it. `mostShared`: bytes that a block may have.
inline std::optional<GroupedForm> groupedForm(const GroupedConvArgs& a, int sms, std::int64_t mostShared) {
  const std::int64_t taps = std::int64_t{a.kernelRows} * a.kernelColumns;
  const std::int64_t weights = a.results * taps * (a.channels / a.groups);
  const std::int64_t most = std::max({weights, a.channels, a.results, a.rows, a.columns, a.steps.column,
                                      (a.columns - 1) * a.steps.column + a.channels});
  if (most > INT32_MAX / 4) return std::nullopt;
  std::optional<GroupedForm> form;
  double cycles = HUGE_VAL;
  for (const std::int64_t warpTiles : {1, 2, 3, 4}) {
    GroupedPlan units{};
    if (!planUnits(a, mostShared * 3 / 4, warpTiles, units)) continue;
    if (const auto found = rectangleOf(a, units, sms, mostShared, cycles)) form = {units, *found};
  }
  return form;
}

// Nothing where there are more blocks than are counted.
inline std::optional<GroupedPlan> groupedPlan(const GroupedConvArgs& a, const GroupedForm& form, int sms,
                                              std::int64_t mostShared) {
  GroupedPlan p = form.units;
  if (!finishPlan(a, form.rectangle, sms, mostShared, p)) return std::nullopt;
  return p;
}
inline std::optional<GroupedPlan> groupedPlan(const GroupedConvArgs& a, int sms, std::int64_t mostShared) {
  const auto form = groupedForm(a, sms, mostShared);
  return form ? groupedPlan(a, *form, sms, mostShared) : std::nullopt;
}

}  // namespace kadvise
