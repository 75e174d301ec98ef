#include <filesystem>
#include <system_error>

#include "analyzer/commands.h"
#include "analyzer/core/error.h"
#include "analyzer/installation.h"
#include "analyzer/last_report.h"
#include "analyzer/reported_run.h"
#include "analyzer/rule_selection.h"
#include "reports/text.h"

namespace kadvise {
namespace {

constexpr int kCouldNotRun = 2;
constexpr int kPlacesOfOne = 3, kPlacesOfAll = 1;  // of the nearest misses, of each rule

// The one argument names rules, and no file of that name is there.
void requireModel(const CommandLine& line) {
  auto& only = line.arguments.front();
  std::error_code ec;
  if (line.arguments.size() > 1 || std::filesystem::exists(only, ec)) return;
  auto book = loadCatalogue(ruleFolders(findInstallation(ownFolder()), line.assistant.rules));
  if (namesRules(book, only))
    throw Error("why-not",
                "MODEL is missing: name the module too, as in `kadvise why-not " + only + " model.pt`");
}

// MODEL RULE would be two names that mean nothing.
void requireOrder(const CommandLine& line) {
  if (line.arguments.size() < 2) return;
  auto &rule = line.arguments.back(), &model = line.arguments.front();
  std::error_code ec;
  if (std::filesystem::exists(rule, ec)) return;
  auto book = loadCatalogue(ruleFolders(findInstallation(ownFolder()), line.assistant.rules));
  if (namesRules(book, rule) && !namesRules(book, model))
    throw Error("why-not", "the rule comes first: `kadvise why-not " + rule + " " + model + "`");
}

// A rule over sources has nothing to say of a model.
void requireRuleOfModels(const CommandLine& line) {
  if (line.arguments.size() < 2) return;
  auto& rule = line.arguments.front();
  auto book = loadCatalogue(ruleFolders(findInstallation(ownFolder()), line.assistant.rules));
  auto* page = book.find(rule);
  if (page && !page->readsModules() && page->readsSources())
    throw Error("why-not",
                rule + " is a rule over C++ and CUDA sources: `kadvise lint --select " + rule + " FILE`");
}

// [RULE] MODEL; rules may be named by --rule too.
void takeArguments(CommandLine& line) {
  auto& arguments = line.arguments;
  line.subject.path = arguments.back();
  if (arguments.size() == 2) line.assistant.select.insert(line.assistant.select.begin(), arguments.front());
  line.assistant.mostNear = line.assistant.select.empty() ? kPlacesOfAll : kPlacesOfOne;
}

}  // namespace

int whyNot(CommandLine& line) {
  requireModel(line);
  requireOrder(line);
  requireRuleOfModels(line);
  takeArguments(line);
  line.assistant.verify = false;
  Report report =
      withProgress(line, [&] { return CompilerOptimizationAssistant(line.assistant).analyze(line.subject); });
  if (auto last = lastReportOf(line.subject.path); last && report.whyNot)
    report.whyNot->earlier = itemsOf(*last, report.whyNot->rules);
  printReport(report, line);
  warnOfErrors(report, line);
  return report.errors.empty() ? 0 : kCouldNotRun;
}

}  // namespace kadvise
