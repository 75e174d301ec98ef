#include "analyzer/source/returned_lanes.h"

#include <algorithm>

#include "analyzer/source/control.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/roots.h"

namespace kadvise::source {
namespace {

constexpr std::size_t kLanes = 32;

// Conditions of "if (…) return;" before it in the body of the kernel.
std::vector<const clang::Expr*> returnsBefore(const Unit& unit, const clang::FunctionDecl& kernel,
                                              const clang::Stmt* s) {
  std::vector<const clang::Expr*> out;
  auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(kernel.getBody());
  if (!body) return out;
  for (auto* before : body->body()) {
    if (isWithin(before, unit, s)) break;
    auto* branch = llvm::dyn_cast<clang::IfStmt>(before);
    if (!branch || branch->getElse()) continue;
    const clang::Stmt* then = branch->getThen();
    auto* block = llvm::dyn_cast<clang::CompoundStmt>(then);
    if (block && !block->body_empty()) then = block->body_back();
    if (llvm::isa<clang::ReturnStmt>(then)) out.push_back(branch->getCond());
  }
  return out;
}

// By "i >= n", with a size that is not known: whether some n takes the one lane and leaves the other.
bool maySeparate(Threads& threads, const clang::Expr* condition, const Thread& one, const Thread& other) {
  auto* b = llvm::dyn_cast<clang::BinaryOperator>(condition->IgnoreParenImpCasts());
  if (!b) return false;
  if (b->getOpcode() == clang::BO_LOr)
    return maySeparate(threads, b->getLHS(), one, other) || maySeparate(threads, b->getRHS(), one, other);
  if (!b->isRelationalOp() || agreementOn(threads, b, Among::Warp) != Agreement::Differs) return false;
  auto difference = [&](const Thread& t) -> std::optional<Value> {
    auto left = threads.valueOf(b->getLHS(), t), right = threads.valueOf(b->getRHS(), t);
    if (!left || !right) return std::nullopt;
    return Value{left->number - right->number, left->isMadeUp || right->isMadeUp};
  };
  auto a = difference(one), z = difference(other);
  return a && z && a->isMadeUp && a->number != z->number;
}

}  // namespace

const clang::Expr* readsReturned(Analyses& analyses, const clang::FunctionDecl& kernel,
                                 const clang::CallExpr& call) {
  bool isXor = isCallOf(&call, {"__shfl_xor_sync"}), isDown = isCallOf(&call, {"__shfl_down_sync"});
  if ((!isXor && !isDown) || call.getNumArgs() < 3) return nullptr;
  auto conditions = returnsBefore(analyses.unit(), kernel, &call);
  if (conditions.empty()) return nullptr;
  auto isSeparated = [&](const Sample& sample, const clang::Expr* condition) {
    Threads threads(analyses.unit(), analyses.coursesOf(kernel), sample);
    auto warp = threadsOf(sample);
    if (warp.size() < kLanes) return false;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      auto by = threads.valueOf(call.getArg(2), warp[lane]);
      auto width = call.getNumArgs() > 3 ? threads.valueOf(call.getArg(3), warp[lane]) : Value{32, false};
      bool isKnown = by && width && !by->isMadeUp && !width->isMadeUp && by->number > 0 && width->number > 0;
      if (!isKnown || by->number >= width->number || width->number > 32) return false;
      auto other =
          isXor ? lane ^ static_cast<std::size_t>(by->number) : lane + static_cast<std::size_t>(by->number);
      auto part = static_cast<std::size_t>(width->number);
      if (lane / part == other / part && maySeparate(threads, condition, warp[lane], warp[other]))
        return true;
    }
    return false;
  };
  auto samples = samplesFor(analyses.unit(), kernel, analyses.launches());
  for (auto* condition : conditions)
    if (std::all_of(samples.begin(), samples.end(),
                    [&](Sample s) { return s.turn = 0, isSeparated(s, condition); }))
      return condition;
  return nullptr;
}

}  // namespace kadvise::source
