// Branches, choices and loops of the simulation.
#include <llvm/ADT/SetVector.h>

#include <algorithm>

#include "analyzer/source/block_simulator.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

using Kind = BlockValue::Kind;

constexpr int kTurnsOfUnknown = 2;  // one turn behind another shows what a loop does to itself
constexpr int kTurnsOfMadeUp = 4;   // and rings of three buffers come round
constexpr int kMostTurns = 64;

class Assigned : public Visitor {
 public:
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    return b->isAssignmentOp() ? take(b->getLHS()) : true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* u) override {
    return u->isIncrementDecrementOp() ? take(u->getSubExpr()) : true;
  }
  llvm::SetVector<const clang::VarDecl*> found;

 private:
  bool take(clang::Expr* e) {
    auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreParenCasts());
    if (auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr) found.insert(v);
    return true;
  }
};

// "++i", "i += n" and the like; of loops without a step of their own, anything but doubling and halving.
class UnevenSteps : public Visitor {
 public:
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    auto op = b->getOpcode();
    bool isScaling = op == clang::BO_MulAssign || op == clang::BO_DivAssign || op == clang::BO_ShlAssign ||
                     op == clang::BO_ShrAssign;
    found |= (isScaling || op == clang::BO_Assign) && b->getLHS()->getType()->isIntegerType();
    return true;
  }
  bool found = false;
};

// "for (;;)", "while (true)": it ends by what stands in it.
bool isEndless(const clang::Stmt& loop) {
  const clang::Expr* condition = nullptr;
  if (auto* f = llvm::dyn_cast<clang::ForStmt>(&loop)) condition = f->getCond();
  else if (auto* w = llvm::dyn_cast<clang::WhileStmt>(&loop)) condition = w->getCond();
  else return false;
  return !condition ||
         llvm::isa<clang::CXXBoolLiteralExpr, clang::IntegerLiteral>(condition->IgnoreImpCasts());
}

// The statement itself, or the only one of a block.
const clang::Stmt* onlyOne(const clang::Stmt* s) {
  auto* block = llvm::dyn_cast_or_null<clang::CompoundStmt>(s);
  return block && block->size() == 1 ? block->body_front() : s;
}

bool hasExit(const clang::Stmt* s) {
  if (!s) return false;
  if (llvm::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt>(s)) return true;
  return std::any_of(s->child_begin(), s->child_end(), hasExit);
}

}  // namespace

void BlockSimulator::endGuess(bool isGuess, const clang::Stmt& decided) {
  if (!isGuess) return;
  auto [known, isNew] = haveExit_.try_emplace(&decided);
  if (isNew) known->second = hasExit(&decided);
  if (!known->second) --guesses_;
}

// "if (item >= n) break;" of an endless loop, which goes on for all until it is cut.
bool BlockSimulator::endsLoop(const clang::IfStmt& branch) const {
  if (turnsNow_.empty() || branch.getElse() || !isEndless(*turnsNow_.back().loop)) return false;
  auto* exit = onlyOne(branch.getThen());
  return llvm::isa_and_nonnull<clang::BreakStmt>(exit) ||
         (llvm::isa_and_nonnull<clang::ReturnStmt>(exit) && inside_.size() == 1);
}

void BlockSimulator::executeIf(const clang::IfStmt& branch, const Mask& mask) {
  execute(branch.getInit(), mask);
  if (branch.getConditionVariable()) declare(*branch.getConditionVariable(), mask);
  if (branch.isConstexpr()) {
    if (auto c = constant(branch.getCond())) execute(*c ? branch.getThen() : branch.getElse(), mask);
    else stop_ = Stop::Unsupported;
    return;
  }
  Lanes c = evaluate(branch.getCond(), mask);
  if (endsLoop(branch) && isUniform(c, mask))
    for (auto& v : c)
      if (v.kind != Kind::Known) v = {Kind::Known, false, 0, nullptr};
  bool guess = isGuess(c, mask);
  auto [yes, no] = split(c, mask);
  guards_.push_back({branch.getCond(), runsAny(yes) && runsAny(no)});
  guesses_ += guess;
  auto regions = regions_;
  if (isOpen(yes, no)) enterRegion();
  execute(branch.getThen(), yes);
  if (isOpen(yes, no)) enterRegion();
  execute(branch.getElse(), no);
  comeBackTo(regions);
  endGuess(guess, branch);
  guards_.pop_back();
}

