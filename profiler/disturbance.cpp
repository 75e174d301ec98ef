#include "profiler/disturbance.h"

#include <cmath>

#include "profiler/statistics.h"

namespace kadvise {
namespace {

constexpr double kClockTolerance = 0.05;

using Side = BlockReadings UnitReadings::*;
constexpr Side kSides[] = {&UnitReadings::before, &UnitReadings::after, &UnitReadings::control};

double medianClockMHz(const std::vector<UnitReadings>& units, Side side) {
  std::vector<double> known;
  for (auto& u : units)
    for (auto& r : u.*side)
      if (r.mhz > 0) known.push_back(r.mhz);
  return median(known);
}

bool isDisturbed(const BlockReadings& blocks, double usualMHz) {
  for (auto& r : blocks) {
    if (r.isHeldBack) return true;
    if (r.mhz > 0 && std::abs(r.mhz / usualMHz - 1) > kClockTolerance) return true;
  }
  return false;
}

}  // namespace

std::vector<bool> disturbedUnits(const std::vector<UnitReadings>& units) {
  std::vector<bool> out(units.size(), false);
  for (Side side : kSides) {
    double usualMHz = medianClockMHz(units, side);
    for (std::size_t i = 0; i < units.size(); ++i)
      if (isDisturbed(units[i].*side, usualMHz)) out[i] = true;
  }
  return out;
}

}  // namespace kadvise
