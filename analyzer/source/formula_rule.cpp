#include "analyzer/source/formula_rule.h"

#include <algorithm>

#include "analyzer/source/formula_match.h"
#include "analyzer/source/place.h"

namespace kadvise::source {
namespace {

namespace matchers = clang::ast_matchers;

// The names of a formula and the place itself, as what edits and messages of pages read.
class Bound : public matchers::internal::BoundNodesTreeBuilder::Visitor {
 public:
  void visitMatch(const matchers::BoundNodes& nodes) override { found.push_back(nodes); }
  std::vector<matchers::BoundNodes> found;
};

matchers::BoundNodes nodesOf(const TensorValues& values, int root, const FormulaMatch& match) {
  matchers::internal::BoundNodesTreeBuilder builder;
  builder.setBinding("site", clang::DynTypedNode::create(*values.at(root).written));
  for (auto& [name, at] : match.named)
    if (at.written) builder.setBinding(name, clang::DynTypedNode::create(*at.written));
  Bound bound;
  builder.visitMatches(&bound);
  return bound.found.at(0);
}

// A step that a variable keeps is computed whatever becomes of the last expression.
bool isOneExpression(const TensorValues& values, int root, const FormulaMatch& match) {
  return !values.at(root).isInPlace && std::none_of(match.inner.begin(), match.inner.end(), [&](auto& step) {
    return values.at(step.first).isKept || values.at(step.first).isInPlace;
  });
}

class Finder {
 public:
  Finder(Analyses& analyses, const clang::FunctionDecl& function, Findings& findings)
      : unit_(analyses.unit()), function_(function), values_(analyses.tensorValuesOf(function)),
        findings_(findings) {}

  void look(const FormulaRule& rule) {
    std::set<int> taken;
    for (int id = static_cast<int>(values_.values.size()) - 1; id >= 0; --id)
      if (values_.at(id).isTensor && values_.at(id).written && !taken.count(id)) lookAt(rule, id, taken);
  }

 private:
  void lookAt(const FormulaRule& rule, int id, std::set<int>& taken) {
    for (auto& group : rule.groups)
      for (auto& formula : group.formulas) {
        auto match = matchAt(unit_, values_, id, *formula);
        if (!match) continue;
        for (auto& step : match->inner) taken.insert(step.first);
        return report(*rule.page, group, id, *match);
      }
  }

  void report(const RulePage& page, const PageFormulas& group, int id, const FormulaMatch& match) {
    auto& root = values_.at(id);
    matchers::MatchFinder::MatchResult result(nodesOf(values_, id, match), &unit_.context);
    Site site;
    site.range = root.written->getSourceRange();
    site.function = &function_;
    site.message = page.message.empty() ? page.title
                                        : expand(unit_, page.message, result.Nodes).value_or(page.title);
    for (auto& step : match.inner) addStep(values_.at(step.first), site);
    if (isOneExpression(values_, id, match))
      for (auto& fix : group.fixes)
        if (auto made = fixAt(unit_, fix, result)) site.fixes.push_back(std::move(*made));
    findings_.add(page, std::move(site));
  }

  void addStep(const TensorValue& step, Site& site) const {
    if (!step.isKept || !step.written) return;
    site.related.push_back(placeOf(unit_, step.written->getSourceRange()));
    site.related.back().note = "a step of it";
  }

  const Unit& unit_;
  const clang::FunctionDecl& function_;
  const TensorValues& values_;
  Findings& findings_;
};

}  // namespace

FormulaRule compileFormulaRule(const RulePage& page) {
  FormulaRule out{&page, {}};
  bool isBehindFormula = false;
  for (auto& fence : page.fences) {
    if (fence.role == "formula") out.groups.push_back({parseFormulas(page, fence), {}});
    if (fence.role == "formula" || fence.role == "matcher") isBehindFormula = fence.role == "formula";
    if (fence.role == "edit" && isBehindFormula) out.groups.back().fixes.push_back(parsePageFix(page, fence));
  }
  return out;
}

void runFormulaRules(Analyses& analyses, const std::vector<FormulaRule>& rules, Findings& findings) {
  if (rules.empty()) return;
  for (auto* f : analyses.hostFunctions()) {
    Finder finder(analyses, *f, findings);
    for (auto& rule : rules) finder.look(rule);
  }
}

}  // namespace kadvise::source