Lanes BlockSimulator::evaluateLogical(const clang::BinaryOperator& b, const Mask& mask) {
  Lanes left = evaluate(b.getLHS(), mask);
  bool isAnd = b.getOpcode() == clang::BO_LAnd;
  int guess = isGuess(left, mask);
  auto [ifTrue, ifFalse] = split(left, mask);
  guesses_ += guess;
  Lanes right = evaluate(b.getRHS(), isAnd ? ifTrue : ifFalse);
  guesses_ -= guess;
  Lanes out = combine(b.getOpcode(), left, right, b.getType(), mask);
  for (std::size_t i = 0; i < threads_; ++i) {
    bool decides = left[i].kind == Kind::Known && (left[i].number != 0) != isAnd;
    bool leavesIt = left[i].kind == Kind::Known && !decides;
    if (decides) out[i] = {Kind::Known, left[i].isMadeUp, !isAnd, nullptr};
    else if (leavesIt && right[i].kind != Kind::Known) out[i] = right[i];
  }
  return out;
}

Lanes BlockSimulator::evaluateChoice(const clang::ConditionalOperator& c, const Mask& mask) {
  Lanes condition = evaluate(c.getCond(), mask);
  int guess = isGuess(condition, mask);
  auto [ifTrue, ifFalse] = split(condition, mask);
  guesses_ += guess;
  Lanes out = evaluate(c.getTrueExpr(), ifTrue), other = evaluate(c.getFalseExpr(), ifFalse);
  guesses_ -= guess;
  for (std::size_t i = 0; i < threads_; ++i) {
    if (ifTrue[i] == Runs::Loose && ifFalse[i] == Runs::Loose) {
      bool isFree = out[i].kind != Kind::Murky && other[i].kind != Kind::Murky;
      std::int64_t number = mixed(mixed(out[i].number, other[i].number), condition[i].number);
      const clang::ValueDecl* base = out[i].base == other[i].base ? out[i].base : nullptr;
      out[i] = {isFree ? Kind::Loaded : Kind::Murky, false, number, base};
    } else if (ifTrue[i] == Runs::No) {
      out[i] = other[i];
    }
    // An array that an argument chooses: it may be the other one in every launch there is.
    bool isChosenByCaller = condition[i].kind != Kind::Known || condition[i].isMadeUp;
    if (isChosenByCaller && out[i].base) out[i].isMadeUp = true;
  }
  return out;
}

void BlockSimulator::executeSwitch(const clang::SwitchStmt& chosen, const Mask& mask) {
  auto* body = llvm::dyn_cast<clang::CompoundStmt>(chosen.getBody());
  Lanes value = evaluate(chosen.getCond(), mask);
  if (!body) return;
  Mask before = flow_.broken, matched(threads_, Runs::No);
  flow_.broken = Mask(threads_, Runs::No);
  guards_.push_back({chosen.getCond(), !isUniform(value, mask)});
  auto regions = regions_;
  bool guess = isGuess(value, mask);
  guesses_ += guess;
  for (auto* one : body->body()) {
    const clang::Stmt* inner = one;
    while (auto* label = llvm::dyn_cast<clang::SwitchCase>(inner)) {
      auto* test = llvm::dyn_cast<clang::CaseStmt>(label);
      auto wanted = test ? constant(test->getLHS()) : std::nullopt;
      for (std::size_t i = 0; i < threads_; ++i) {
        if (mask[i] == Runs::No) continue;
        bool isUnknown = value[i].kind != Kind::Known || (test && !wanted);
        if (isUnknown && matched[i] == Runs::No) matched[i] = Runs::Loose;
        // The default comes last, as it is written nearly always.
        if (!isUnknown && matched[i] == Runs::No && (!test || value[i].number == *wanted))
          matched[i] = mask[i];
      }
      inner = label->getSubStmt();
    }
    if (guess) enterRegion();
    execute(inner, matched);
  }
  comeBackTo(regions);
  endGuess(guess, chosen);
  guards_.pop_back();
  comeBack(flow_.broken);
  flow_.broken = before;
}

