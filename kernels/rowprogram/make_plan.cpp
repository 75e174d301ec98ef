#include "kernels/rowprogram/make_plan.h"

#include "kernels/common/cuda_library.h"
#include "kernels/rowprogram/gpu.h"
#include "kernels/rowprogram/inspection.h"
#include "kernels/rowprogram/joined.h"
#include "kernels/rowprogram/tuned_choices.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string_view>

namespace kadvise::rowprogram {
namespace {

constexpr double kLeastTunedBytes = 1 << 20;
constexpr double kTuningMilliseconds = 20;  // of timing; the memory for it, and the first runs, take the rest
constexpr float kClearlyFaster = 0.99f;     // of the time of a candidate that the model likes better

bool mayTune() {
  static const bool may = [] {
    const char* asked = std::getenv("KADVISE_TUNE");
    return asked == nullptr || std::string_view(asked) != "0";
  }();
  return may;
}

// What is to be compiled for a problem: one schedule, or several to be timed.
struct Options {
  std::vector<Schedule> schedules;
  std::string shapeClass;   // to keep the result by; empty: nothing is to be timed
  bool tunesLater = false;  // it would be timed if nothing were captured
};

std::vector<Schedule> askedFor(const std::string& asked, const std::vector<Schedule>& schedules,
                               const Problem& problem, const Gpu& gpu) {
  for (const Schedule& one : schedules) {
    if (toText(one).starts_with(asked)) return {one};
  }
  const auto whole = asked.find('/') != std::string::npos ? scheduleOf(asked) : std::nullopt;
  return whole && runs(*whole, problem, gpu) ? std::vector<Schedule>{*whole} : std::vector<Schedule>{};
}

Options optionsFor(const Problem& problem, const Call& call) {
  const NamedGpu& gpu = gpuOfDevice(call.device.index());
  Options options{schedulesFor(problem, gpu.gpu), {}, false};
  auto& schedules = options.schedules;
  if (!askedSchedule().empty()) return {askedFor(askedSchedule(), schedules, problem, gpu.gpu), {}, false};
  if (schedules.size() < 2) return options;
  const bool isWorth = mayTune() && trafficBytes(problem) >= kLeastTunedBytes;
  std::string shapes = isWorth ? shapeClass(problem, gpu) : std::string();
  const auto tuned = isWorth ? tunedChoice(shapes) : std::nullopt;
  if (tuned) {
    // Another size of the class may lack it: then the model's choice stands first.
    const auto chosen = std::find_if(schedules.begin(), schedules.end(),
                                     [&](const Schedule& s) { return toText(s) == *tuned; });
    if (chosen != schedules.end()) std::iter_swap(schedules.begin(), chosen);
    schedules.resize(1);
  } else if (!isWorth || isCaptured(call)) {
    options.tunesLater = isWorth;
    schedules.resize(1);
  } else {
    options.shapeClass = std::move(shapes);
  }
  return options;
}

struct Candidate {
  Schedule schedule;
  Source source;
  const LoadedText* text = nullptr;
};

std::vector<Source> sourcesOf(const Problem& problem, const Call& call,
                              const std::vector<Schedule>& schedules) {
  std::vector<Source> sources;
  for (const Schedule& schedule : schedules) {
    sources.push_back(emit(problem, schedule, gpuOfDevice(call.device.index()).gpu));
  }
  return sources;
}

// Those that can be loaded; `problem` is what stands in the way of the first that cannot.
std::vector<Candidate> loaded(const Problem& problem, const Call& call, const Options& options,
                              std::string& why) {
  std::vector<Source> sources = sourcesOf(problem, call, options.schedules);
  std::vector<const LoadedText*> texts;
  const auto problems = loadAll(sources, call.device.index(), texts);
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (problems[i].empty()) candidates.push_back({options.schedules[i], std::move(sources[i]), texts[i]});
    else if (why.empty()) why = problems[i];
  }
  return candidates;
}

// The first of those that are as fast as the fastest, so that noise decides nothing. Null: none could be
// started.
const Candidate* fastest(const std::vector<Candidate>& candidates, const Call& call) {
  static auto* const time = reinterpret_cast<KadviseCudaTimeTexts*>(cudaSymbol("kadvise_cuda_time_texts"));
  std::size_t scratchBytes = 0;
  for (const Candidate& one : candidates) scratchBytes = std::max(scratchBytes, one.source.scratchBytes);
  const at::Tensor scratch = scratchFor(scratchBytes, call.device);
  std::vector<std::unique_ptr<Arguments>> arguments;
  std::vector<std::vector<RuntimeLaunch>> launches;
  std::vector<TimedCall> timed;
  for (const Candidate& one : candidates) {
    arguments.push_back(std::make_unique<Arguments>(
        call, one.source.scratchBytes > 0 ? scratch : at::Tensor(), one.source.numbers));
    launches.push_back(launchesOf(one.source));
    timed.push_back({{one.text, launches.back().data(), arguments.back()->get()}, -1});
  }
  if (time(timed.data(), static_cast<int>(timed.size()), kTuningMilliseconds, call.stream) != nullptr)
    return nullptr;
  float best = -1;
  for (const TimedCall& one : timed) {
    if (one.microseconds >= 0 && (best < 0 || one.microseconds < best)) best = one.microseconds;
  }
  for (std::size_t i = 0; i < timed.size(); ++i) {
    if (timed[i].microseconds >= 0 && timed[i].microseconds * kClearlyFaster <= best) return &candidates[i];
  }
  return nullptr;
}

const Candidate* named(const std::vector<Candidate>& candidates, const std::string& schedule) {
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const Candidate& one) { return toText(one.schedule) == schedule; });
  return found != candidates.end() ? &*found : nullptr;
}

