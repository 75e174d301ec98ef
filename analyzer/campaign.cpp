#include "analyzer/campaign.h"

#include <algorithm>
#include <fstream>
#include <set>

#include "analyzer/core/file.h"
#include "analyzer/core/hardware.h"
#include "analyzer/finding_policy.h"
#include "analyzer/rule_selection.h"
#include "analyzer/subject_check.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

// The last thing an engine printed often says more than its exit code.
std::string lastLine(const fs::path& log) {
  constexpr std::size_t kMost = 300;
  std::ifstream in(log, std::ios::binary);
  std::string line, last;
  while (std::getline(in, line))
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line.substr(0, kMost);
  return last;
}

const char* keepWord(Keep keep) {
  if (keep == Keep::Faster) return "faster";
  return keep == Keep::Equal ? "equal" : "not-slower";
}

}  // namespace

Campaign::Campaign(const AssistantOptions& options, const Subject& subject)
    : options_(options),
      subject_(checked(subject)),
      work_(options.workDir),
      setup_(setUpEngines(options, subject.opLibraries, work_.path())),
      book_(loadCatalogue(ruleFolders(setup_.installation, options.rules))),
      rules_(rulesOfRun(book_, options)),
      baseline_(options.baseline.empty() ? std::vector<BaselineEntry>()
                                         : readBaseline(options.baseline.string())),
      start_(Clock::now()) {
  choosesBudget_ = options.budgetSeconds <= 0;
  if (choosesBudget_) options_.budgetSeconds = kUsualBudgetSeconds;
  chooseGpu(options.arch, "", 0);  // a wrong name is said before anything starts
  report_.tool = {"kadvise", KADVISE_VERSION};
  report_.command = options.command;
  report_.subject.path = subject.path.string();
  report_.configuration = options.configuration.path.string();
  report_.inputs = {subject.inputs, "none", subject.inputsFile.string(), options.seed};
  if (options.verify) report_.settings = Settings{keepWord(options.keep), options_.budgetSeconds, 0};
  if (options.mostNear > 0) {
    report_.whyNot.emplace();
    for (auto* page : rules_) report_.whyNot->rules.push_back(page->id);
  }
  for (auto& e : book_.errors) report_.errors.push_back({e.where, e.reason});
  if (setup_.installation.kernelLibrary.empty())
    report_.notes.push_back(
        "libkadvise_kernels.so was not found beside kadvise: replacements that need it are left out");
}

Report Campaign::advise(const fs::path& output) {
  try {
    if (steps() && !output.empty()) write(output);
  } catch (const Json::exception& e) {
    stop("engines",
         std::string("an answer was not as agreed (install kadvise's programs from one build): ") + e.what());
  }
  if (!options_.writeBaseline.empty()) keepBaseline();
  if (!output.empty() && !report_.output) report_.output = Output{output.string(), false, whyNotWritten()};
  if (measure_)
    for (auto& m : measure_->mended()) report_.notes.push_back(m);
  describeRules();
  caseErrors_.tell(report_);
  phase("");
  report_.timing["total"] = secondsSince(start_);
  return std::move(report_);
}

bool Campaign::steps() {
  if (!open(Behind::Match) || !trace() || !match()) return false;
  bool isDecided = hasInputs_ && decide();
  noteUnusedPolicy(report_, options_.configuration);
  return isDecided;
}

// What was not measured costs speed that the user never hears of: many proposals get more time.
void Campaign::chooseBudget() {
  constexpr double kMostSeconds = 120,
                   kEachSeconds = 3;  // a proposal takes one to two, half of it all is theirs
  constexpr std::size_t kWithinUsual = 12;
  std::size_t proposals = report_.candidates.size();
  if (!choosesBudget_ || proposals <= kWithinUsual) return;
  double more = kEachSeconds * static_cast<double>(proposals - kWithinUsual);
  options_.budgetSeconds = std::min(kUsualBudgetSeconds + more, kMostSeconds);
  report_.settings->budgetSeconds = options_.budgetSeconds;
}

