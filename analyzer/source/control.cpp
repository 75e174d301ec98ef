#include "analyzer/source/control.h"

#include <algorithm>

#include "analyzer/source/device_code.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr std::size_t kLanes = 32;
// A chain of thousands of "else if" has as many conditions around its last statement: what is asked of each
// statement must not grow with them.
constexpr int kMostSteps = 512;

// child: the part of the parent that the statement stands in.
void addGuard(const clang::Stmt& parent, const clang::Stmt* child, std::vector<Guard>& out) {
  if (auto* branch = llvm::dyn_cast<clang::IfStmt>(&parent)) {
    if (branch->isConstexpr()) return;
    if (child == branch->getThen()) out.push_back({branch->getCond(), true, false});
    if (child == branch->getElse()) out.push_back({branch->getCond(), false, false});
  } else if (auto* loop = llvm::dyn_cast<clang::ForStmt>(&parent)) {
    if ((child == loop->getBody() || child == loop->getInc()) && loop->getCond())
      out.push_back({loop->getCond(), true, true});
  } else if (auto* loop = llvm::dyn_cast<clang::WhileStmt>(&parent)) {
    if (child == loop->getBody()) out.push_back({loop->getCond(), true, true});
  } else if (auto* loop = llvm::dyn_cast<clang::DoStmt>(&parent)) {
    // The first turn runs whatever the condition is, the others as it says.
    if (child == loop->getBody()) out.push_back({loop->getCond(), true, true});
  } else if (auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&parent)) {
    if (child == choice->getTrueExpr()) out.push_back({choice->getCond(), true, false});
    if (child == choice->getFalseExpr()) out.push_back({choice->getCond(), false, false});
  } else if (auto* b = llvm::dyn_cast<clang::BinaryOperator>(&parent); b && b->isLogicalOp()) {
    if (child == b->getRHS()) out.push_back({b->getLHS(), b->getOpcode() == clang::BO_LAnd, false});
  } else if (auto* chosen = llvm::dyn_cast<clang::SwitchStmt>(&parent)) {
    if (child == chosen->getBody()) out.push_back({chosen->getCond(), true, false});
  }
}

bool leaves(const clang::Stmt* s) {
  if (auto* block = llvm::dyn_cast_or_null<clang::CompoundStmt>(s))
    return !block->body_empty() && leaves(block->body_back());
  return s && llvm::isa<clang::ReturnStmt, clang::ContinueStmt, clang::BreakStmt>(s);
}

Agreement both(Agreement a, Agreement b) {
  if (a == Agreement::Differs || b == Agreement::Differs) return Agreement::Differs;
  return a == Agreement::Unknown || b == Agreement::Unknown ? Agreement::Unknown : Agreement::Same;
}

struct Spread {
  Agreement agreement = Agreement::Same;
  bool isMadeUp = false;
};

// f(thread) over all these threads.
template <class F>
Spread spreadOf(Threads& threads, Among among, const F& f) {
  Spread out;
  std::optional<std::int64_t> first;
  auto all = threadsOf(threads.sample());
  if (among == Among::Warp && all.size() > kLanes) all.resize(kLanes);
  for (auto& t : all) {
    auto v = f(t);
    if (!v) return {Agreement::Unknown, false};
    out.isMadeUp |= v->isMadeUp;
    if (!first) first = v->number;
    else if (*first != v->number) out.agreement = Agreement::Differs;
  }
  return out;
}

bool divides(const clang::Stmt* s) {
  auto* b = llvm::dyn_cast_or_null<clang::BinaryOperator>(s);
  if (b && (b->getOpcode() == clang::BO_Div || b->getOpcode() == clang::BO_Shr)) return true;
  if (!s) return false;
  return std::any_of(s->child_begin(), s->child_end(), [](auto* child) { return divides(child); });
}

