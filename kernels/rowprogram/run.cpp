#include "kernels/rowprogram/run.h"

#include "kernels/common/cuda_library.h"
#include "kernels/rowprogram/call_problem.h"
#include "kernels/rowprogram/gpu.h"
#include "kernels/rowprogram/inspection.h"
#include "kernels/rowprogram/joined.h"
#include "kernels/rowprogram/make_plan.h"
#include "kernels/rowprogram/side_by_side.h"

#include <ATen/ops/empty_strided.h>
#include <c10/core/DeviceGuard.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <mutex>
#include <semaphore>
#include <set>
#include <thread>

namespace kadvise::rowprogram {

// Texts that are being compiled. No more at once than there are processors.
struct CompileAhead::Pending {
  std::vector<std::future<void>> compiling;
  std::counting_semaphore<> processors{std::max(1, static_cast<int>(std::thread::hardware_concurrency()))};
};

namespace {

thread_local CompileAhead::Pending* ahead = nullptr;

// Never destroyed: operators may run while the process ends.
LaunchPlanCache& plans() {
  static auto* const cache = new LaunchPlanCache;
  return *cache;
}

void warnOnce(const std::string& problem) {
  constexpr std::size_t kMost = 16;
  static std::mutex mutex;
  static auto* const said = new std::set<std::string>;
  const std::scoped_lock lock(mutex);
  if (said->size() >= kMost || !said->insert(problem).second) return;
  TORCH_WARN("kadvise::row_program runs without a generated kernel, as slow as torch's single operators: ",
             problem);
}

void compile(const Source& source, int device, std::counting_semaphore<>& processors) {
  processors.acquire();
  try {
    const LoadedText* text = nullptr;
    load(source, device, text);
  } catch (const std::exception&) {  // said when the program next runs
  }
  processors.release();
}

// Whether the compiler has work now that the program should not wait for. What goes wrong here is said when
// the program next runs.
template <class SourcesOf>
bool compilesAhead(const Call& call, const SourcesOf& sourcesOf) try {
  const int device = call.device.index();
  std::vector<Source> sources = sourcesOf();
  if (hasAll(sources, device)) return false;
  for (Source& source : sources) {
    ahead->compiling.push_back(
        sideBySide([&processors = ahead->processors, device, source = std::move(source)] {
          compile(source, device, processors);
        }));
  }
  return true;
} catch (const c10::Error&) {
  return false;
}

// Never null. What goes wrong is a warning, and the interpreter serves; but where memory is short, the call
// fails as any other does.
template <class Make>
std::shared_ptr<const LaunchPlan> newPlan(const Make& make) {
  std::string why;
  std::shared_ptr<const LaunchPlan> plan;
  try {
    plan = make(why);
  } catch (const c10::OutOfMemoryError&) {
    throw;
  } catch (const c10::Error& error) {
    why = error.what_without_backtrace();
  }
  if (!why.empty()) warnOnce(why);
  return plan != nullptr ? plan : std::make_shared<LaunchPlan>();
}

CallKey keyOf(const Problem& problem, const Call& call) {
  CallKey key = callKey(problem, call.device.index());
  if (!askedSchedule().empty())
    key.push_back(static_cast<std::int64_t>(std::hash<std::string>()(askedSchedule())));
  return key;
}

// Null where there is none, or one that can now be timed.
std::shared_ptr<const LaunchPlan> finalPlan(const CallKey& key, const Call& call) {
  auto plan = plans().find(key);
  return plan != nullptr && plan->tunesLater && !isCaptured(call) ? nullptr : plan;
}

// Null where the compiler works on it.
std::shared_ptr<const LaunchPlan> madePlan(const CallKey& key, const Problem& problem, const Call& call) {
  const auto sources = [&] { return candidateSources(problem, call); };
  if (ahead != nullptr && plans().find(key) == nullptr && compilesAhead(call, sources)) return nullptr;
  auto plan = newPlan([&](std::string& why) { return makePlan(problem, call, why); });
  plans().keep(key, plan);
  return plan;
}

bool start(const LaunchPlan& plan, const Call& call) {
  static auto* const run = reinterpret_cast<KadviseCudaRunText*>(cudaSymbol("kadvise_cuda_run_text"));
  const at::Tensor scratch = scratchFor(plan.scratchBytes, call.device);
  const Arguments arguments(call, scratch, plan.numbers);
  const RuntimeCall started{plan.text, plan.launches.data(), arguments.get()};
  const char* problem = run(&started, call.stream);
  if (problem == nullptr) return true;
  plan.fails = true;
  warnOnce(std::string(problem) + "; KADVISE_TUNE=0 keeps to schedules that were not timed");
  return false;
}

// Outputs leave the memory of an input where the plan cannot write there, or is still to be made: what is
// timed runs more than once.
void moveApart(const Program& program, const LaunchPlan* plan, std::span<const at::Tensor> inputs,
               std::span<at::Tensor> outputs) {
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const int over = program.outputs[o].over;
    if (over < 0 || !outputs[o].is_same(inputs[over])) continue;
    const bool isRight = plan != nullptr && plan->text != nullptr && plan->overwritten[over];
    if (!isRight)
      outputs[o] = at::empty_strided(outputs[o].sizes(), outputs[o].strides(), outputs[o].options());
  }
}

bool areThere(std::span<const at::Tensor> inputs, c10::Device device) {
  return std::all_of(inputs.begin(), inputs.end(), [&](const at::Tensor& input) {
    return input.device() == device || isNumberOfHost(input, device);
  });
}

}  // namespace

bool runOnCuda(const Program& program, const Problem& problem, std::span<const at::Tensor> inputs,
               std::span<at::Tensor> outputs, c10::Device device) {
  lastSchedule().clear();
  if (!areThere(inputs, device)) return false;
  const c10::DeviceGuard guard(device);
  const Call call{inputs, outputs, device, currentStream(device)};
  const CallKey key = keyOf(problem, call);
  auto plan = finalPlan(key, call);
  moveApart(program, plan.get(), inputs, outputs);
  if (plan == nullptr) plan = madePlan(key, problem, call);
  if (plan == nullptr || plan->text == nullptr || plan->fails) return false;
  if (!start(*plan, call)) return false;
  lastSchedule() = plan->schedule;
  return true;
}

bool runJoinedOnCuda(std::span<const Problem> problems, std::span<const at::Tensor> inputs,
                     std::span<at::Tensor> outputs, c10::Device device) {
  lastSchedule().clear();
  if (!areThere(inputs, device)) return false;
  const c10::DeviceGuard guard(device);
  const Call call{inputs, outputs, device, currentStream(device)};
  CallKey key{-1};  // no program has such a number: a key of one piece is none of a program
  for (const Problem& problem : problems) key.append(callKey(problem, device.index()));
  auto plan = plans().find(key);
  if (plan == nullptr) {
    const auto sources = [&] { return std::vector{emitJoined(problems, gpuOfDevice(device.index()).gpu)}; };
    if (ahead != nullptr && compilesAhead(call, sources)) return false;
    plan = newPlan([&](std::string& why) { return makeJoinedPlan(problems, call, why); });
    plans().keep(key, plan);
  }
  if (plan->text == nullptr || plan->fails || !start(*plan, call)) return false;
  lastSchedule() = plan->schedule;
  return true;
}

CompileAhead::CompileAhead() : pending_(std::make_unique<Pending>()), outer_(ahead) {
  ahead = pending_.get();
}

CompileAhead::~CompileAhead() {
  ahead = outer_;
  for (auto& one : pending_->compiling) one.wait();
}

}  // namespace kadvise::rowprogram
