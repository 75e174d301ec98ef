#include "profiler/runner_state.h"

#include <algorithm>

#include "analyzer/core/json.h"

namespace kadvise {
namespace {

constexpr std::string_view kClass = "__torch__.torch.classes.kadvise.GraphRunner";

struct Figure {
  const char *said, *counter;
};
constexpr Figure kFigures[] = {{"poolBytes", "graphPoolBytes"},
                               {"captures", "graphCaptures"},
                               {"replays", "graphReplays"},
                               {"plain", "graphPlainCalls"},
                               {"captureMs", "graphCaptureMs"}};

bool isRunner(const c10::IValue& value) {
  if (!value.isObject()) return false;
  auto name = value.toObjectRef().type()->name();
  return name && name->qualifiedName() == kClass;
}

std::vector<c10::IValue> runnersOf(const torch::jit::Module& module) {
  std::vector<c10::IValue> out;
  for (const auto& attribute : module.named_attributes(/*recurse=*/false))
    if (isRunner(attribute.value)) out.push_back(attribute.value);
  return out;
}

Json stateOf(const c10::IValue& runner) {
  auto text = runner.toObjectRef().type()->getMethod("state")({runner}).toStringRef();
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

struct Fallback {
  std::string reason;
  std::size_t count = 0;
};

void addFallbacks(const Json& state, std::vector<Fallback>& out) {
  if (!state.contains("fallbacks") || !state["fallbacks"].is_array()) return;
  for (auto& f : state["fallbacks"])
    out.push_back({f.value("reason", std::string("no reason given")), f.value("count", std::size_t{0})});
}

}  // namespace

std::string addRunnerState(Measurement& m, const torch::jit::Module& module) {
  std::vector<Fallback> fallbacks;
  for (const auto& runner : runnersOf(module)) {
    Json state = stateOf(runner);
    if (!state.is_object()) continue;
    for (auto& f : kFigures)
      if (state.contains(f.said) && state[f.said].is_number())
        m.counters[f.counter] += state[f.said].get<double>();
    addFallbacks(state, fallbacks);
  }
  std::stable_sort(fallbacks.begin(), fallbacks.end(), [](auto& a, auto& b) { return a.count > b.count; });
  std::string out;
  for (auto& f : fallbacks) out += (out.empty() ? "" : "; ") + f.reason;
  return out;
}

bool ownsRunner(const torch::jit::Module& module) { return !runnersOf(module).empty(); }

void forgetCaptures(const torch::jit::Module& module) {
  for (const auto& runner : runnersOf(module)) runner.toObjectRef().type()->getMethod("clear")({runner});
}

}  // namespace kadvise
