#include "analyzer/source/launch_rules.h"

#include <algorithm>

#include "analyzer/source/callers.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/function_names.h"
#include "analyzer/source/index_flow.h"
#include "analyzer/source/launch_words.h"
#include "analyzer/source/overrun_rule.h"
#include "analyzer/source/place.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr std::int64_t kMostThreadsInZ = 64;
constexpr std::int64_t kLeastEmptyShare = 8;  // of the lanes that run, an eighth

class Names : public Visitor {
 public:
  explicit Names(llvm::StringRef wanted) : wanted_(wanted) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    found |= e->getDecl()->getIdentifier() && e->getDecl()->getName() == wanted_;
    return !found;
  }
  bool VisitOverloadExpr(clang::OverloadExpr* e) override {
    found |= e->getName().getAsString() == wanted_;
    return !found;
  }
  bool found = false;

 private:
  llvm::StringRef wanted_;
};

bool mentions(const Unit& unit, llvm::StringRef name) {
  Names names(name);
  for (auto* d : unit.declarations) names.TraverseDecl(d);
  return names.found;
}

bool isRequestedElsewhere(const Unit& unit, const LaunchSite& launch) {
  if (!unit.surroundings || !launch.kernel) return false;
  FunctionName name = nameForOthers(unit, *launch.kernel);
  auto& all = unit.surroundings->requested;
  return std::any_of(all.begin(), all.end(), [&](auto& r) { return isSame(r, name); });
}

// A variable of the function that nobody can tell the value of: it may have been rounded up before.
bool isComputed(const clang::Expr* e) {
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  auto* variable = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->isLocalVarDecl();
}

// A parameter or a size of a tensor, or a product of such that is no multiple by its own factors.
bool isPlainSize(const Unit& unit, const clang::Expr* e) {
  auto* b = llvm::dyn_cast<clang::BinaryOperator>(e->IgnoreParenCasts());
  if (!b) {
    e = e->IgnoreParenCasts();
    bool isName = llvm::isa<clang::DeclRefExpr>(e) || llvm::isa<clang::CXXMemberCallExpr>(e);
    return isName && !isComputed(e) && !constantOf(unit, e);
  }
  return b->getOpcode() == clang::BO_Mul && isPlainSize(unit, b->getLHS()) && isPlainSize(unit, b->getRHS());
}

enum class Rest { None, Perhaps, Certain };

bool isGiven(const Unit& unit, const LaunchSite& launch, const clang::Expr* size) {
  std::string text = textOf(unit, size->getSourceRange());
  return std::any_of(launch.call->arg_begin(), launch.call->arg_end(), [&](auto* a) {
    auto* meant = axisOf(unit, a, 0);
    return meant && !text.empty() && textOf(unit, meant->getSourceRange()) == text;
  });
}

// "n / 256": a quotient that leaves a remainder out, of a number that nothing was added to.
Rest restOf(const Unit& unit, const LaunchSite& launch, const clang::Expr* e, std::int64_t by) {
  auto* quotient = llvm::dyn_cast_or_null<clang::BinaryOperator>(e);
  if (!quotient || quotient->getOpcode() != clang::BO_Div || !quotient->getType()->isIntegerType())
    return Rest::None;
  auto divisor = constantOf(unit, quotient->getRHS());
  auto* dividend = axisOf(unit, quotient->getLHS(), 0);
  if (!divisor || *divisor != by || !dividend) return Rest::None;
  if (auto n = constantOf(unit, dividend)) {
    // Where the kernel is given the very number, it is the number of its elements.
    return *n > 0 && *n % by != 0 && isGiven(unit, launch, dividend) ? Rest::Certain : Rest::None;
  }
  if (!isPlainSize(unit, dividend)) return Rest::None;
  return !llvm::isa<clang::BinaryOperator>(dividend) || isGiven(unit, launch, dividend) ? Rest::Perhaps
                                                                                        : Rest::None;
}

// "n % 256" somewhere in a function, or of a multiple, or by bits: it thought of what is left over.
class Remainders : public Visitor {
 public:
  Remainders(const Unit& unit, std::int64_t by) : unit_(unit), by_(by) {}
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    auto n = b->getOpcode() == clang::BO_Rem || b->getOpcode() == clang::BO_And
                 ? constantOf(unit_, b->getRHS())
                 : std::nullopt;
    if (!n) return !found;
    std::int64_t multiple = b->getOpcode() == clang::BO_Rem ? *n : *n + 1;
    found |= multiple > 0 && multiple % by_ == 0;
    return !found;
  }
  bool found = false;

 private:
  const Unit& unit_;
  std::int64_t by_;
};

// The functions that lead here ask for the remainder, or the kernel does, or it goes on by the size of the
// grid.
bool isRestKnown(Analyses& analyses, std::optional<Callers>& callers, const LaunchSite& launch,
                 std::int64_t by) {
  Remainders remainders(analyses.unit(), by);
  const clang::FunctionDecl* kernel = nullptr;
  if (launch.kernel && launch.kernel->hasBody(kernel)) {
    if (IndexFlow(*kernel, 0).usesGridSize()) return true;
    remainders.TraverseStmt(kernel->getBody());
  }
  if (!launch.caller || remainders.found) return remainders.found;
  remainders.TraverseStmt(launch.caller->getBody());
  if (!callers) callers.emplace(analyses);
  for (auto* f : callers->of(*launch.caller)) remainders.TraverseStmt(f->getBody());
  return remainders.found;
}

