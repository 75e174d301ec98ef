#include "analyzer/source/overrun_rule.h"

#include <algorithm>

#include "analyzer/source/block_run.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/index_flow.h"
#include "analyzer/source/launch_words.h"
#include "analyzer/source/page_edit.h"
#include "analyzer/source/place.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

class MentionsGrid : public Visitor {
 public:
  bool VisitPseudoObjectExpr(clang::PseudoObjectExpr* e) override {
    auto index = builtinIndexOf(e);
    found |=
        index && (index->kind == BuiltinIndex::Kind::Block || index->kind == BuiltinIndex::Kind::GridSize);
    return !found;
  }
  bool found = false;
};

// The simulated block is one of many, which may not be there.
bool hangsOnGrid(const clang::FunctionDecl& kernel, const clang::Expr* e) {
  MentionsGrid mentions;
  mentions.TraverseStmt(const_cast<clang::Expr*>(e));
  bool comesFromBlock = false;
  for (int axis = 0; axis < 3; ++axis) comesFromBlock |= IndexFlow(kernel, axis).comesFromBlock(e);
  return mentions.found || comesFromBlock;
}

// Launches of another instance of the template say nothing of this one's arrays.
const LaunchSite* launchOfThis(Analyses& analyses, const clang::FunctionDecl& kernel) {
  for (auto& l : analyses.launches())
    if (l.instance && l.instance->getCanonicalDecl() == kernel.getCanonicalDecl()) return &l;
  return nullptr;
}

std::string threadsOf(const BlockSetting& setting) {
  auto& b = setting.block;
  return b[1] == 1 && b[2] == 1 ? std::to_string(b[0]) : words({b[0], b[1], b[2]});
}

// How the array's length is said.
std::string lengthOf(const Unit& unit, const BlockRun& run) {
  auto* array = unit.context.getAsConstantArrayType(run.overrun->array->getType());
  if (!array) return "for which the launch gives " + std::to_string(*run.setting.dynamicBytes) + " bytes";
  return "which has " + std::to_string(array->getSize().getZExtValue()) +
         (array->getElementType()->isArrayType() ? " rows" : " elements");
}

std::string messageOf(const Unit& unit, const BlockRun& run) {
  auto& o = *run.overrun;
  std::string text = brief(textOf(unit, o.site->getSourceRange())), name = o.array->getNameAsString();
  if (run.hasNoDynamicBytes())
    return (text.empty() ? "an element" : "`" + text + "`") + " lies in " + name +
           ", dynamic shared memory of which the launch gives nothing";
  std::string thread = "thread " + std::to_string(o.thread);
  return (text.empty() ? "the element of " + thread : "`" + text + "` of " + thread) +
         " lies behind the end of " + name + ", " + lengthOf(unit, run) + ": a block has " +
         threadsOf(run.setting) + " threads";
}

void report(Analyses& analyses, const RulePage& page, Findings& findings, bool ofNothing) {
  auto& unit = analyses.unit();
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel)) continue;
    auto* launch = launchOfThis(analyses, *kernel);
    auto& launches = analyses.launchesOf(*kernel);
    bool isOpen = kernel->isTemplateInstantiation() ? !launch : launches.empty();
    if (isOpen) continue;
    for (auto& run : analyses.runsOf(*kernel)) {
      if (!run.overrun || run.hasNoDynamicBytes() != ofNothing) continue;
      auto& o = *run.overrun;
      auto isOfGrid = [&](const clang::Expr* e) { return e && hangsOnGrid(*kernel, e); };
      bool isOfSomeBlocks =
          (!ofNothing && isOfGrid(o.site)) || std::any_of(o.conditions.begin(), o.conditions.end(), isOfGrid);
      if (isOfSomeBlocks) continue;
      Site site;
      site.range = o.site->getSourceRange();
      site.function = kernel;
      site.message = messageOf(unit, run);
      site.related.push_back(noted(placeOf(unit, o.array->getSourceRange()), "the array"));
      auto where = launch ? placeOf(unit, launch->call->getSourceRange()) : launches.front().where;
      site.related.push_back(noted(where, "the launch"));
      findings.add(page, std::move(site));
    }
  }
}

}  // namespace

void sharedArrayTooShort(Analyses& analyses, const RulePage& page, Findings& findings) {
  report(analyses, page, findings, false);
}

void sharedMemoryNotGiven(Analyses& analyses, const RulePage& page, Findings& findings) {
  report(analyses, page, findings, true);
}

}  // namespace kadvise::source
