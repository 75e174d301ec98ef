#include "analyzer/source/bounds_rules.h"

#include "analyzer/source/addresses.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/index_flow.h"
#include "analyzer/source/launch_words.h"
#include "analyzer/source/place.h"

namespace kadvise::source {
namespace {

// A launch with a grid that is rounded up along the axis, if all are whose grid is no constant; else nullptr.
const KnownLaunch* roundedUpIn(const std::vector<KnownLaunch>& launches, std::size_t axis) {
  const KnownLaunch* first = nullptr;
  for (auto& l : launches) {
    if (l.grid[axis]) continue;                         // whoever wrote the number knows the size
    bool isOne = l.block[axis] && *l.block[axis] == 1;  // nothing is left over
    if (!l.isRoundedUp[axis] || isOne) return nullptr;
    if (!first) first = &l;
  }
  return first;
}

// x[i] with an index that differs between blocks and threads, of what is not the block's own memory.
const clang::Expr* firstAccess(const Unit& unit, const clang::FunctionDecl& kernel, const IndexFlow& flow) {
  for (auto& access : accessesOf(unit, kernel)) {
    auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(access.lvalue->IgnoreParenImpCasts());
    if (!element || !flow.comesFromBlock(element->getIdx()) || !flow.comesFromThread(element->getIdx()))
      continue;
    auto* base = llvm::dyn_cast<clang::DeclRefExpr>(element->getBase()->IgnoreParenImpCasts());
    auto* parameter = base ? llvm::dyn_cast<clang::ParmVarDecl>(base->getDecl()) : nullptr;
    if (parameter && parameter->getType()->isPointerType()) return access.lvalue;
  }
  return nullptr;
}

}  // namespace

void unguardedIndex(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel)) continue;
    auto& launches = analyses.launchesOf(*kernel);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      auto* launch = roundedUpIn(launches, axis);
      if (!launch) continue;
      IndexFlow flow(*kernel, static_cast<int>(axis));
      auto* access = flow.isCheckedAnywhere() ? nullptr : firstAccess(unit, *kernel, flow);
      if (!access) continue;
      Site site;
      site.range = access->getSourceRange();
      site.function = kernel;
      site.message = "the grid is rounded up along " + std::string(kAxes[axis]) +
                     ", and no thread of the last block looks whether its index is still inside";
      site.related.push_back(noted(launch->where, "the launch"));
      findings.add(page, std::move(site));
      break;
    }
  }
}

void fixedGrid(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* kernel : unit.deviceFunctions) {
    auto launches = isKernel(*kernel) ? analyses.launchesOf(*kernel) : std::vector<KnownLaunch>{};
    IndexFlow flow(*kernel, 0);
    if (flow.usesGridSize() || !flow.isCheckedAnywhere()) continue;
    for (auto& l : launches) {
      auto blocks = product(l.grid);
      if (!l.site || !blocks || *blocks <= 1) continue;
      findings.add(
          page, siteAtGrid(unit, *l.site,
                           kernelNameOf(*l.site) + " is launched with " + std::to_string(*blocks) +
                               " blocks whatever the size is, and does not go on by the size of the grid"));
    }
  }
}

}  // namespace kadvise::source
