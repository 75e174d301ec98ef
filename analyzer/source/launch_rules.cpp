#include "analyzer/source/launch_rules.h"

#include "analyzer/source/place.h"
#include "analyzer/source/written_once.h"

namespace kadvise::source {
namespace {

constexpr std::int64_t kMostThreads = 1024, kMostThreadsInZ = 64;

std::optional<std::int64_t> product(const Extent& e) {
  if (!e[0] || !e[1] || !e[2]) return std::nullopt;
  std::int64_t out = 0;
  if (__builtin_mul_overflow(*e[0], *e[1], &out) || __builtin_mul_overflow(out, *e[2], &out))
    return std::nullopt;
  return out;
}

std::string words(const Extent& e) {
  std::string out;
  for (auto& n : e) out += (out.empty() ? "" : " × ") + (n ? std::to_string(*n) : "?");
  return out;
}

Site siteAt(const LaunchSite& launch, std::string message) {
  Site site;
  site.range = launch.block ? launch.block->getSourceRange() : launch.call->getSourceRange();
  site.function = launch.caller;
  site.message = std::move(message);
  return site;
}

std::string nameOf(const LaunchSite& launch) {
  return launch.kernel ? launch.kernel->getNameAsString() : std::string("the kernel");
}

class Names : public clang::RecursiveASTVisitor<Names> {
 public:
  explicit Names(llvm::StringRef wanted) : wanted_(wanted) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) {
    found |= e->getDecl()->getIdentifier() && e->getDecl()->getName() == wanted_;
    return !found;
  }
  bool VisitOverloadExpr(clang::OverloadExpr* e) {
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

// The value behind casts, constructors of dim3 and variables that are set once.
const clang::Expr* withoutNames(const Unit& unit, const clang::Expr* e, int axis) {
  for (int i = 0; e && i < 8; ++i) {
    e = e->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
    if (auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
      if (made->getNumArgs() <= static_cast<unsigned>(axis)) return nullptr;
      e = made->getArg(static_cast<unsigned>(axis));
      axis = 0;
      continue;
    }
    auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
    auto* variable = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    if (!variable || !variable->getInit() || !isWrittenOnce(unit, *variable)) return e;
    e = variable->getInit();
  }
  return e;
}

// "n / 256": a quotient that leaves a remainder out, of a number that nothing was added to.
bool isRoundedDown(const Unit& unit, const clang::Expr* e, std::int64_t by) {
  auto* quotient = llvm::dyn_cast_or_null<clang::BinaryOperator>(e);
  if (!quotient || quotient->getOpcode() != clang::BO_Div || !quotient->getType()->isIntegerType())
    return false;
  auto divisor = constantOf(unit, quotient->getRHS());
  auto* dividend = withoutNames(unit, quotient->getLHS(), 0);
  bool isPlain =
      dividend && (llvm::isa<clang::DeclRefExpr>(dividend) || llvm::isa<clang::CXXMemberCallExpr>(dividend));
  return divisor && *divisor == by && isPlain && !constantOf(unit, dividend);
}

}  // namespace

void blockTooLarge(Analyses& analyses, const RulePage& page, Findings& findings) {
  for (auto& launch : analyses.launches()) {
    auto threads = product(launch.blockExtent);
    auto& z = launch.blockExtent[2];
    if (threads && *threads > kMostThreads)
      findings.add(page, siteAt(launch, nameOf(launch) + " is launched with " + std::to_string(*threads) +
                                            " threads a block (" + words(launch.blockExtent) +
                                            "); no GPU takes more than 1024, and the launch fails"));
    else if (z && *z > kMostThreadsInZ)
      findings.add(page,
                   siteAt(launch, nameOf(launch) + " is launched with " + std::to_string(*z) +
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
    Site site = siteAt(launch, nameOf(launch) + " is launched with " + std::to_string(*threads) +
                                   " threads a block, and its __launch_bounds__ allow " +
                                   std::to_string(*most) + ": the launch fails");
    site.related.push_back(placeOf(analyses.unit(), bounds->getRange()));
    site.related.back().note = "the bound";
    findings.add(page, std::move(site));
  }
}

void partialWarp(Analyses& analyses, const RulePage& page, Findings& findings) {
  for (auto& launch : analyses.launches()) {
    auto threads = product(launch.blockExtent);
    if (!threads || *threads % 32 == 0 || *threads > kMostThreads || *threads < 32) continue;
    findings.add(page, siteAt(launch, nameOf(launch) + " is launched with " + std::to_string(*threads) +
                                          " threads a block: " + std::to_string(32 - *threads % 32) +
                                          " lanes of its last warp stay empty"));
  }
}

void sharedMemoryNotRequested(Analyses& analyses, const RulePage& page, Findings& findings) {
  constexpr std::int64_t kWithoutAsking = 48 << 10;
  for (auto& launch : analyses.launches()) {
    if (!launch.constantSharedBytes || *launch.constantSharedBytes <= kWithoutAsking) continue;
    if (mentions(analyses.unit(), "cudaFuncSetAttribute")) return;
    Site site =
        siteAt(launch, nameOf(launch) + " is launched with " + std::to_string(*launch.constantSharedBytes) +
                           " bytes of dynamic shared memory; above 49152 they are only given after "
                           "cudaFuncSetAttribute, and the launch fails");
    site.range = launch.sharedBytes->getSourceRange();
    findings.add(page, std::move(site));
  }
}

void roundedDownGrid(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto& launch : analyses.launches()) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      auto& threads = launch.blockExtent[axis];
      auto* blocks = withoutNames(unit, launch.grid, static_cast<int>(axis));
      if (!threads || *threads < 2 || !isRoundedDown(unit, blocks, *threads)) continue;
      Site site = siteAt(launch, "the grid of " + nameOf(launch) +
                                     " is a quotient rounded down: what is left over by " +
                                     std::to_string(*threads) + " is not computed");
      site.range = launch.grid->getSourceRange();
      site.related.push_back(placeOf(unit, blocks->getSourceRange()));
      site.related.back().note = "the quotient";
      findings.add(page, std::move(site));
      break;
    }
  }
}

}  // namespace kadvise::source