// "n % 32", unless of a thread's own number.
class Remainders : public Visitor {
 public:
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    found |= b->getOpcode() == clang::BO_Rem;
    return true;
  }
  bool VisitPseudoObjectExpr(clang::PseudoObjectExpr* e) override {
    auto index = builtinIndexOf(e);
    isOfThread |= index && index->kind == BuiltinIndex::Kind::Thread;
    return true;
  }
  bool found = false, isOfThread = false;
};

bool hasRemainder(const clang::Expr* e) {
  Remainders visitor;
  visitor.TraverseStmt(const_cast<clang::Expr*>(e));
  return visitor.found && !visitor.isOfThread;
}

// "~31", "-32": all bits but the lowest few.
bool isHighBits(Threads& threads, const clang::Expr* e) {
  auto v = threads.valueOf(e, Thread{});
  if (!v || v->isMadeUp) return false;
  auto low = ~static_cast<std::uint64_t>(v->number) & 0xffffffff;
  return low > 0 && low < 0x10000 && (low & (low + 1)) == 0;
}

bool isWholeWarps(Threads& threads, const clang::Expr* e) {
  auto v = threads.valueOf(e, Thread{});
  return v && !v->isMadeUp && v->number > 0 && v->number % static_cast<std::int64_t>(kLanes) == 0;
}

// "n / 8 * 8", "n - n % 8", "(n + 31) & ~31", "rows * 32": a size that was brought to a multiple of
// something, so that what it ends at is no matter of chance.
bool isBroughtToMultiple(Threads& threads, const clang::Expr* e, Among among, int depth = 0) {
  if (!e || depth > 4) return false;
  e = e->IgnoreParenImpCasts();
  auto again = [&](Threads& in, const clang::Expr* of) {
    return isBroughtToMultiple(in, of, among, depth + 1);
  };
  if (auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(e)) return again(threads, cast->getSubExpr());
  if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e)) {
    auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (!variable || !variable->hasLocalStorage()) return false;
    if (auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(variable))
      return threads.caller() && again(*threads.caller(), threads.argumentFor(*parameter));
    Course course = threads.courses().of(*variable);
    return course.kind == Course::Kind::Fixed && again(threads, course.start);
  }
  if (auto* call = llvm::dyn_cast<clang::CallExpr>(e)) {
    auto* f = call->getDirectCallee();
    auto* returned = f ? onlyReturned(*f) : nullptr;
    auto* within = returned ? threads.inside(*call) : nullptr;
    return within && again(*within, returned);
  }
  auto* b = llvm::dyn_cast<clang::BinaryOperator>(e);
  if (!b) return false;
  const clang::Expr *left = b->getLHS(), *right = b->getRHS();
  switch (b->getOpcode()) {
    case clang::BO_And:
      return isHighBits(threads, left) || isHighBits(threads, right);
    case clang::BO_Shl: {
      auto by = threads.valueOf(right, Thread{});
      return divides(left) || (among == Among::Warp && by && !by->isMadeUp && by->number >= 5);
    }
    case clang::BO_Mul:
      return divides(b) ||
             (among == Among::Warp && (isWholeWarps(threads, left) || isWholeWarps(threads, right)));
    case clang::BO_Sub:
    case clang::BO_Add:
      // What is left over is taken off, or filled up.
      return hasRemainder(right) || (b->getOpcode() == clang::BO_Add && hasRemainder(left));
    default:
      return false;
  }
}

// a < b, where threads differ in a - b and a size that is not known stands in it: for some size they differ.
Agreement ofComparison(Threads& threads, const clang::BinaryOperator& b, Among among) {
  auto difference = spreadOf(threads, among, [&](const Thread& t) -> std::optional<Value> {
    auto left = threads.valueOf(b.getLHS(), t), right = threads.valueOf(b.getRHS(), t);
    if (!left || !right) return std::nullopt;
    return Value{left->number - right->number, left->isMadeUp || right->isMadeUp};
  });
  if (difference.agreement != Agreement::Differs) return difference.agreement;
  bool isMultiple =
      isBroughtToMultiple(threads, b.getLHS(), among) || isBroughtToMultiple(threads, b.getRHS(), among);
  if (difference.isMadeUp && isMultiple) return Agreement::Unknown;
  if (difference.isMadeUp) return difference.agreement;
  return spreadOf(threads, among, [&](const Thread& t) { return threads.valueOf(&b, t); }).agreement;
}

}  // namespace

