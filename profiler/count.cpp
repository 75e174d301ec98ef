#include "profiler/count.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "analyzer/core/error.h"
#include "profiler/bind.h"
#include "profiler/busy_time.h"
#include "profiler/cupti.h"
#include "profiler/failure.h"
#include "profiler/kernel_bound.h"
#include "profiler/launches.h"
#include "profiler/marked_module.h"
#include "profiler/saved_module.h"
#include "profiler/values.h"
#include "profiler/wall_time.h"

namespace kadvise {
namespace {

constexpr double kWarmUpSeconds = 5;
constexpr std::size_t kMostKernels =
    2000;  // of a call; the counters take up to a megabyte of memory for each

// Launches with their operators, in the order that the counters will have them: kernels alone.
struct Recorded {
  RecordedRun run;
  OperatorSites sites;
  std::vector<Launch> kernels;
  double launchEveryUs = 0;
};

Recorded recorded(torch::jit::Module& module, const Marks& marks, const Values& batch, const Device& device) {
  Recorded out;
  out.sites = OperatorSites(marks);
  auto call = [&] {
    auto watching = out.sites.watch(cuptiHooks());
    module.forward(batch);
    synchronize(device);
  };
  out.run = recordRun(call, Sites::Recorded);
  for (const Launch& l : launchesOfCall(out.run.records, 1))
    if (l.record().kind == Activity::Kernel) out.kernels.push_back(l);
  RecordedRun plain = recordRun([&] {
    module.forward(batch);
    synchronize(device);
  });
  GpuActivity activity = gpuActivityOf(plain.records.all(), 1);
  if (activity.launchBoundShare > 0.5 && activity.kernels > 0)
    out.launchEveryUs = activity.spanUs / activity.kernels;
  return out;
}

// Durations come from records: the profiler's own are up to 3 us longer.
CountedKernel kernelOf(const Recorded& r, const Launch& launch, const CounterValues& values, int sms) {
  KernelRecord record = kernelRecordOf(r.run.records, launch.record(), launch.record().startNs);
  CountedKernel k;
  k.name = record.name;
  if (auto* place = r.sites.find(launch.record().site)) k.op = place->op, k.where = place->where;
  double blocks = double(record.grid[0]) * record.grid[1] * record.grid[2];
  judgeKernel(k, values, {launch.us, r.launchEveryUs, blocks, double(sms)});
  return k;
}

// Of each kernel at each size the longest launch: layers alike would fill the table otherwise.
std::vector<std::size_t> longest(const Recorded& r, std::size_t most) {
  std::vector<std::size_t> order(r.kernels.size()), out;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return r.kernels[a].us > r.kernels[b].us; });
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (std::size_t i : order) {
    const ActivityRecord& record = r.kernels[i].record();
    if (out.size() < most && seen.insert({record.name, record.shape}).second) out.push_back(i);
  }
  return out;
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (auto& n : names) out += (out.empty() ? "" : ", ") + n;
  return out;
}

struct Counted {
  std::vector<CounterValues> kernels;
  std::vector<Absent> absent;
  int passes = 0;
};

// One set after the other: two at once give wrong numbers.
Counted countAll(const std::function<void()>& call, std::size_t kernels, Pulse& pulse) {
  Counted out;
  out.kernels.resize(kernels);
  for (auto& set : countedMetrics(metricsOfChip())) {
    pulse.step("reading hardware counters");
    CountedRun run = countKernels(call, kernels, set);
    if (run.refused)
      out.absent.push_back(
          {"hardware counters (" + set.front() + " and others)", run.refused.reason, run.refused.remedy});
    if (!run.unsupported.empty())
      out.absent.push_back({"hardware counters " + joined(run.unsupported),
                            "this chip does not have them under these names", ""});
    out.passes += run.passes;
    for (std::size_t i = 0; i < run.kernels.size(); ++i) out.kernels[i].merge(run.kernels[i]);
  }
  return out;
}

}  // namespace

Json count(Session& session, const Json& arguments, const Replies& replies) {
  const Device& device = session.device;
  if (!device.isCuda()) throw Error("count", "hardware counters need a GPU");
  Pulse pulse(replies);
  auto freezing = arguments.at("frozen").get<bool>() ? Freezing::Frozen : Freezing::AsLoaded;
  MarkedModule module = marked(loadAsSaved(session, moduleRefFrom(arguments.at("module"))), freezing);
  c10::InferenceMode inference;
  Values batch = cloneOf(session.inputs);
  TimedRun run{[&] { module.module.forward(batch); }, [&] { synchronize(device); }};
  pulse.step("the first calls");
  firstCalls(run, kWarmUpSeconds);
  noteFused(module);
  pulse.step("recording kernels");
  recorded(module.module, module.marks, batch, device);  // sets up the records
  Recorded records = recorded(module.module, module.marks, batch, device);
  if (auto& why = records.run.refused)
    return {{"counted", Json::array()},
            {"how", ""},
            {"absent", {Absent{"hardware counters", why.reason, why.remedy}}}};
  if (records.kernels.empty())
    throw Error("count", "the call launches no kernel; copies and fills have no counters");
  if (records.kernels.size() > kMostKernels)
    throw Error("count", "the call launches " + std::to_string(records.kernels.size()) +
                             " kernels, more than the " + std::to_string(kMostKernels) +
                             " that are counted; profile a part of the module");
  Counted counted = countAll([&] { run.once(), run.synchronize(); }, records.kernels.size(), pulse);
  std::vector<CountedKernel> out;
  for (std::size_t i : longest(records, arguments.at("kernels").get<std::size_t>()))
    if (!counted.kernels[i].empty())
      out.push_back(kernelOf(records, records.kernels[i], counted.kernels[i], limitsOf(device).count));
  std::string how = "each kernel by itself, the call repeated for each of " + std::to_string(counted.passes) +
                    " passes, caches as the kernel before left them; DRAM bytes are exact from 256 MiB on";
  return {{"counted", out}, {"how", how}, {"absent", counted.absent}};
}

}  // namespace kadvise