bool Campaign::decide() {
  if (options_.verify) chooseBudget();
  if (!options_.verify) {
    report_.whole.reason = report_.candidates.empty() ? "nothing to apply" : "not measured (--no-verify)";
    return true;
  }
  if (report_.candidates.empty()) report_.whole.reason = "nothing to apply";
  else prove();
  if (report_.errors.empty()) tryCudaGraph();
  return true;
}

void Campaign::describeSubject(const Json& loaded) {
  base_ = loaded.at("base").get<std::string>();
  baseFp64_ = loaded.at("baseFp64").get<std::string>();
  ReportSubject& s = report_.subject;
  loaded.at("format").get_to(s.format);
  loaded.at("nodes").get_to(s.nodes);
  loaded.at("parameters").get_to(s.parameters);
  loaded.at("parameterBytes").get_to(s.parameterBytes);
  loaded.at("inputs").get_to(s.arguments);
  for (auto& n : loaded.at("notes")) report_.notes.push_back(n.get<std::string>());
}

void Campaign::describeRun(const Json& opened) {
  opened.at("device").get_to(report_.device);
  opened.at("environment").get_to(report_.environment);
  opened.at("inputs").get_to(report_.inputs.specs);
  if (report_.inputs.from == "none") opened.at("inputsFrom").get_to(report_.inputs.from);
  for (auto& n : opened.value("notes", Json::array())) report_.notes.push_back(n.get<std::string>());
}

bool Campaign::trace() {
  if (!hasInputs_) return true;
  phase("trace");
  Reply traced =
      askMeasure("trace", {{"base", moduleAt(base_)}, {"out", "values.json"}, {"save", Json::array()}},
                 "tracing " + report_.subject.path);
  if (!traced) return forwardFailed(traced);
  values_ = traced.body.at("values").get<std::string>();
  return true;
}

bool Campaign::match() {
  phase("match");
  if (Reply compiled = pagesCompiled(); !compiled) return stop(compiled);
  auto choice = chooseGpu(options_.arch, report_.device.name, report_.device.arch);
  Json arguments = {{"values", (work_.path() / values_).string()},
                    {"rules", pagesOfRun()},
                    {"maxLevel", options_.level},
                    {"device", report_.device.kind},
                    {"arch", report_.device.arch},
                    {"gpu", choice.gpu->name},
                    {"mostNear", options_.mostNear},
                    {"allowApproximate", options_.allowApproximate}};
  Reply matched =
      askGraph("match", arguments,
               "matching " + std::to_string(rules_.size()) + (rules_.size() == 1 ? " rule" : " rules"),
               [this](const std::string& type, const Json& body) { receiveMatch(type, body); });
  if (!matched) return stop(matched);
  graphHistory_.emplace_back("match", arguments);
  applyPolicy(report_, options_.configuration);
  if (!options_.baseline.empty()) judgeByBaseline();
  matched.body.at("refused").get_to(report_.refused);
  if (report_.whyNot) matched.body.at("near").get_to(report_.whyNot->near);
  matched.body.at("notApplicable").get_to(report_.notApplicable);
  tellUnusablePages();
  if (matched.body.contains("readiness")) report_.readiness = matched.body.at("readiness").get<Readiness>();
  looksAgain_ = matched.body.value("looksAgain", false);
  if (matched.body.contains("generated"))
    report_.generated = matched.body.at("generated").get<GeneratedShare>();
  if (matched.body.contains("estimate")) {
    report_.estimate = matched.body["estimate"].get<WholeEstimate>();
    report_.estimate->reason = choice.reason;
    matched.body.at("modules").get_to(report_.modules);
    report_.memory = matched.body.at("memory").get<PeakMemory>();
  }
  return true;
}

// kadvise-graph names such a page by its path: it is no rule that found nothing.
void Campaign::tellUnusablePages() {
  auto isPage = [](const NotApplicable& n) { return n.rule.ends_with(".md"); };
  for (auto& n : report_.notApplicable)
    if (isPage(n)) report_.errors.push_back({n.rule, n.reason});
  std::erase_if(report_.notApplicable, isPage);
}

