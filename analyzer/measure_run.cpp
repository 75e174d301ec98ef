#include "analyzer/measure_run.h"

#include <chrono>

#include "analyzer/measure_opening.h"
#include "analyzer/subject_check.h"

namespace kadvise {
namespace fs = std::filesystem;

MeasureRun::MeasureRun(const AssistantOptions& options, const Subject& subject, Report& report)
    : options_(options),
      report_(report),
      subject_(subject.path),
      areInputsGiven_(!subject.inputs.empty() || !subject.inputsFile.empty()),
      work_(options.workDir),
      setup_(setUpEngines(options, subject.opLibraries, work_.path())) {
  report.tool = {"kadvise", KADVISE_VERSION};
  report.command = options.command;
  report.subject.path = subject.path.string();
  report.inputs = {subject.inputs, "none", subject.inputsFile.string(), options.seed};
  openArguments_ =
      openArguments(subject, subject.path.empty() ? "" : fs::absolute(subject.path).string(), options.seed);
  measure_ = another();
}

// What an exported program is run as, and what its arguments may be, only kadvise-graph knows.
Reply MeasureRun::readInGraph() {
  auto graph = setup_.startGraph();
  graph->send("load",
              {{"path", fs::absolute(subject_).string()},
               {"workDir", work_.path().string()},
               {"opLibraries", setup_.opLibraries}},
              "reading the module", nullptr, setup_.limitsOfLoading(subject_));
  waitFor({graph.get()}, hooks("reading " + report_.subject.path));
  return graph->take();
}

bool MeasureRun::convert() {
  Reply loaded = readInGraph();
  if (!loaded) {
    fail(loaded);
    return false;
  }
  openArguments_["path"] = (work_.path() / loaded.body.at("converted").get<std::string>()).string();
  auto samples = loaded.body.at("samples").get<std::string>();
  remedyForInputs_ = flatInputsRemedy(!samples.empty());
  if (!areInputsGiven_ && !samples.empty()) {
    openArguments_["inputsFile"] = (work_.path() / samples).string();
    report_.inputs.from = "samples";
  }
  report_.notes.push_back("the exported program is run through TorchScript");
  measure_ = another();
  return true;
}

Reply MeasureRun::guessInputs(Reply refused) {
  Reply loaded = readInGraph();
  if (!loaded) return refused;
  auto guessed = loaded.body.at("guessed").get<std::vector<std::string>>();
  Reply opened = openWithGuesses(*measure_, guessed, std::move(refused),
                                 hooks("reading " + report_.subject.path), report_);
  if (opened) openArguments_ = measure_->openArguments();  // another one is opened on the same
  return opened;
}

bool MeasureRun::open() {
  if (subject_.extension() == ".pt2" && !convert()) return false;
  measure_->begin();
  Reply opened = measure_->finishOpening(
      hooks(report_.subject.path.empty() ? "starting kadvise-measure" : "reading " + report_.subject.path));
  bool isGuess = areInputsMissing(opened) && !areInputsGiven_ && !subject_.empty();
  if (isGuess) opened = guessInputs(std::move(opened));
  if (!opened) {
    if (areInputsMissing(opened) && areInputsGiven_) opened.reason += remedyForInputs_;
    fail(opened);
    return false;
  }
  opened.body.at("device").get_to(report_.device);
  opened.body.at("environment").get_to(report_.environment);
  opened.body.at("inputs").get_to(report_.inputs.specs);
  if (report_.inputs.from == "none") opened.body.at("inputsFrom").get_to(report_.inputs.from);
  for (auto& n : opened.body.value("notes", Json::array())) report_.notes.push_back(n.get<std::string>());
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
