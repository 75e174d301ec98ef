#include "profiler/measure.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>

#include "profiler/busy_time.h"
#include "profiler/cupti.h"
#include "profiler/equivalence.h"
#include "profiler/forked.h"
#include "profiler/launches.h"
#include "profiler/operators.h"
#include "profiler/values.h"

namespace kadvise {
namespace {

constexpr std::size_t kMostKernels = 4096;

bool holdsContainers(const c10::IValue& v) {
  if (!v.isTuple()) return v.isList() || v.isGenericDict();
  auto& elements = v.toTupleRef().elements();
  return std::any_of(elements.begin(), elements.end(), holdsContainers);
}

}  // namespace

TimedRun timedRun(torch::jit::Module& module, const Values& batch, const Device& device,
                  const Attributes& state) {
  const bool givesNew = std::any_of(batch.begin(), batch.end(), holdsContainers);
  return {[&module, &batch, state, givesNew] {
            const WithState own(module, state);
            forward(module, givesNew ? mapTensors(batch, [](const at::Tensor& t) { return t; }) : batch);
          },
          [&device] { synchronize(device); }};
}

std::string addKernels(Measurement& m, torch::jit::Module& module, const Values& batch,
                       const Device& device) {
  if (!device.isCuda()) return "no kernel records on a CPU";
  c10::InferenceMode inference;
  synchronize(device);
  auto forwardOnce = [&] {
    forward(module, batch);
    synchronize(device);
  };
  OperatorSites sites;
  RecordedRun attributed = recordRun(
      [&] {
        auto watching = sites.watch(cuptiHooks());
        forwardOnce();
      },
      Sites::Recorded);
  if (attributed.refused) return attributed.refused.reason + "; " + attributed.refused.remedy;
  for (const Launch& l : launchesOfCall(attributed.records, 1)) {
    if (m.kernels.size() == kMostKernels) break;
    m.kernels.push_back(
        kernelRecordOf(attributed.records, l.record(), attributed.records.all().front().startNs));
    sites.describe(l.record().site, m.kernels.back());
  }

  // Busy time comes from records alone: attributing kernels to operators slows the host by half, and the gaps
  // grow.
  RecordedRun plain = recordRun(forwardOnce);
  double busyUs = busyUsOf(plain.records.all());
  auto launches = static_cast<double>(launchesOfCall(attributed.records, 1).size());
  if (m.timings.empty()) m.timings.push_back({"warm", {}, {}, false});
  m.timings.front().busyUs.push_back(busyUs);
  m.counters["kernels"] = launches + static_cast<double>(attributed.records.dropped);
  m.counters["busyUs"] = busyUs;
  double leftOut = m.counters["kernels"] - static_cast<double>(m.kernels.size());
  return leftOut > 0 ? std::to_string(static_cast<long>(leftOut)) + " kernel records are left out" : "";
}

}  // namespace kadvise
