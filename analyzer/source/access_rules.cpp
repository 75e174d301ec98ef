#include "analyzer/source/access_rules.h"

#include <cstdlib>
#include <map>

#include "analyzer/source/device_code.h"
#include "analyzer/source/place.h"
#include "analyzer/source/warp_access.h"

namespace kadvise::source {
namespace {

constexpr int kFewestLanes = 16;  // of a warp that few lanes take part in little is lost
constexpr int kWastedFactor = 4;  // complex numbers and pairs, both halves of which are read, waste less
constexpr int kFewestTurns = 4;
constexpr std::int64_t kLineBytes = 128;

std::vector<WarpAccess> look(Analyses& analyses, const clang::FunctionDecl& kernel, Space space) {
  std::vector<WarpAccess> out;
  for (auto& w : analyses.warpAccessesOf(kernel))
    if (w.space == space && w.lanes >= kFewestLanes) out.push_back(w);
  return out;
}

std::string distanceOf(const WarpAccess& w) {
  std::string bytes = std::to_string(std::llabs(w.apart)) + " bytes apart";
  return w.isMadeUp ? "a stride apart that is not constant" : bytes;
}

std::string lanesOf(const WarpAccess& w) { return "lanes 0 and " + std::to_string(w.lane); }

bool isWasteful(const WarpAccess& w) { return w.sectors >= kWastedFactor * w.fewestSectors; }

// Neighbours of the element that the same thread takes too: what a sector brings along is used after all.
bool isUsedByNeighbours(const WarpAccess& one, const std::vector<WarpAccess>& all) {
  if (one.isMadeUp || one.apart == 0) return false;
  if (one.walks && std::llabs(one.apart) <= kLineBytes) return true;  // a vector of each thread, in a loop
  std::int64_t taken = 0;
  for (auto& other : all)
    if (other.base == one.base && other.apart == one.apart && !other.isMadeUp) taken += other.access.bytes;
  return 2 * taken >= std::llabs(one.apart);
}

Site siteOf(const WarpAccess& seen, const clang::FunctionDecl& kernel, std::string message) {
  Site site;
  site.range = seen.access.lvalue->getSourceRange();
  site.function = &kernel;
  site.message = std::move(message);
  return site;
}

// "[C]" of a shared array of two dimensions with C * sizeof a multiple of all banks becomes "[C + 1]".
void addPadding(const Unit& unit, const WarpAccess& seen, Site& site) {
  auto* variable = llvm::dyn_cast_or_null<clang::VarDecl>(seen.base);
  auto* info = variable ? variable->getTypeSourceInfo() : nullptr;
  auto outer = info ? info->getTypeLoc().getAs<clang::ArrayTypeLoc>() : clang::ArrayTypeLoc();
  auto inner = outer ? outer.getElementLoc().getAs<clang::ArrayTypeLoc>() : clang::ArrayTypeLoc();
  if (!inner || !inner.getSizeExpr() || inner.getElementLoc().getAs<clang::ArrayTypeLoc>()) return;
  auto range = clang::CharSourceRange::getTokenRange(inner.getSizeExpr()->getSourceRange());
  std::string size = textOf(unit, inner.getSizeExpr()->getSourceRange());
  auto edit = size.empty() ? std::nullopt : editOf(unit, range, size + " + 1");
  if (edit) site.fixes.push_back({"pad each row by one element", Safety::Unsafe, std::vector<Edit>{*edit}});
}

}  // namespace

void uncoalescedAccess(Analyses& analyses, const RulePage& page, Findings& findings) {
  for (auto* kernel : analyses.unit().deviceFunctions) {
    if (!isKernel(*kernel)) continue;
    auto all = look(analyses, *kernel, Space::Global);
    for (auto& w : all) {
      if (!isWasteful(w) || isUsedByNeighbours(w, all)) continue;
      findings.add(page, siteOf(w, *kernel,
                                lanesOf(w) + " of a warp " + (w.access.isWrite ? "write" : "read") +
                                    " elements " + distanceOf(w) + ": at least " + std::to_string(w.sectors) +
                                    " sectors of 32 bytes instead of " + std::to_string(w.fewestSectors)));
    }
  }
}

void bankConflict(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel)) continue;
    auto all = look(analyses, *kernel, Space::Shared);
    for (auto& w : all) {
      // All words of one element: the compiler takes them in one wide access.
      if (w.turns < kFewestTurns || (w.turns == kFewestTurns && isUsedByNeighbours(w, all))) continue;
      Site site = siteOf(w, *kernel,
                         lanesOf(w) + " of a warp " + (w.access.isWrite ? "write" : "read") +
                             " shared words of one bank, " + distanceOf(w) + ": " + std::to_string(w.turns) +
                             " turns instead of one");
      addPadding(unit, w, site);
      findings.add(page, std::move(site));
    }
  }
}

}  // namespace kadvise::source
