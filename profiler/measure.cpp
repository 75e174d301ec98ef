#include "profiler/measure.h"

#include <c10/core/InferenceMode.h>

#include "analyzer/core/error.h"
#include "profiler/bind.h"
#include "profiler/equivalence.h"
#include "profiler/failure.h"
#include "profiler/operators.h"
#include "profiler/values.h"

namespace kadvise {
namespace {

constexpr int kTimedRuns = 30;
constexpr double kTimedSeconds = 10;

double usSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

Timing timeAlone(const TimedRun& run, Pulse& pulse) {
  Timing t;
  t.regime = "warm";
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kTimedRuns && (i < 3 || usSince(start) < 1e6 * kTimedSeconds); ++i) {
    auto one = std::chrono::steady_clock::now();
    run.once();
    run.synchronize();
    t.wallUs.push_back(usSince(one));
    pulse.beat("timing", i + 1, kTimedRuns);
  }
  return t;
}

}  // namespace

TimedRun timedRun(torch::jit::Module& module, const Values& batch, const Device& device) {
  return {[&module, &batch] { forward(module, batch); }, [&device] { synchronize(device); }};
}

std::string addKernels(Measurement& m, torch::jit::Module& module, const Values& batch,
                       const Device& device) {
  if (!device.isCuda()) return "no kernel records on a CPU";
  c10::InferenceMode inference;
  synchronize(device);
  OperatorSites sites;
  KernelTrace trace = recordKernels(
      [&] {
        auto watching = sites.watch();
        forward(module, batch);
        synchronize(device);
      },
      Sites::Recorded);
  if (!trace.refused.empty()) return trace.refused;
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) sites.describe(trace.site[i], trace.kernels[i]);

  // Busy time comes from records alone: attributing kernels to operators slows the host by half, and the gaps
  // grow.
  KernelTrace plain = recordKernels([&] {
    forward(module, batch);
    synchronize(device);
  });
  m.kernels = std::move(trace.kernels);
  if (m.timings.empty()) m.timings.push_back({"warm", {}, {}, false});
  m.timings.front().busyUs.push_back(plain.busyUs);
  m.counters["kernels"] = static_cast<double>(m.kernels.size() + trace.leftOut);
  m.counters["busyUs"] = plain.busyUs;
  return trace.leftOut ? std::to_string(trace.leftOut) + " kernel records are left out" : "";
}

Json profile(Session& session, const Json& arguments, const Replies& replies) {
  Pulse pulse(replies);
  const Device& device = session.device;
  pulse.step("loading the module");
  auto module = loadBound(session, moduleRefFrom(arguments.at("module")));
  c10::InferenceMode inference;
  Values batch = cloneOf(session.inputs);

  Measurement m;
  m.subject = arguments.at("module").at("path");
  m.device = device.label();
  pulse.step("first run");
  auto start = std::chrono::steady_clock::now();
  TimedRun run = timedRun(module, batch, device);
  run.once();
  run.synchronize();
  m.firstCallMs = usSince(start) / 1000;
  settle(run, kTimedSeconds / 4);
  m.timings.push_back(timeAlone(run, pulse));
  m.peakBytes = peakBytesOf(device, run.once);
  if (device.isCuda()) {
    pulse.step("recording kernels");
    if (auto lost = addKernels(m, module, batch, device); !lost.empty()) replies.progress(lost);
  }
  return {{"measurement", m}};
}

}  // namespace kadvise
