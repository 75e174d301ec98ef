#include "analyzer/source/rule_book.h"

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"

namespace kadvise::source {

std::vector<std::string> RuleBook::ids() const {
  std::vector<std::string> out;
  for (auto& p : pages) out.push_back(p->id);
  return out;
}

void RuleBook::run(Analyses& analyses, Findings& findings) const {
  findings.lookAt(analyses.unit());
  runPageRules(analyses.unit(), pageRules, findings);
  runFormulaRules(analyses, formulaRules, findings);
  for (auto& [page, rule] : codedRules) rule(analyses, *page, findings);
}

RuleBook loadRules(const std::vector<std::string>& paths) {
  RuleBook out;
  for (auto& path : paths) {
    auto& page = *out.pages.emplace_back(std::make_unique<RulePage>(parseRulePage(path, readFile(path))));
    if (!page.with("matcher").empty()) out.pageRules.push_back(compilePageRule(page));
    if (!page.with("formula").empty()) out.formulaRules.push_back(compileFormulaRule(page));
    // On a page about modules as well, the function is one over modules.
    if (page.function.empty() || page.readsModules()) continue;
    auto rule = codedRule(page.function);
    if (!rule) throw Error(path, "there is no coded rule \"" + page.function + "\"");
    out.codedRules.emplace_back(&page, rule);
  }
  return out;
}

}  // namespace kadvise::source