void BlockSimulator::executeLoop(const clang::Stmt& loop, const clang::Expr* condition,
                                 const clang::Expr* step, const clang::Stmt* body, const Mask& around,
                                 bool testsFirst) {
  Mask broken = flow_.broken, continued = flow_.continued, mask = around;
  flow_.broken = flow_.continued = Mask(threads_, Runs::No);
  turnsNow_.push_back({&loop, 0});
  auto regions = regions_;
  bool isCut = false;
  for (int turn = 0; !isTired(); ++turn) {
    bool parts = false, isMadeUp = false, isUnknown = !condition || constant(condition);
    if (condition && (testsFirst || turn > 0)) {
      polls_ = step == nullptr;
      Lanes c = evaluate(condition, mask);
      polls_ = false;
      bool isOne = isUniform(c, mask) || keepsTogether(c, *body, mask);
      for (std::size_t i = 0; i < threads_; ++i) {
        if (mask[i] == Runs::No) continue;
        isMadeUp |= c[i].isMadeUp, isUnknown |= c[i].kind != Kind::Known;
        // Such a loop goes on for all until it is cut.
        if (c[i].kind != Kind::Known && isOne) c[i] = {Kind::Known, false, 1, nullptr};
      }
      auto [yes, no] = split(c, mask);
      parts = runsAny(no) && runsAny(yes);
      if (isOpen(yes, no)) enterRegion();
      mask = yes;
    }
    mask = left(mask);
    if (!runsAny(mask)) break;
    isCut = turn >= (isUnknown ? kTurnsOfUnknown : isMadeUp ? kTurnsOfMadeUp : kMostTurns);
    if (isCut) break;
    turnsNow_.back().number = turn;
    out_.turns.push_back(turnsNow_);
    log_.nextTurn(static_cast<std::uint32_t>(out_.turns.size() - 1));
    guards_.push_back({condition, parts || mask != left(around)});
    bool guess = isUnknown || isMadeUp;
    guesses_ += guess;
    if (auto* range = llvm::dyn_cast<clang::CXXForRangeStmt>(&loop)) execute(range->getLoopVarStmt(), mask);
    execute(body, mask);
    comeBack(flow_.continued);
    if (step) evaluate(step, left(mask));
    endGuess(guess, loop);
    guards_.pop_back();
  }
  comeBackTo(regions);
  turnsNow_.pop_back();
  out_.turns.push_back(turnsNow_);
  log_.nextTurn(static_cast<std::uint32_t>(out_.turns.size() - 1));
  comeBack(flow_.broken);
  flow_.broken = broken, flow_.continued = continued;
  if (!isCut) return;
  forget(loop, around);
  // The last turn of a loop that doubles or halves is not like those before, and was not seen.
  auto [isUneven, isNew] = unevenSteps_.try_emplace(&loop);
  if (isNew) {
    UnevenSteps steps;
    steps.TraverseStmt(const_cast<clang::Stmt*>(step ? static_cast<const clang::Stmt*>(step) : &loop));
    isUneven->second = steps.found;
  }
  if (isUneven->second) opaqueBarrier();
}

// Over an array it is a loop like any other. What another range holds, and how often each thread goes round,
// nobody knows: its body is walked once, by threads that may not run it.
void BlockSimulator::executeRange(const clang::CXXForRangeStmt& loop, const Mask& mask) {
  execute(loop.getInit(), mask);
  const clang::Expr* range = loop.getRangeInit();
  if (range->getType().getNonReferenceType()->isConstantArrayType() && loop.getCond()) {
    execute(loop.getRangeStmt(), mask);
    execute(loop.getBeginStmt(), mask);
    execute(loop.getEndStmt(), mask);
    return executeLoop(loop, loop.getCond(), loop.getInc(), loop.getBody(), mask, true);
  }
  evaluate(range, mask);
  Mask broken = flow_.broken, continued = flow_.continued, loose = mask;
  for (auto& r : loose)
    if (r == Runs::Yes) r = Runs::Loose;
  flow_.broken = flow_.continued = Mask(threads_, Runs::No);
  auto* element = loop.getLoopVariable();
  if (element->getType()->isReferenceType()) references_[element] = {nullptr, murky(element)};
  else variables_[element] = murky(element);
  auto regions = regions_;
  enterRegion();
  execute(loop.getBody(), loose);
  comeBackTo(regions);
  comeBack(flow_.continued), comeBack(flow_.broken);
  flow_.broken = broken, flow_.continued = continued;
}

void BlockSimulator::forget(const clang::Stmt& written, const Mask& mask) {
  auto [assigned, isNew] = assigned_.try_emplace(&written);
  if (isNew) {
    Assigned visitor;
    visitor.TraverseStmt(const_cast<clang::Stmt*>(&written));
    assigned->second.assign(visitor.found.begin(), visitor.found.end());
  }
  for (auto* v : assigned->second) {
    auto known = variables_.find(v);
    if (known == variables_.end()) continue;
    // What was one value for all threads still is.
    Lanes unknown = isUniform(known->second, mask) ? all(murky(v)[0]) : murky(v);
    for (std::size_t i = 0; i < threads_; ++i)
      if (mask[i] != Runs::No) known->second[i] = unknown[i];
  }
}

}  // namespace kadvise::source
