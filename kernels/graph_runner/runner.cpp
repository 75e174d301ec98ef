#include "kernels/graph_runner/runner.h"

#include "kernels/graph_runner/module_facts.h"
#include "kernels/rowprogram/run.h"

#include <nlohmann/json.hpp>

namespace kadvise {
namespace {

std::string whyNever(const InnerModule& module) {
  if (module.devices().size() > 1) return "its tensors are on several devices";
  return whyNeverCaptured(module.module(), module.module().get_method("captured"));
}

}  // namespace

GraphRunner::GraphRunner(InnerModule module)
    : module_(std::move(module)),
      never_(whyNever(module_)),
      gradients_{module_.requiresGrad(), asksForGradients(module_.module().get_method("captured"))},
      compilesAhead_(runsRowPrograms(module_.module().get_method("captured"))) {}

Tensors GraphRunner::run(const Tensors& inputs) {
  module_.requireDeviceOf(inputs);
  if (!never_.empty()) return runPlain(inputs, never_);
  if (!enabled_) return runPlain(inputs, "switched off by set_enabled(False)");
  if (const char* reason = whyPlain(inputs, gradients_)) return runPlain(inputs, reason);
  if (compilesAhead_ && compilesAhead_.exchange(false)) compileAhead(inputs);
  std::string problem;
  CapturedCalls* captured = captures(inputs.front().device(), problem);
  if (!captured) return runPlain(inputs, problem);
  Served served = captured->run(inputs);
  return served.outputs ? std::move(*served.outputs) : runPlain(inputs, served.reason);
}

Tensors GraphRunner::runPlain(const Tensors& inputs, const std::string& reason) {
  ++plainCalls_;
  fallbacks_.note(reason);
  return module_.plain(inputs);
}

// A pass whose results nobody sees: it meets every program of the module, and the compiler works on all of
// them side by side.
void GraphRunner::compileAhead(const Tensors& inputs) {
  const rowprogram::CompileAhead ahead;
  try {
    module_.captured(inputs);
  } catch (const c10::OutOfMemoryError&) {
    // The interpreter takes more than the kernels will: they are then compiled one after the other.
  }
}

CapturedCalls* GraphRunner::captures(c10::Device device, std::string& problem) {
  if (CapturedCalls* ready = ready_) return ready;
  const std::lock_guard lock(mutex_);
  if (captures_ == nullptr && problem_.empty()) {
    try {
      captures_ =
          makeCapturedCalls([this](const Tensors& inputs) { return module_.captured(inputs); }, device);
      captures_->setOutputs(settings_.outputs);
      captures_->setInPlace(inPlace_);
      captures_->setLimit(settings_.limit);
      captures_->bind(bound_);
      ready_ = captures_.get();
    } catch (const c10::Error& error) {
      problem_ = error.what_without_backtrace();
    }
  }
  problem = problem_;
  return captures_.get();
}

template <class Action>
void GraphRunner::onCaptures(Action&& action) const {
  if (CapturedCalls* ready = ready_) action(*ready);
}

void GraphRunner::bind(Tensors inputs) {
  const std::lock_guard lock(mutex_);
  std::swap(bound_, inputs);  // the earlier ones end unlocked: that may wait for Python
  onCaptures([&](CapturedCalls& captures) { captures.bind(bound_); });
}

void GraphRunner::setOutputs(const std::string& mode) {
  TORCH_CHECK(mode == "copied" || mode == "leased",
              "kadvise.GraphRunner: results are \"copied\" or \"leased\", not \"", mode, "\"");
  const std::lock_guard lock(mutex_);
  settings_.outputs = mode == "leased" ? OutputMode::Leased : OutputMode::Copied;
  onCaptures([&](CapturedCalls& captures) { captures.setOutputs(settings_.outputs); });
}

void GraphRunner::setInPlace(bool on) {
  const std::lock_guard lock(mutex_);
  inPlace_ = on;
  onCaptures([&](CapturedCalls& captures) { captures.setInPlace(on); });
}

void GraphRunner::setLimit(std::int64_t signatures) {
  TORCH_CHECK(signatures >= 1, "kadvise.GraphRunner: the limit must be at least 1, and is ", signatures,
              "; set_enabled(False) switches graphs off");
  const std::lock_guard lock(mutex_);
  settings_.limit = static_cast<std::size_t>(signatures);
  onCaptures([&](CapturedCalls& captures) { captures.setLimit(settings_.limit); });
}

GraphRunner::Settings GraphRunner::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

void GraphRunner::clear() {
  onCaptures([](CapturedCalls& captures) { captures.clear(); });
}

std::string GraphRunner::state() const {
  CaptureCounts counts;
  onCaptures([&](CapturedCalls& captures) { counts = captures.counts(); });
  nlohmann::ordered_json fallbacks = nlohmann::ordered_json::array();
  for (const auto& [reason, count] : fallbacks_.counts()) {
    fallbacks.push_back({{"reason", reason}, {"count", count}});
  }
  const std::lock_guard lock(mutex_);
  nlohmann::ordered_json state = {
      {"enabled", enabled_.load()},
      {"neverCaptured", never_},
      {"outputs", settings_.outputs == OutputMode::Leased ? "leased" : "copied"},
      {"limit", settings_.limit},
      {"signatures", counts.signatures},
      {"captures", counts.captures},
      {"evictions", counts.evictions},
      {"replays", counts.replays},
      {"inPlace", counts.inPlace},
      {"plain", plainCalls_.load()},
      {"inputCopies", counts.inputCopies},
      {"outputCopies", counts.outputCopies},
      {"poolBytes", counts.poolBytes},
      {"captureMs", counts.captureMs},
      {"fallbacks", fallbacks},
  };
  if (!counts.whyNotInPlace.empty()) state["whyNotInPlace"] = counts.whyNotInPlace;
  return state.dump();
}

}  // namespace kadvise
