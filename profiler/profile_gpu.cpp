#include "analyzer/core/profile_words.h"
#include "profiler/busy_time.h"
#include "profiler/launches.h"
#include "profiler/profile_view.h"
#include "profiler/runner_state.h"
#include "profiler/tables.h"

namespace kadvise {
namespace {

constexpr const char* kKernelFigures =
    "kernel times, busy time, gaps, launch-bound share, time by operator, module and line";
constexpr double kNearlyAll = 0.99;

// The map from launches to operators: one call with everything on. Never timed, but for its own overhead.
struct AttributedCall {
  RecordedRun run;
  OperatorSites sites;
  double callUs = 0;
  std::uint64_t originNs = 0;
};

void recordOnce(AttributedCall& to, ProfiledModule& module, const Values& batch, const Device& device) {
  to.sites = OperatorSites(module.attributed.marks);
  auto call = [&] {
    synchronize(device);
    to.originNs = recordClockNs();
    double start = steadyUs();
    {
      auto watching = to.sites.watch(cuptiHooks());
      module.attributed.module.forward(batch);
    }
    synchronize(device);
    to.callUs = steadyUs() - start;
  };
  to.run = recordRun(call, Sites::Recorded);
}

void addOtherRecords(Attribution& a, const ActivityRecords& records) {
  for (const ActivityRecord& r : records.all()) {
    if (r.kind == Activity::Synchronisation) ++a.synchronisations, a.synchronisationUs += usOf(r);
    if (r.kind == Activity::Overhead) a.profilerUs += usOf(r);
  }
}

double overheadOf(double us, const WallTime& wall) { return wall.us.mid > 0 ? us / wall.us.mid - 1 : 0; }

// Durations come from the pass without attribution, which keeps the host fast, when both launch the same
// things.
void addAttribution(ViewResult& out, const RecordedCalls& recorded, const AttributedCall& attributed,
                    const WallTime& wall, const Device& device) {
  out.view.attribution.emplace();
  Attribution& a = *out.view.attribution;
  a.overhead = overheadOf(attributed.callUs, wall);
  addOtherRecords(a, attributed.run.records);
  auto launches = launchesOfCall(attributed.run.records, 1);
  for (Launch& l : launches) l.site = l.record().site;
  auto plain = launchesOfCall(recorded.run.records, recorded.calls);
  bool isSame = launchTheSame(plain, launches);
  a.durations = isSame ? "recorded" : "attributed";
  for (std::size_t i = 0; isSame && i < launches.size(); ++i) launches[i].us = plain[i].us;
  if (!isSame)
    out.notes.push_back(
        "the calls did not all launch the same kernels in the same order: the tables hold the times of the "
        "one call that was attributed");
  describe(out.view, launches, attributed.sites, limitsOf(device));
  out.tracks = tracksOf(launches, attributed.sites, attributed.originNs);
}

// Kernels that start with a graph start in no operator.
void sayWhatGraphsHide(ViewResult& out, const torch::jit::Module& module) {
  if (!ownsRunner(module) || out.view.attribution->toOperator > kNearlyAll) return;
  out.absent.push_back(
      {kTimeByPlace, "the module replays CUDA graphs of its own, whose kernels start in no operator",
       "--graph replays the whole of it and names operators; for modules and lines profile the file that "
       "this one was written from"});
}

}  // namespace

ViewResult gpuView(ProfiledModule& module, const Values& batch, const Device& device, const WallTime& wall,
                   Pulse& pulse) {
  ViewResult out;
  out.view.basis = "gpu-kernels";
  pulse.step("recording kernels");
  TimedRun run{[&] { module.timed.forward(batch); }, [&] { synchronize(device); }};
  RecordedCalls recorded = recordCalls(run, wall.us.mid, pulse);
  if (auto& why = recorded.run.refused) {
    out.absent.push_back({kKernelFigures, why.reason, why.remedy});
    return out;
  }
  out.view.gpu = gpuActivityOf(recorded.run.records.all(), recorded.calls);
  out.view.gpu->recordingOverhead = overheadOf(recorded.callUs, wall);
  if (auto dropped = recorded.run.records.dropped)
    out.notes.push_back("CUPTI dropped " + std::to_string(dropped) + " records for want of buffers");

  pulse.step("mapping kernels to operators");
  AttributedCall attributed;
  recordOnce(attributed, module, batch, device);  // sets up the records of API calls
  recordOnce(attributed, module, batch, device);
  if (auto& why = attributed.run.refused) {
    out.absent.push_back({kTimeByPlace, why.reason, why.remedy});
    return out;
  }
  addAttribution(out, recorded, attributed, wall, device);
  sayWhatGraphsHide(out, module.timed);
  return out;
}

}  // namespace kadvise
