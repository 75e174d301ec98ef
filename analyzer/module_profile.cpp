#include "analyzer/module_profile.h"

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/measure_run.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kTrace = "trace.json";

// What was measured stands, wherever the trace goes.
void keepTrace(const fs::path& made, const fs::path& wanted, Report& report) {
  try {
    copyFile(made, wanted);
  } catch (const Error& e) {
    report.errors.push_back({"--trace " + e.where, e.reason});
  }
}

std::string counterRemedy() { return "`kadvise doctor` says what stands in the way of hardware counters"; }

// In a process of its own: what the counters do to it costs nothing else.
void addCounters(MeasureRun& run, Profile& profile, const Json& module, const ProfileOptions& options) {
  auto session = run.another();
  session->begin();
  std::string doing = "reading hardware counters";
  Reply counted = session->finishOpening(run.hooks(doing));
  if (counted)
    counted = session->request(
        "count", {{"module", module}, {"frozen", options.isFrozen}, {"kernels", options.countedKernels}},
        doing, run.reporting(), run.hooks(doing));
  if (!counted) {
    profile.absent.push_back({"hardware counters", counted.reason, counterRemedy()});
    return;
  }
  counted.body.at("counted").get_to(profile.counted);
  counted.body.at("how").get_to(profile.countedHow);
  for (auto& a : counted.body.at("absent")) profile.absent.push_back(a.get<Absent>());
}

}  // namespace

Report profileModule(const AssistantOptions& options, const Subject& subject, const ProfileOptions& wanted) {
  Report report;
  report.whole.reason = "not compared: a module was profiled";
  MeasureRun run(options, subject, report);
  report.profile.emplace();
  if (!run.open()) return report;
  Json module = {{"path", ""}};
  auto done = run.ask("profile",
                      {{"module", module},
                       {"graph", wanted.isGraph},
                       {"frozen", wanted.isFrozen},
                       {"trace", wanted.trace.empty() ? "" : kTrace}},
                      "profiling " + report.subject.path);
  if (!done) return report;
  report.profile = done->at("profile").get<Profile>();
  if (wanted.countedKernels > 0 && report.device.kind == "cuda")
    addCounters(run, *report.profile, module, wanted);
  if (!wanted.trace.empty()) keepTrace(run.workDir() / kTrace, wanted.trace, report);
  return report;
}

}  // namespace kadvise