std::vector<Guard> guardsOf(const Unit& unit, const clang::Stmt* s) {
  std::vector<Guard> out;
  auto node = clang::DynTypedNode::create(*s);
  const clang::Stmt* child = s;
  for (int step = 0; step < kMostSteps; ++step) {
    auto parents = unit.context.getParents(node);
    if (parents.empty()) return out;
    node = parents[0];
    if (node.get<clang::FunctionDecl>()) return out;
    auto* parent = node.get<clang::Stmt>();
    if (!parent) continue;
    addGuard(*parent, child, out);
    child = parent;
  }
  return out;
}

std::vector<Guard> guardsWithExits(const Unit& unit, const clang::Stmt* s) {
  auto out = guardsOf(unit, s);
  auto node = clang::DynTypedNode::create(*s);
  const clang::Stmt* child = s;
  for (int step = 0; step < kMostSteps; ++step) {
    auto parents = unit.context.getParents(node);
    if (parents.empty() || parents[0].get<clang::FunctionDecl>()) return out;
    node = parents[0];
    auto* parent = node.get<clang::Stmt>();
    if (!parent) continue;
    if (auto* block = llvm::dyn_cast<clang::CompoundStmt>(parent))
      for (auto* before : block->body()) {
        if (before == child) break;
        auto* branch = llvm::dyn_cast<clang::IfStmt>(before);
        if (branch && !branch->getElse() && leaves(branch->getThen()))
          out.push_back({branch->getCond(), false, false});
      }
    child = parent;
  }
  return out;
}

Agreement agreementOn(Threads& threads, const clang::Expr* condition, Among among) {
  if (!condition) return Agreement::Same;
  const clang::Expr* e = condition->IgnoreParenImpCasts();
  if (auto* b = llvm::dyn_cast<clang::BinaryOperator>(e)) {
    if (b->isLogicalOp()) {
      Agreement left = agreementOn(threads, b->getLHS(), among),
                right = agreementOn(threads, b->getRHS(), among);
      if (left == Agreement::Same && right == Agreement::Same) return Agreement::Same;
      // One side may decide for all threads.
      auto whole = spreadOf(threads, among, [&](const Thread& t) { return threads.valueOf(e, t); });
      return whole.agreement == Agreement::Same && !whole.isMadeUp ? Agreement::Same : both(left, right);
    }
    if (b->isComparisonOp()) return ofComparison(threads, *b, among);
  }
  if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(e); u && u->getOpcode() == clang::UO_LNot)
    return agreementOn(threads, u->getSubExpr(), among);
  // A condition that was given a name.
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  auto* variable = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (variable && variable->hasLocalStorage() && variable->getType()->isBooleanType())
    if (Course course = threads.courses().of(*variable); course.kind == Course::Kind::Fixed)
      return agreementOn(threads, course.start, among);
  return spreadOf(threads, among, [&](const Thread& t) { return threads.valueOf(e, t); }).agreement;
}

std::vector<Thread> activeAmong(Threads& threads, const std::vector<Thread>& all,
                                const std::vector<Guard>& guards) {
  std::vector<Thread> out;
  for (auto& t : all) {
    bool runs = std::all_of(guards.begin(), guards.end(), [&](auto& g) {
      auto v = threads.valueOf(g.condition, t);
      return !v || v->isMadeUp || (v->number != 0) == g.wanted;
    });
    if (runs) out.push_back(t);
  }
  return out;
}

}  // namespace kadvise::source
