#include "analyzer/source/one_thread.h"

#include <algorithm>
#include <set>

#include "analyzer/source/control.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr int kDeepest = 3;

class CallsOf : public Visitor {
 public:
  explicit CallsOf(const clang::FunctionDecl& f) : wanted_(asWritten(&f)->getCanonicalDecl()) {}
  bool VisitCallExpr(clang::CallExpr* call) override {
    auto* f = calleeOf(call);
    if (f && asWritten(f)->getCanonicalDecl() == wanted_) found.push_back(call);
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) override {
    if (asWritten(made->getConstructor())->getCanonicalDecl() == wanted_) found.push_back(made);
    return true;
  }
  std::vector<const clang::Expr*> found;

 private:
  const clang::FunctionDecl* wanted_;
};

// "blockIdx.x * blockDim.x + threadIdx.x == 0": of a number that each thread has another value of, at most
// one thread has the one that is asked for.
bool asksForOne(Threads& threads, const std::vector<Thread>& all, const Guard& g) {
  auto* b = g.condition ? llvm::dyn_cast<clang::BinaryOperator>(g.condition->IgnoreParenImpCasts()) : nullptr;
  if (!b) return false;
  if (b->getOpcode() == clang::BO_LAnd && g.wanted)
    return asksForOne(threads, all, {b->getLHS(), true, false}) ||
           asksForOne(threads, all, {b->getRHS(), true, false});
  if (b->getOpcode() != (g.wanted ? clang::BO_EQ : clang::BO_NE)) return false;
  std::set<std::int64_t> values;
  for (auto& t : all) {
    auto left = threads.valueOf(b->getLHS(), t), right = threads.valueOf(b->getRHS(), t);
    if (!left || !right || !values.insert(left->number - right->number).second) return false;
  }
  return true;
}

bool isOfOneThread(Analyses& analyses, const clang::FunctionDecl& f, const clang::Stmt* s, int depth) {
  auto& unit = analyses.unit();
  auto guards = guardsWithExits(unit, s);
  auto samples = samplesFor(unit, f, analyses.launches());
  bool isOne = std::all_of(samples.begin(), samples.end(), [&](auto& sample) {
    Threads threads(unit, analyses.coursesOf(f), sample);
    auto all = threadsOf(sample);
    return activeAmong(threads, all, guards).size() <= 1 ||
           std::any_of(guards.begin(), guards.end(), [&](auto& g) { return asksForOne(threads, all, g); });
  });
  if (isOne || isKernel(f) || depth >= kDeepest) return isOne;
  bool isCalled = false;
  for (auto* caller : unit.deviceFunctions) {
    CallsOf calls(f);
    if (caller->getBody()) calls.TraverseStmt(caller->getBody());
    for (auto* c : calls.found)
      if (!isOfOneThread(analyses, *caller, c, depth + 1)) return false;
    isCalled |= !calls.found.empty();
  }
  return isCalled;
}

}  // namespace

bool isOfOneThread(Analyses& analyses, const clang::FunctionDecl& f, const clang::Stmt* s) {
  return isOfOneThread(analyses, f, s, 0);
}

bool mayLeaveOne(Threads& threads, const std::vector<Thread>& warp, const Guard& g) {
  if (std::any_of(warp.begin(), warp.end(), [&](auto& t) { return !threads.valueOf(g.condition, t); }))
    return true;
  auto* asks = llvm::dyn_cast<clang::BinaryOperator>(g.condition->IgnoreParenImpCasts());
  bool isOfOrder = asks && asks->isRelationalOp();
  return !isOfOrder && agreementOn(threads, g.condition, Among::Warp) == Agreement::Differs;
}

}  // namespace kadvise::source
