#include "profiler/profile.h"

#include <c10/core/InferenceMode.h>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "profiler/bind.h"
#include "profiler/cupti_words.h"
#include "profiler/failure.h"
#include "profiler/memory_timeline.h"
#include "profiler/profile_view.h"
#include "profiler/saved_module.h"
#include "profiler/values.h"
#include "profiler/waiting.h"

namespace kadvise {
namespace {

constexpr double kWarmUpSeconds = 5, kTimedSeconds = 5, kBlockUs = 20'000;

struct Request {
  ModuleRef module;
  bool isGraph = false, isFrozen = false;
  std::string trace;
};

Request requestFrom(const Json& a) {
  return {moduleRefFrom(a.at("module")), a.value("graph", false), a.value("frozen", false),
          a.value("trace", std::string())};
}

// The copy that is attributed launches what the module launches; without it the paths are LibTorch's own,
// which know only the last names.
ProfiledModule profiledModule(const torch::jit::Module& module, const Request& r, Profile& profile) {
  if (r.isFrozen) {
    auto frozen = marked(module, Freezing::Frozen);
    return {frozen.module, frozen};
  }
  try {
    auto copy = marked(module, Freezing::AsLoaded);
    return {module, copy};
  } catch (const std::exception& e) {
    profile.notes.push_back("module paths are LibTorch's own, for the module cannot be copied: " +
                            reasonOf(e));
    return {module, {module, {}}};
  }
}

void take(Profile& profile, ViewResult result, std::vector<TraceTrack>& tracks) {
  profile.views.push_back(std::move(result.view));
  auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(tracks, result.tracks);
  append(profile.absent, result.absent);
  append(profile.notes, result.notes);
}

void addCpuAbsences(Profile& profile, bool isGraph) {
  CuptiRefusal why = noDeviceRefusal();
  for (const char* figure : {"kernels: times, gaps, busy time and launch-bound share",
                             "hardware counters: traffic, tensor pipe, occupancy, what bounds a kernel"})
    profile.absent.push_back({figure, why.reason, why.remedy});
  if (isGraph) profile.absent.push_back({"the replay of a CUDA graph (--graph)", why.reason, why.remedy});
}

void addGraphView(Profile& profile, ProfiledModule& module, const Values& batch, const Device& device,
                  Pulse& pulse, std::vector<TraceTrack>& tracks) {
  try {
    take(profile, graphView(module, batch, device, kTimedSeconds, pulse), tracks);
  } catch (const Error& e) {
    profile.absent.push_back(
        {"the replay of a CUDA graph (--graph)", "the capture failed: " + e.reason,
         "`kadvise MODEL` says under Readiness what stands in the way of a CUDA graph, and where"});
  }
}

}  // namespace

Json profile(Session& session, const Json& arguments, const Replies& replies) {
  Request r = requestFrom(arguments);
  Pulse pulse(replies);
  const Device& device = session.device;
  pulse.step("loading the module");
  Profile out;
  ProfiledModule module = profiledModule(loadAsSaved(session, r.module), r, out);
  c10::InferenceMode inference;
  Values batch = cloneOf(session.inputs);

  TimedRun run{[&] { module.timed.forward(batch); }, [&] { synchronize(device); }};
  pulse.step("the first calls");
  FirstCalls warm = firstCalls(run, kWarmUpSeconds);
  out.firstCallMs = warm.firstCallMs, out.warmUpMs = warm.laterMs, out.compileMs = warm.compileMs();
  pulse.step("timing");
  WaitingWatch waiting;
  WallTime wall = wallTimeOf(run, warm.settledUs, kBlockUs, kTimedSeconds, pulse);
  wall.timing.throttled = waiting.isBusy();
  if (wall.timing.throttled)
    out.notes.push_back("the machine was busy with other work (" + WaitingWatch::words() +
                        "); these times say little");

  pulse.step("the first calls of the attributed copy");
  firstCalls({[&] { module.attributed.module.forward(batch); }, run.synchronize}, kWarmUpSeconds);
  noteFused(module.attributed);
  std::vector<TraceTrack> tracks;
  ViewResult view =
      device.isCuda() ? gpuView(module, batch, device, wall, pulse) : cpuView(module, batch, wall, pulse);
  view.view.mode = r.isFrozen ? "frozen" : "as-loaded";
  view.view.timing = wall.timing;
  view.view.wallUs = wall.us;
  take(out, std::move(view), tracks);

  pulse.step("watching the allocator");
  OperatorSites sites(module.attributed.marks);
  out.memory = memoryTimelineOf(device, sites, [&] { module.attributed.module.forward(batch); });
  if (!device.isCuda()) addCpuAbsences(out, r.isGraph);
  else if (r.isGraph) addGraphView(out, module, batch, device, pulse, tracks);
  if (!r.trace.empty()) writeFile(session.workDir / r.trace, chromeTrace(tracks));
  return {{"profile", out}, {"trace", r.trace}};
}

}  // namespace kadvise