const Candidate& choose(const std::vector<Candidate>& candidates, const Call& call, const Options& options) {
  if (options.shapeClass.empty() || candidates.size() < 2) return candidates.front();
  static std::mutex timing;  // two at once would time each other
  const std::scoped_lock lock(timing);
  const auto others = tunedChoice(options.shapeClass);  // another thread's, while this one waited
  const Candidate* chosen = others ? named(candidates, *others) : nullptr;
  if (chosen != nullptr) return *chosen;
  chosen = fastest(candidates, call);
  if (chosen == nullptr) return candidates.front();
  keepTunedChoice(options.shapeClass, toText(chosen->schedule));
  return *chosen;
}

void fill(LaunchPlan& plan, const Source& source, const LoadedText* text, std::string schedule) {
  plan.text = text;
  plan.launches = launchesOf(source);
  plan.numbers = source.numbers;
  plan.overwritten = source.overwritten;
  plan.schedule = std::move(schedule);
  plan.scratchBytes = source.scratchBytes;
}

}  // namespace

std::shared_ptr<const LaunchPlan> makePlan(const Problem& problem, const Call& call, std::string& why) {
  auto plan = std::make_shared<LaunchPlan>();
  const Options options = optionsFor(problem, call);
  if (options.schedules.empty()) return plan;
  const auto candidates = loaded(problem, call, options, why);
  if (candidates.empty()) return plan;
  why.clear();
  const Candidate& chosen = choose(candidates, call, options);
  fill(*plan, chosen.source, chosen.text, toText(chosen.schedule));
  plan->tunesLater = options.tunesLater;
  return plan;
}

std::shared_ptr<const LaunchPlan> makeJoinedPlan(std::span<const Problem> problems, const Call& call,
                                                 std::string& why) {
  auto plan = std::make_shared<LaunchPlan>();
  const int device = call.device.index();
  const Source source = emitJoined(problems, gpuOfDevice(device).gpu);
  const LoadedText* text = nullptr;
  if (!source.launches.empty()) why = load(source, device, text);
  if (text != nullptr) fill(*plan, source, text, "joined");
  return plan;
}

std::vector<Source> candidateSources(const Problem& problem, const Call& call) {
  return sourcesOf(problem, call, optionsFor(problem, call).schedules);
}

}  // namespace kadvise::rowprogram
