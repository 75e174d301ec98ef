// The part of a campaign that opens the module in both engines and settles what it is run with.
#include "analyzer/campaign.h"
#include "analyzer/core/file.h"
#include "analyzer/measure_opening.h"
#include "analyzer/subject_check.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kExportedExtension = ".pt2";

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (auto& p : parts) out += (out.empty() ? "" : " ") + p;
  return out;
}

// "(x: Tensor, mask: Tensor)"
std::string parameterWords(const std::vector<Argument>& arguments) {
  std::string out;
  for (auto& a : arguments) out += (out.empty() ? "" : ", ") + a.name + ": " + a.type;
  return "(" + out + ")";
}

}  // namespace

// Both engines load the same file at the same time; only an exported program has to be converted first.
void Campaign::start() {
  auto path = fs::absolute(subject_.path).string();
  graph_ = setup_.startGraph();
  Json load = {{"path", path}, {"workDir", work_.path().string()}, {"opLibraries", setup_.opLibraries}};
  if (auto& rules = setup_.installation.rules; !rules.empty()) load["bundled"] = fs::absolute(rules).string();
  graph_->send("load", load, "reading the module", nullptr, setup_.limitsOfLoading(subject_.path));
  graphHistory_.emplace_back("load", load);
  measure_ = setup_.measure(openArguments(subject_, path, options_.seed));
  if (subject_.path.extension() != kExportedExtension) measure_->begin();
}

bool Campaign::open(Behind behind) {
  phase("load");
  start();
  progress_.phase = "reading " + report_.subject.path;
  std::vector<Engine*> engines = {graph_.get()};
  if (measure_->engine()) engines.push_back(measure_->engine());
  waitFor(engines, hooks(), graph_.get());
  Reply loaded = graph_->take();
  if (!loaded) return stop(loaded);  // what measure says of such a file adds nothing
  describeSubject(loaded.body);
  if (behind == Behind::Match) compilePages();
  Reply opened = openMeasure(loaded.body);
  if (opened) {
    describeRun(opened.body);
    return true;
  }
  bool none = subject_.inputs.empty() && subject_.inputsFile.empty() && !report_.subject.arguments.empty();
  return none && areInputsMissing(opened) ? goOnWithoutInputs(opened.where, opened.reason) : stop(opened);
}

Json Campaign::pagesOfRun() const {
  Json pages = Json::array();
  for (auto* page : rules_) pages.push_back(fs::absolute(page->path).string());
  return pages;
}

// It has nothing else to do until the module is open and traced.
void Campaign::compilePages() {
  graph_->send("compile", {{"rules", pagesOfRun()}}, "compiling the rule pages", nullptr);
}

Reply Campaign::pagesCompiled() {
  progress_ = {graph_->doing(), "", 0, 0, 0};
  waitFor({graph_.get()}, hooks());
  return graph_->take();
}

Reply Campaign::openMeasure(const Json& loaded) {
  bool given = !subject_.inputs.empty() || !subject_.inputsFile.empty();
  auto converted = loaded.at("converted").get<std::string>(),
       samples = loaded.at("samples").get<std::string>();
  if (!converted.empty()) {
    report_.notes.push_back(
        "the original is the exported program run through TorchScript, and --apply writes a TorchScript "
        "module (.pt); "
        "to stay with torch.export, make the replacements in the model's Python source and export it again");
    Json arguments = openArguments(subject_, (work_.path() / converted).string(), options_.seed);
    bool own = !given && !samples.empty();
    if (own) arguments["inputsFile"] = (work_.path() / samples).string(), report_.inputs.from = "samples";
    measure_->beginWith(arguments);
  }
  Reply opened = measure_->finishOpening(hooks());
  if (given && !converted.empty() && areInputsMissing(opened))
    opened.reason += flatInputsRemedy(!samples.empty());
  if (given || !areInputsMissing(opened)) return opened;
  auto guessed = loaded.at("guessed").get<std::vector<std::string>>();
  return openWithGuesses(*measure_, guessed, std::move(opened), hooks(), report_);
}

// Without inputs nothing can run, and what needs no shapes can still be found.
bool Campaign::goOnWithoutInputs(const std::string& where, const std::string& why) {
  hasInputs_ = false;
  if (report_.device.kind.empty())
    report_.device.kind = subject_.device.rfind("cuda", 0) == 0 ? "cuda" : "cpu";
  report_.whole.reason = "not measured: no inputs were given";
  if (options_.verify) report_.errors.push_back({where, why});
  else report_.notes.push_back(where + ": " + why);
  values_ = "values.json";
  writeFile(work_.path() / values_, "{\"values\": {}}\n");
  return true;
}

// forward itself failed: with inputs of the user's that ends the run, with guessed ones only what needs them.
bool Campaign::forwardFailed(const Reply& traced) {
  if (traced.kind == Reply::Kind::Died) return stop(traced);
  auto& inputs = report_.inputs;
  if (inputs.from == "inferred")
    return goOnWithoutInputs("inputs", "they were guessed (" + joined(inputs.specs) +
                                           "), and forward fails with them: " + traced.reason +
                                           "; give --input for each argument of forward" +
                                           parameterWords(report_.subject.arguments));
  if (traced.where != "trace") return stop(traced);
  return stop(report_.subject.path,
              "forward fails with the inputs " + joined(inputs.specs) + ": " + traced.reason);
}

}  // namespace kadvise
