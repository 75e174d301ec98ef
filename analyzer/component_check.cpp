#include "analyzer/component_check.h"

#include <algorithm>
#include <chrono>

#include "analyzer/core/error.h"
#include "analyzer/engine_setup.h"
#include "analyzer/work_dir.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kKinds[] = {"attention", "norm", "mlp", "embedding"};

WaitHooks hooksFor(const AssistantOptions& options, const std::string& phase) {
  auto since = std::chrono::steady_clock::now();
  auto tick = [&options, phase, since] {
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
    if (options.progress) options.progress({phase, "", 0, 0, seconds});
  };
  return {tick, options.interrupted};
}

Report reportFor(const AssistantOptions& options, const Subject& subject, const std::string& kind) {
  Report report;
  report.tool = {"kadvise", KADVISE_VERSION};
  report.command = options.command;
  report.subject.path = subject.path.string();
  report.inputs = {subject.inputs, "none", subject.inputsFile.string(), options.seed};
  report.whole.reason = "not compared: a component was examined";
  report.component = ComponentCheck{kind, {}};
  return report;
}

}  // namespace

Report examineComponent(const AssistantOptions& options, const Subject& subject, const std::string& kind,
                        int heads) {
  if (std::none_of(std::begin(kKinds), std::end(kKinds), [&](auto* k) { return kind == k; }))
    throw Error("component \"" + kind + "\"", "is not one of attention, norm, mlp, embedding");
  Report report = reportFor(options, subject, kind);
  WorkDir work(options.workDir);
  EngineSetup setup = setUpEngines(options, subject.opLibraries, work.path());
  auto measure = setup.measure(
      {{"path", fs::absolute(subject.path).string()},
       {"device", subject.device},
       {"inputs", subject.inputs},
       {"inputsFile", subject.inputsFile.empty() ? "" : fs::absolute(subject.inputsFile).string()},
       {"seed", options.seed}});
  measure->begin();
  Reply opened = measure->finishOpening(hooksFor(options, "reading " + report.subject.path));
  Reply examined = opened;
  if (opened) {
    opened.body.at("device").get_to(report.device);
    opened.body.at("environment").get_to(report.environment);
    opened.body.at("inputs").get_to(report.inputs.specs);
    opened.body.at("inputsFrom").get_to(report.inputs.from);
    std::string doing = "examining the " + kind;
    examined = measure->request("component", {{"kind", kind}, {"heads", heads}}, doing, nullptr,
                                hooksFor(options, doing));
  }
  if (examined) examined.body.at("properties").get_to(report.component->properties);
  else
    report.errors.push_back({examined.kind == Reply::Kind::Refused ? examined.where : "", examined.reason});
  return report;
}

}  // namespace kadvise
