#include "analyzer/source/beside_loops.h"

#include <algorithm>

#include "analyzer/source/roots.h"
#include "analyzer/source/seen_access.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr std::int64_t kManyTurns = 32;

// Of all loops around it together, up to kManyTurns.
std::int64_t turnsAround(const Unit& unit, const clang::Expr* e) {
  std::int64_t out = 1;
  for (auto& loop : loopsAround(unit, e)) {
    auto turns = constantTurns(unit, loop.whole);
    if (!turns || *turns > kManyTurns) return kManyTurns;
    out = std::min(out * std::max<std::int64_t>(*turns, 1), kManyTurns);
  }
  return out;
}

class CopiesInAssembly : public Visitor {
 public:
  bool VisitGCCAsmStmt(clang::GCCAsmStmt* s) override {
    llvm::StringRef text = s->getAsmString()->getString();
    found |= text.contains("cp.async") || text.contains("ld.global");
    return !found;
  }
  bool found = false;
};

}  // namespace

bool isOnce(const Unit& unit, const WarpAccess& w) {
  return loopsAround(unit, w.access.lvalue).empty() &&
         std::all_of(w.path.calls.begin(), w.path.calls.end(),
                     [&](auto* call) { return loopsAround(unit, call).empty(); });
}

bool isKeptInShared(const Unit& unit, const Courses& courses, const WarpAccess& w) {
  if (w.access.isWrite || !isOnce(unit, w)) return false;
  auto node = clang::DynTypedNode::create<clang::Stmt>(*w.access.lvalue);
  const clang::Expr* e = w.access.lvalue;
  const clang::BinaryOperator* store = nullptr;
  while (!store && e) {
    auto parents = unit.context.getParents(node);
    if (parents.empty()) return false;
    node = parents[0];
    store = node.get<clang::BinaryOperator>();
    e = node.get<clang::CastExpr>();
    if (!e) e = node.get<clang::ParenExpr>();
  }
  return store && store->getOpcode() == clang::BO_Assign && isShared(rootOf(courses, store->getLHS()));
}

bool copiesInAssembly(const clang::FunctionDecl& f) {
  CopiesInAssembly visitor;
  visitor.TraverseStmt(f.getBody());
  return visitor.found;
}

bool isBesideLoops(const Unit& unit, const WarpAccess& one, const std::vector<WarpAccess>& all) {
  return isOnce(unit, one) &&
         std::any_of(all.begin(), all.end(), [&](auto& other) { return !isOnce(unit, other); });
}

bool hasGoodLongLoops(const Unit& unit, const std::vector<WarpAccess>& all,
                      llvm::function_ref<bool(const WarpAccess&)> isFault) {
  bool out = false;
  for (auto& w : all) {
    if (turnsAround(unit, w.access.lvalue) < kManyTurns) continue;
    if (isFault(w)) return false;
    out = true;
  }
  return out;
}

bool isEdgeOfTile(const Unit& unit, const WarpAccess& one, const std::vector<WarpAccess>& all) {
  if (!loopsAround(unit, one.access.lvalue).empty()) return false;
  return std::any_of(all.begin(), all.end(), [&](auto& other) {
    return other.base == one.base && !isWasteful(other) && other.apart == other.access.bytes * other.lane &&
           !loopsAround(unit, other.access.lvalue).empty();
  });
}

}  // namespace kadvise::source
