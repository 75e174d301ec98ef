#include "analyzer/source/returned_lanes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analyzer/source/constants.h"
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

// What it is in the first turn of the loop that it counts in, also in another function than the kernel.
std::optional<std::int64_t> firstValueOf(const Unit& unit, Threads& threads, const clang::Expr* e,
                                         const Thread& thread) {
  if (auto value = threads.valueOf(e, thread); value && !value->isMadeUp) return value->number;
  if (auto number = constantOf(unit, e)) return number;
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreParenImpCasts());
  auto* variable = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->getInit() ? constantOf(unit, variable->getInit()) : std::nullopt;
}

// The lanes that those of a warp read from, a pair each; none where that is not known. By "down" the lower
// half of twice the distance is what a sum needs: what the others get is not used.
std::vector<std::pair<std::size_t, std::size_t>> readsOf(const Unit& unit, Threads& threads,
                                                         const clang::CallExpr& call) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  bool isXor = isCallOf(&call, {"__shfl_xor_sync"}), isDown = isCallOf(&call, {"__shfl_down_sync"});
  auto warp = threadsOf(threads.sample());
  if ((!isXor && !isDown) || call.getNumArgs() < 3 || warp.size() < kLanes) return out;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    auto by = firstValueOf(unit, threads, call.getArg(2), warp[lane]);
    auto width = call.getNumArgs() > 3 ? firstValueOf(unit, threads, call.getArg(3), warp[lane]) : kLanes;
    if (!by || !width || *by < 0 || *width > static_cast<std::int64_t>(kLanes) || *by >= *width) return {};
    auto distance = static_cast<std::size_t>(*by), part = static_cast<std::size_t>(*width);
    if (isDown && distance > 0 && (distance & (distance - 1)) == 0 && lane % (2 * distance) >= distance)
      continue;
    auto other = isXor ? lane ^ distance : lane + distance;
    if (lane / part == other / part) out.push_back({lane, other});
  }
  return out;
}

// "row < rows && …": the sides of each comparison are as far from each other in both threads.
bool isAlikeIn(Threads& threads, const clang::Expr* condition, const Thread& one, const Thread& other) {
  auto* b = llvm::dyn_cast<clang::BinaryOperator>(condition->IgnoreParenImpCasts());
  if (!b) return false;
  if (b->isLogicalOp())
    return isAlikeIn(threads, b->getLHS(), one, other) && isAlikeIn(threads, b->getRHS(), one, other);
  if (!b->isComparisonOp()) return false;
  for (auto* side : {b->getLHS(), b->getRHS()}) {
    auto a = threads.valueOf(side, one), z = threads.valueOf(side, other);
    if (!a || !z || a->number != z->number) return false;
  }
  return true;
}

}  // namespace

const clang::Expr* readsReturned(Analyses& analyses, const clang::FunctionDecl& kernel,
                                 const clang::CallExpr& call) {
  auto conditions = returnsBefore(analyses.unit(), kernel, &call);
  if (conditions.empty()) return nullptr;
  auto isSeparated = [&](const Sample& sample, const clang::Expr* condition) {
    Threads threads(analyses.unit(), analyses.coursesOf(kernel), sample);
    auto warp = threadsOf(sample);
    auto reads = readsOf(analyses.unit(), threads, call);
    return std::any_of(reads.begin(), reads.end(), [&](auto& r) {
      return maySeparate(threads, condition, warp[r.first], warp[r.second]);
    });
  };
  auto samples = samplesFor(analyses.unit(), kernel, analyses.launches());
  for (auto* condition : conditions)
    if (std::all_of(samples.begin(), samples.end(),
                    [&](Sample s) { return s.turn = 0, isSeparated(s, condition); }))
      return condition;
  return nullptr;
}

bool readsLanesAlike(Analyses& analyses, const clang::FunctionDecl& kernel, const clang::CallExpr& call,
                     const clang::Expr* condition) {
  auto samples = samplesFor(analyses.unit(), kernel, analyses.launches());
  return std::all_of(samples.begin(), samples.end(), [&](Sample s) {
    s.turn = 0;
    Threads threads(analyses.unit(), analyses.coursesOf(kernel), s);
    auto warp = threadsOf(s);
    auto reads = readsOf(analyses.unit(), threads, call);
    return !reads.empty() && std::all_of(reads.begin(), reads.end(), [&](auto& r) {
      return isAlikeIn(threads, condition, warp[r.first], warp[r.second]);
    });
  });
}

bool isBoundsCheck(Analyses& analyses, const clang::FunctionDecl& kernel, const clang::Expr* condition) {
  auto* b = llvm::dyn_cast<clang::BinaryOperator>(condition->IgnoreParenImpCasts());
  if (!b || !b->isRelationalOp()) return false;
  auto samples = samplesFor(analyses.unit(), kernel, analyses.launches());
  return std::all_of(samples.begin(), samples.end(), [&](const Sample& sample) {
    Threads threads(analyses.unit(), analyses.coursesOf(kernel), sample);
    auto left = threads.valueOf(b->getLHS(), {}), right = threads.valueOf(b->getRHS(), {});
    return left && right && (left->isMadeUp || right->isMadeUp);
  });
}

}  // namespace kadvise::source
