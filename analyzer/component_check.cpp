#include "analyzer/component_check.h"

#include <algorithm>

#include "analyzer/core/error.h"
#include "analyzer/measure_run.h"

namespace kadvise {
namespace {

constexpr const char* kKinds[] = {"attention", "norm", "mlp", "embedding"};

}  // namespace

Report examineComponent(const AssistantOptions& options, const Subject& subject, const std::string& kind,
                        int heads) {
  if (std::none_of(std::begin(kKinds), std::end(kKinds), [&](auto* k) { return kind == k; }))
    throw Error("component \"" + kind + "\"", "is not one of attention, norm, mlp, embedding");
  Report report;
  report.whole.reason = "not compared: a component was examined";
  report.component = ComponentCheck{kind, {}};
  MeasureRun run(options, subject, report);
  if (!run.open()) return report;
  auto examined = run.ask("component", {{"kind", kind}, {"heads", heads}}, "examining the " + kind);
  if (examined) examined->at("properties").get_to(report.component->properties);
  return report;
}

}  // namespace kadvise
