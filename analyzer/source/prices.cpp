#include "analyzer/source/prices.h"

#include <algorithm>
#include <cmath>

#include "analyzer/core/hardware.h"

namespace kadvise::source {
namespace {

constexpr int kLanes = 32;
constexpr double kGB = 1e9;

const Gpu* gpuFor(const Unit& unit) {
  auto* named = unit.gpu.empty() ? nullptr : gpuNamed(unit.gpu);
  return named && named->arch == unit.arch ? named : gpuNamed(std::to_string(unit.arch));
}

// "8", "2.7"
std::string shortly(double v) {
  auto tenths = static_cast<std::int64_t>(std::llround(v * 10));
  std::string out = std::to_string(tenths / 10);
  return tenths % 10 == 0 || tenths >= 100 ? out : out + "." + std::to_string(tenths % 10);
}

std::string inGB(double bytes) { return std::to_string(std::llround(bytes / kGB)); }

}  // namespace

Price trafficPrice(const Unit& unit, const WarpAccess& w) {
  Price out;
  out.value = static_cast<double>(w.sectors) / std::max(w.fewestSectors, 1);
  out.unit = "times the device-memory traffic of this access";
  out.basis = std::to_string(w.sectors) + " sectors of 32 bytes a warp where " +
              std::to_string(w.fewestSectors) + " hold all that it asks for";
  out.words = shortly(out.value) + "x the traffic of this access";
  if (auto* gpu = gpuFor(unit)) {
    out.gpu = gpu->name;
    out.words += ": at most " + inGB(gpu->dramBytesPerSecond / out.value) + " of the " +
                 inGB(gpu->dramBytesPerSecond) + " GB/s of an " + gpu->name + " are of use";
    out.basis += "; rate of memory from the data sheet";
  }
  return out;
}

Price turnsPrice(const WarpAccess& w) {
  std::string turns = std::to_string(w.turns);
  return {static_cast<double>(w.turns), "times the shared-memory time of this access",
          turns + "x the time of this access in shared memory",
          "each bank serves one word of 4 bytes a turn, and one bank is asked for " + turns, ""};
}

Price constantPrice(const WarpAccess& w) {
  std::string places = std::to_string(w.places);
  return {static_cast<double>(w.places), "times the time of this access in the constant cache",
          places + "x the time of this access",
          "the constant cache serves one place a turn, and a warp asks for " + places, ""};
}

Price doublePrice(const Unit& unit) {
  auto* gpu = gpuFor(unit);
  if (!gpu || gpu->fp64FlopPerSecond <= 0) return {};
  Price out;
  out.value = gpu->fp32FlopPerSecond / gpu->fp64FlopPerSecond;
  out.unit = "times the time of this operation in FP32";
  out.words = shortly(out.value) + "x the time of the same in FP32, on an " + gpu->name;
  out.basis = "rates outside the tensor cores, from the data sheet";
  out.gpu = gpu->name;
  return out;
}

Price atomicPrice(std::size_t lanes) {
  std::string n = std::to_string(lanes);
  return {static_cast<double>(lanes), "updates of one place a warp, where one would do",
          n + " updates a warp, one after another, where one would do",
          n + " lanes of a warp run it at one address", ""};
}

Price instructionsPrice(int taken, const char* what) {
  std::string n = std::to_string(taken);
  return {static_cast<double>(taken), std::string("times the ") + what,
          n + " " + what + " where one would do", "accesses of 16 bytes are the widest there are", ""};
}

Price localPrice(const Unit& unit, std::int64_t bytes) {
  std::string ofWarp = std::to_string(bytes * kLanes);
  std::string whose = gpuFor(unit) ? " (caches in front)" : "";
  return {static_cast<double>(bytes * kLanes), "bytes of local memory a warp",
          ofWarp + " bytes a warp in device memory" + whose + ", where registers move none",
          std::to_string(bytes) + " bytes of each of 32 threads", ""};
}

}  // namespace kadvise::source
