#include "analyzer/measure_run.h"

#include <chrono>

namespace kadvise {
namespace fs = std::filesystem;

MeasureRun::MeasureRun(const AssistantOptions& options, const Subject& subject, Report& report)
    : options_(options),
      report_(report),
      work_(options.workDir),
      setup_(setUpEngines(options, subject.opLibraries, work_.path())) {
  report.tool = {"kadvise", KADVISE_VERSION};
  report.command = options.command;
  report.subject.path = subject.path.string();
  report.inputs = {subject.inputs, "none", subject.inputsFile.string(), options.seed};
  openArguments_ = {
      {"path", subject.path.empty() ? "" : fs::absolute(subject.path).string()},
      {"device", subject.device},
      {"inputs", subject.inputs},
      {"inputsFile", subject.inputsFile.empty() ? "" : fs::absolute(subject.inputsFile).string()},
      {"seed", options.seed}};
  measure_ = another();
}

bool MeasureRun::open() {
  measure_->begin();
  Reply opened = measure_->finishOpening(
      hooks(report_.subject.path.empty() ? "starting kadvise-measure" : "reading " + report_.subject.path));
  if (!opened) {
    fail(opened);
    return false;
  }
  opened.body.at("device").get_to(report_.device);
  opened.body.at("environment").get_to(report_.environment);
  opened.body.at("inputs").get_to(report_.inputs.specs);
  opened.body.at("inputsFrom").get_to(report_.inputs.from);
  return true;
}

Reply MeasureRun::tryAsking(const std::string& verb, const Json& arguments, const std::string& doing) {
  return measure_->request(verb, arguments, doing, reporting(), hooks(doing));
}

std::optional<Json> MeasureRun::ask(const std::string& verb, const Json& arguments,
                                    const std::string& doing) {
  Reply reply = tryAsking(verb, arguments, doing);
  if (reply) return reply.body;
  fail(reply);
  return std::nullopt;
}

void MeasureRun::fail(const Reply& reply) {
  report_.errors.push_back({reply.kind == Reply::Kind::Refused ? reply.where : "", reply.reason});
}

WaitHooks MeasureRun::hooks(const std::string& doing) {
  auto since = std::chrono::steady_clock::now();
  progress_ = {doing, "", 0, 0, 0};
  auto tick = [this, since] {
    progress_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
    if (options_.progress) options_.progress(progress_);
  };
  return {tick, options_.interrupted};
}

MessageHandler MeasureRun::reporting() {
  return [this](const std::string& type, const Json& body) {
    if (type != "progress") return;
    body.at("what").get_to(progress_.detail);
    body.at("done").get_to(progress_.done);
    body.at("total").get_to(progress_.total);
  };
}

}  // namespace kadvise