void Campaign::judgeByBaseline() {
  std::vector<std::string> ran;
  for (auto* page : rules_) ran.push_back(page->id);
  report_.baseline = useBaseline(report_, baseline_, ran);
  report_.baseline->path = options_.baseline.string();
}

// A run that ended early has not seen all: its baseline would later call findings new that are not.
void Campaign::keepBaseline() {
  if (!report_.errors.empty()) return;
  try {
    writeFile(options_.writeBaseline, baselineText(report_, baseline_));
  } catch (const Error& e) {
    report_.errors.push_back({e.where, e.reason});
  }
}

void Campaign::receiveMatch(const std::string& type, const Json& body) {
  if (type == "finding") report_.findings.push_back(body.get<Finding>());
  if (type == "artefact") report_.candidates.push_back(body.get<Candidate>());
}

// The pages' words for the rules that this report speaks of.
void Campaign::describeRules() {
  std::set<std::string> ids;
  for (auto& f : report_.findings) ids.insert(f.rule);
  for (auto& c : report_.candidates) ids.insert(c.rule);
  for (auto& r : report_.refused) ids.insert(r.rule);
  if (report_.whyNot) ids.insert(report_.whyNot->rules.begin(), report_.whyNot->rules.end());
  for (auto& id : ids) {
    auto* page = book_.find(id);
    if (!page) continue;
    RuleText& text = report_.rules[id];
    text.title = page->title;
    if (report_.whyNot) continue;
    for (const char* name : {"What it finds", "Why it costs", "What to write instead", "In C++", "Limits"})
      if (auto it = page->sections.find(name); it != page->sections.end() && !it->second.empty())
        text.sections[name] = it->second;
  }
}

Reply Campaign::askGraph(const std::string& verb, const Json& arguments, const std::string& doing,
                         MessageHandler handler) {
  progress_ = {doing, "", 0, 0, 0};
  graph_->send(verb, arguments, doing, reporting(std::move(handler)));
  waitFor({graph_.get()}, hooks());
  return graph_->take();
}

Reply Campaign::askMeasure(const std::string& verb, const Json& arguments, const std::string& doing,
                           MessageHandler handler) {
  progress_ = {doing, "", 0, 0, 0};
  return measure_->request(verb, arguments, doing, reporting(std::move(handler)), hooks());
}

// Takes what an engine says about its progress out of the messages.
MessageHandler Campaign::reporting(MessageHandler handler) {
  return [this, handler = std::move(handler)](const std::string& type, const Json& body) {
    if (type != "progress") {
      if (handler) handler(type, body);
      return;
    }
    body.at("what").get_to(progress_.detail);
    body.at("done").get_to(progress_.done);
    body.at("total").get_to(progress_.total);
  };
}

WaitHooks Campaign::hooks() {
  auto since = Clock::now();
  return {[this, since] {
            if (!options_.progress) return;
            progress_.seconds = secondsSince(since);
            options_.progress(progress_);
          },
          isInterrupted_ ? nullptr : options_.interrupted};
}

void Campaign::phase(const std::string& name) {
  if (!phase_.empty()) report_.timing[phase_] += secondsSince(phaseStart_);
  phase_ = name;
  phaseStart_ = Clock::now();
}

bool Campaign::stop(const Reply& reply) {
  if (reply.kind == Reply::Kind::Died) noteLastLine(reply);
  // An engine knows the whole path, or only what it was asked for; the reader knows the file as they named
  // it.
  bool ofModule =
      reply.where == fs::absolute(subject_.path).string() || reply.where == "open" || reply.where == "trace";
  return stop(ofModule ? report_.subject.path : reply.where, reply.reason);
}

bool Campaign::stop(const std::string& where, const std::string& what) {
  // A death names its engine in the sentence already.
  bool named = what.rfind(where, 0) == 0;
  report_.errors.push_back({named ? "" : where, what});
  report_.whole = Verdict{};
  report_.whole.reason = "not measured: " + what;
  return false;
}

void Campaign::noteLastLine(const Reply& death) {
  std::string last = lastLine(setup_.logOf(death.where));
  if (!last.empty()) report_.notes.push_back("the log of " + death.where + " ends with: " + last);
}

}  // namespace kadvise
