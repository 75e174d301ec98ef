#include "analyzer/source/vector_rules.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "analyzer/source/device_code.h"
#include "analyzer/source/place.h"
#include "analyzer/source/prices.h"
#include "analyzer/source/roots.h"
#include "analyzer/source/seen_access.h"

namespace kadvise::source {
namespace {

constexpr std::int64_t kWidest = 16, kLongest = 128;

// Elements that each lane takes beside each other, up to the next lane's.
std::int64_t elementsOfLane(const WarpAccess& w) {
  std::int64_t apart = std::llabs(w.apart);
  bool isKnown = !w.isMadeUp && w.lane == 1 && w.access.bytes > 0 && w.access.bytes < kWidest;
  bool isWhole =
      isKnown && apart % kWidest == 0 && apart > 0 && apart <= kLongest && kWidest % w.access.bytes == 0;
  return isWhole ? apart / w.access.bytes : 0;
}

bool isAligned(const WarpAccess& w) {
  return std::all_of(w.starts.begin(), w.starts.end(), [](auto s) { return s % kWidest == 0; });
}

bool follows(const WarpAccess& w, const WarpAccess& first, std::int64_t bytes) {
  bool isAlike = w.base == first.base && w.access.isWrite == first.access.isWrite &&
                 w.access.bytes == first.access.bytes && w.apart == first.apart && !w.isMadeUp &&
                 w.path.calls == first.path.calls && w.starts.size() == first.starts.size();
  for (std::size_t i = 0; isAlike && i < w.starts.size(); ++i)
    isAlike = w.starts[i] == first.starts[i] + bytes;
  return isAlike;
}

// Statements in one block run together, or not at all.
const clang::Stmt* blockAround(const Unit& unit, const clang::Stmt* s) {
  auto node = clang::DynTypedNode::create(*s);
  while (true) {
    auto parents = unit.context.getParents(node);
    if (parents.empty()) return nullptr;
    node = parents[0];
    if (node.get<clang::CompoundStmt>() || node.get<clang::IfStmt>() ||
        node.get<clang::ConditionalOperator>())
      return node.get<clang::Stmt>();
  }
}

// How many accesses of one lane one of 16 bytes would be; 0 where they are none that lie together.
int takenTogether(const Unit& unit, const WarpAccess& w, const std::vector<WarpAccess>& all) {
  std::int64_t elements = elementsOfLane(w), most = w.access.bytes ? kWidest / w.access.bytes : 0;
  if (elements < 2 || !isAligned(w)) return 0;
  auto loops = loopsAround(unit, w.access.lvalue);
  if (w.walks && !loops.empty()) {
    auto turns = constantTurns(unit, loops.front().whole);
    return turns && *turns == elements ? static_cast<int>(most) : 0;
  }
  for (std::int64_t i = 1; i < most; ++i)
    if (std::none_of(all.begin(), all.end(), [&](auto& other) {
          return follows(other, w, i * w.access.bytes) &&
                 blockAround(unit, other.access.lvalue) == blockAround(unit, w.access.lvalue);
        }))
      return 0;
  return static_cast<int>(most);
}

}  // namespace

void vectorizableAccess(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel)) continue;
    auto all = accessesIn(analyses, *kernel, Space::Global);
    for (auto& w : all) {
      int taken = takenTogether(unit, w, all);
      if (taken < 2 || isFieldOfVector(unit, w.access)) continue;
      const char* done = w.access.isWrite ? "stores" : "loads";
      Site site =
          siteOf(unit, w, *kernel,
                 "each lane " + std::string(w.access.isWrite ? "writes " : "reads ") + std::to_string(taken) +
                     " elements of " + std::to_string(w.access.bytes) +
                     " bytes beside each other one by one, and lanes lie " +
                     std::to_string(std::llabs(w.apart)) + " bytes apart: one access of 16 bytes does it");
      site.price = instructionsPrice(taken, done);
      findings.add(page, std::move(site));
    }
  }
}

}  // namespace kadvise::source
