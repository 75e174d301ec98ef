#include "profiler/observed_run.h"

#include "profiler/equivalence.h"
#include "profiler/guard_zones.h"
#include "profiler/values.h"

namespace kadvise {
namespace {

std::optional<std::string> firstDifference(const c10::IValue& a, const c10::IValue& b) {
  auto x = leavesOf(a, "output"), y = leavesOf(b, "output");
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!sameBits(x[i].value, y[i].value)) return x[i].at;
  return std::nullopt;
}

}  // namespace

ObservedRun observedRun(torch::jit::Module& module, Values inputs, const Device& device, std::uint64_t seed,
                        Canary::Fill fill) {
  seedAll(device, seed);
  ObservedRun r;
  r.run.inputs = std::move(inputs);
  {
    Canary canary(fill);
    std::optional<GuardZones> zones;
    if (!device.isCuda()) zones.emplace();
    r.run.output = forward(module, r.run.inputs);
    if (zones) r.outside = zones->breach();
  }
  if (!device.isCuda()) return r;
  // The copy waits for the stream of the call and for no other: what another stream writes comes too late for
  // it.
  c10::IValue copy = mapTensors(r.run.output, [](const at::Tensor& t) { return t.clone(); });
  synchronize(device);
  r.late = firstDifference(r.run.output, copy);
  return r;
}

}  // namespace kadvise