// Whoever launches a kernel with blocks of several sizes, each a constant, has chosen them for sizes of the
// data.
bool hasChosenSizes(const std::vector<LaunchSite>& launches, const LaunchSite& launch) {
  return std::any_of(launches.begin(), launches.end(), [&](auto& other) {
    auto threads = product(other.blockExtent);
    return launch.kernel && other.kernel && threads && threads != product(launch.blockExtent) &&
           asWritten(other.kernel) == asWritten(launch.kernel);
  });
}

}  // namespace

void blockTooLarge(Analyses& analyses, const RulePage& page, Findings& findings) {
  for (auto& launch : analyses.launches()) {
    auto threads = product(launch.blockExtent);
    auto& z = launch.blockExtent[2];
    if (threads && *threads > kMostThreadsOfBlock)
      findings.add(page, siteAtBlock(analyses.unit(), launch,
                                     kernelNameOf(launch) + " is launched with " + std::to_string(*threads) +
                                         " threads a block (" + words(launch.blockExtent) +
                                         "); no GPU takes more than 1024, and the launch fails"));
    else if (z && *z > kMostThreadsInZ)
      findings.add(page,
                   siteAtBlock(analyses.unit(), launch,
                               kernelNameOf(launch) + " is launched with " + std::to_string(*z) +
                                   " threads along z; no GPU takes more than 64, and the launch fails"));
  }
}

void launchBoundsViolated(Analyses& analyses, const RulePage& page, Findings& findings) {
  for (auto& launch : analyses.launches()) {
    auto* bounds = launch.kernel ? launch.kernel->getAttr<clang::CUDALaunchBoundsAttr>() : nullptr;
    if (!bounds) continue;
    auto most = constantOf(analyses.unit(), bounds->getMaxThreads());
    auto threads = product(launch.blockExtent);
    if (!most || !threads || *threads <= *most) continue;
    Site site = siteAtBlock(analyses.unit(), launch,
                            kernelNameOf(launch) + " is launched with " + std::to_string(*threads) +
                                " threads a block, and its __launch_bounds__ allow " + std::to_string(*most) +
                                ": the launch fails");
    site.related.push_back(placeOf(analyses.unit(), bounds->getRange()));
    site.related.back().note = "the bound";
    findings.add(page, std::move(site));
  }
}

void partialWarp(Analyses& analyses, const RulePage& page, Findings& findings) {
  for (auto& launch : analyses.launches()) {
    auto threads = product(launch.blockExtent);
    if (!threads || *threads % 32 == 0 || *threads > kMostThreadsOfBlock || *threads < 32) continue;
    std::int64_t empty = 32 - *threads % 32;
    if (empty * kLeastEmptyShare < *threads + empty || hasChosenSizes(analyses.launches(), launch)) continue;
    findings.add(page, siteAtBlock(analyses.unit(), launch,
                                   kernelNameOf(launch) + " is launched with " + std::to_string(*threads) +
                                       " threads a block: " + std::to_string(empty) +
                                       " lanes of its last warp stay empty"));
  }
}

void sharedMemoryNotRequested(Analyses& analyses, const RulePage& page, Findings& findings) {
  sharedMemoryNotGiven(analyses, page, findings);
  constexpr std::int64_t kWithoutAsking = 48 << 10;
  for (auto& launch : analyses.launches()) {
    if (!launch.constantSharedBytes || *launch.constantSharedBytes <= kWithoutAsking) continue;
    if (mentions(analyses.unit(), "cudaFuncSetAttribute")) return;
    if (isRequestedElsewhere(analyses.unit(), launch)) continue;
    Site site = siteAtBlock(analyses.unit(), launch,
                            kernelNameOf(launch) + " is launched with " +
                                std::to_string(*launch.constantSharedBytes) +
                                " bytes of dynamic shared memory; above 49152 they are only given after "
                                "cudaFuncSetAttribute, and the launch fails");
    site.range = launch.sharedBytes->getSourceRange();
    findings.add(page, std::move(site));
  }
}

void roundedDownGrid(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  std::optional<Callers> callers;  // of the file; few launches ask
  for (auto& launch : analyses.launches()) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      auto& threads = launch.blockExtent[axis];
      auto* blocks = axisOf(unit, launch.grid, static_cast<int>(axis));
      if (!threads || *threads < 2) continue;
      Rest rest = restOf(unit, launch, blocks, *threads);
      if (rest == Rest::None) continue;
      if (rest == Rest::Perhaps && isRestKnown(analyses, callers, launch, *threads)) continue;
      Site site = siteAtBlock(analyses.unit(), launch,
                              "the grid of " + kernelNameOf(launch) +
                                  " is a quotient rounded down: what is left over by " +
                                  std::to_string(*threads) + " is not computed");
      if (rest == Rest::Certain) site.confidence = "certain";
      site.range = launch.grid->getSourceRange();
      site.related.push_back(placeOf(unit, blocks->getSourceRange()));
      site.related.back().note = "the quotient";
      findings.add(page, std::move(site));
      break;
    }
  }
}

}  // namespace kadvise::source
