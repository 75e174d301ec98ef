#include "profiler/observed_run.h"

#include <ATen/Context.h>

#include <utility>

#include "profiler/equivalence.h"
#include "profiler/forked.h"
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

// A generator's state says how many numbers were drawn since it was seeded.
class DrawnNumbers {
 public:
  explicit DrawnNumbers(const Device& device) {
    add(c10::Device(c10::kCPU));
    if (device.isCuda()) add(device.torch);
  }
  bool any() const {
    for (const auto& [generator, state] : was_)
      if (!at::equal(state, generator.get_state())) return true;
    return false;
  }

 private:
  void add(c10::Device device) {
    const at::Generator& generator = at::globalContext().defaultGenerator(device);
    was_.emplace_back(generator, generator.get_state());
  }
  std::vector<std::pair<at::Generator, at::Tensor>> was_;
};

}  // namespace

ObservedRun observedRun(torch::jit::Module& module, Values inputs, const Device& device, std::uint64_t seed,
                        Canary::Fill fill, const Attributes& state) {
  seedAll(device, seed);
  DrawnNumbers drawn(device);
  ObservedRun r;
  r.run.inputs = std::move(inputs);
  const WithState own(module, state);
  {
    Canary canary(fill);
    std::optional<GuardZones> zones;
    if (!device.isCuda()) zones.emplace();
    r.run.output = own.behind(forward(module, r.run.inputs));
    if (zones) r.outside = zones->breach();
  }
  r.drawsNumbers = drawn.any();
  if (!device.isCuda()) return r;
  // The copy waits for the stream of the call and for no other: what another stream writes comes too late for
  // it.
  c10::IValue copy = mapTensors(r.run.output, [](const at::Tensor& t) { return t.clone(); });
  synchronize(device);
  r.late = firstDifference(r.run.output, copy);
  return r;
}

std::optional<std::string> strayWrite(const ObservedRun& original, const ObservedRun& candidate,
                                      const std::string& caseName) {
  if (candidate.late && !original.late)
    return *candidate.late + " is still being written when its stream has ended (case " + caseName +
           "): work on another stream is not waited for";
  if (candidate.outside && !original.outside)
    return "the candidate writes out of bounds, " + *candidate.outside + " (case " + caseName + ")";
  return std::nullopt;
}

}  // namespace kadvise
