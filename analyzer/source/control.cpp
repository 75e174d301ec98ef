#include "analyzer/source/control.h"

#include <algorithm>

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

// "n / 8 * 8", "n - n % 8": a size that was brought to a multiple of something, so that what it ends at is
// no matter of chance.
bool isBroughtToMultiple(const Courses& courses, const clang::Expr* e, int depth = 0) {
  if (depth > 4) return false;
  e = e->IgnoreParenImpCasts();
  if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e)) {
    auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (!variable || !variable->hasLocalStorage() || llvm::isa<clang::ParmVarDecl>(variable)) return false;
    Course course = courses.of(*variable);
    return course.kind == Course::Kind::Fixed && course.start &&
           isBroughtToMultiple(courses, course.start, depth + 1);
  }
  auto* b = llvm::dyn_cast<clang::BinaryOperator>(e);
  if (!b) return false;
  auto* right = llvm::dyn_cast<clang::BinaryOperator>(b->getRHS()->IgnoreParenImpCasts());
  if (b->getOpcode() == clang::BO_Sub) return right && right->getOpcode() == clang::BO_Rem;
  return b->getOpcode() == clang::BO_Mul && divides(b);
}

// a < b, where threads differ in a - b and a size that is not known stands in it: for some size they differ.
Agreement ofComparison(Threads& threads, const clang::BinaryOperator& b, Among among) {
  auto difference = spreadOf(threads, among, [&](const Thread& t) -> std::optional<Value> {
    auto left = threads.valueOf(b.getLHS(), t), right = threads.valueOf(b.getRHS(), t);
    if (!left || !right) return std::nullopt;
    return Value{left->number - right->number, left->isMadeUp || right->isMadeUp};
  });
  if (difference.agreement != Agreement::Differs) return difference.agreement;
  bool isMultiple = isBroughtToMultiple(threads.courses(), b.getLHS()) ||
                    isBroughtToMultiple(threads.courses(), b.getRHS());
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
