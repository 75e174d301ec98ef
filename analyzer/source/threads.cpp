#include "analyzer/source/threads.h"

#include <algorithm>

#include "analyzer/core/hash.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/integer_operators.h"

namespace kadvise::source {
namespace {

constexpr int kDeepest = 40;
constexpr int kMostSteps = 2000;
constexpr int kMostCalls = 4;

// "stride_w", "dilationW", "p.stride_width": along the dimension that is contiguous, where it mostly is 1.
bool isStepInRows(llvm::StringRef name) {
  return (name.contains_insensitive("stride") || name.contains_insensitive("dilation")) &&
         (name.ends_with_insensitive("w") || name.ends_with_insensitive("width"));
}

}  // namespace

// The text stands for the value: two mentions of a size are the same size.
Value Threads::madeUp(const clang::Expr* e) {
  auto [known, isNew] = made_.try_emplace(e, 0);
  if (!isNew) return {known->second, true};
  std::string text;
  llvm::raw_string_ostream out(text);
  e->IgnoreParenImpCasts()->printPretty(out, nullptr, unit_.context.getPrintingPolicy());
  std::uint64_t hash = std::stoull(stableHash(text + std::to_string(sample_.seed)), nullptr, 16);
  auto number = static_cast<std::int64_t>(1000 + hash % 3000) | 1;
  known->second = sample_.isEven ? number / 256 * 256 + 256 : number;
  if (sample_.isEven && isStepInRows(text)) known->second = 1;
  return {known->second, true};
}

// A function that is looked into, and whose variables those are.
struct Threads::Inside {
  Inside(Threads& caller, const clang::CallExpr& call, const clang::FunctionDecl& f)
      : threads(caller.unit_, caller.courses_.ofCallee(f), caller.sample_) {
    threads.caller_ = &caller, threads.call_ = &call, threads.steps_ = caller.steps_;
  }
  Threads threads;
};

Threads* Threads::inside(const clang::CallExpr& call) {
  auto [known, isNew] = inside_.try_emplace(&call);
  if (!isNew) return known->second ? &known->second->threads : nullptr;
  auto* named = call.getDirectCallee();
  auto* f = named ? named->getDefinition() : nullptr;
  auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(f);
  int deep = 0;
  for (auto* c = this; c; c = c->caller_) ++deep;
  if (!f || !f->getBody() || deep > kMostCalls || (method && method->getParent()->isLambda())) return nullptr;
  known->second = std::make_shared<Inside>(*this, call, *f);
  return &known->second->threads;
}

const clang::Expr* Threads::argumentFor(const clang::ParmVarDecl& p) const {
  auto* f = llvm::dyn_cast<clang::FunctionDecl>(p.getDeclContext());
  if (!call_ || !f || f->getCanonicalDecl() != function().getCanonicalDecl()) return nullptr;
  // Of an operator the first argument is the object.
  unsigned at = p.getFunctionScopeIndex() +
                (llvm::isa<clang::CXXOperatorCallExpr>(call_) && llvm::isa<clang::CXXMethodDecl>(f));
  return at < call_->getNumArgs() ? call_->getArg(at) : nullptr;
}

const clang::Expr* onlyReturned(const clang::FunctionDecl& f) {
  auto* definition = f.getDefinition();
  auto* body = definition ? llvm::dyn_cast_or_null<clang::CompoundStmt>(definition->getBody()) : nullptr;
  if (!body || body->body_empty()) return nullptr;
  for (auto* s : body->body())
    if (s != body->body_back() && !llvm::isa<clang::DeclStmt>(s)) return nullptr;
  auto* last = llvm::dyn_cast<clang::ReturnStmt>(body->body_back());
  return last ? last->getRetValue() : nullptr;
}

std::optional<Value> Threads::valueOf(const clang::Expr* e, const Thread& t) {
  bool isOutermost = depth_ == 0;
  for (auto* c = caller_; c && isOutermost; c = c->caller_) isOutermost = c->depth_ == 0;
  if (isOutermost) *steps_ = 0;
  // Long chains of assignments that mention each other twice would be evaluated ever so often.
  if (!e || depth_ > kDeepest || ++*steps_ > kMostSteps) return std::nullopt;
  ++depth_;
  auto out = compute(e, t);
  --depth_;
  return out;
}

std::optional<Value> Threads::compute(const clang::Expr* e, const Thread& t) {
  if (auto index = builtinIndexOf(e)) {
    auto axis = static_cast<std::size_t>(index->axis);
    auto asked = sample_.isSwapped && axis < 2 ? 1 - axis : axis;
    if (index->kind == BuiltinIndex::Kind::Thread) return Value{t.index[asked], false};
    if (index->kind == BuiltinIndex::Kind::BlockSize) return Value{sample_.block[axis], false};
    return madeUp(e);
  }
  e = e->IgnoreParens();
  if (!e->isValueDependent() && e->getType()->isIntegralOrEnumerationType())
    if (auto constant = courses_.constant(unit_, e)) return Value{*constant, false};
  if (auto* cast = llvm::dyn_cast<clang::CastExpr>(e)) {
    bool isPlain = cast->getType()->isIntegralOrEnumerationType() || cast->getType()->isDependentType();
    bool fromNumber = cast->getSubExpr()->getType()->isIntegralOrEnumerationType() ||
                      cast->getSubExpr()->getType()->isDependentType();
    return isPlain && fromNumber ? valueOf(cast->getSubExpr(), t) : std::nullopt;
  }
  if (auto* cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(e)) return valueOf(cleanups->getSubExpr(), t);
  if (auto* replaced = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(e))
    return valueOf(replaced->getReplacement(), t);
  if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e)) return ofVariable(*name, t);
  if (auto* binary = llvm::dyn_cast<clang::BinaryOperator>(e)) return ofOperator(*binary, t);
  if (auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(e)) {
    auto c = valueOf(choice->getCond(), t);
    return c ? valueOf(c->number ? choice->getTrueExpr() : choice->getFalseExpr(), t) : std::nullopt;
  }
  if (auto* unary = llvm::dyn_cast<clang::UnaryOperator>(e)) return ofOperator(*unary, t);
  if (auto* call = llvm::dyn_cast<clang::CallExpr>(e)) return ofCall(*call, t);
  return isSameInAll(e) ? std::optional(madeUp(e)) : std::nullopt;
}

// A kernel's parameter of a class, also where a function was handed it on.
bool Threads::isKernelObject(const clang::Expr* e) {
  auto* name = e ? llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreParenImpCasts()) : nullptr;
  auto* parameter = name ? llvm::dyn_cast<clang::ParmVarDecl>(name->getDecl()) : nullptr;
  if (!parameter) return false;
  if (caller_) return caller_->isKernelObject(argumentFor(*parameter));
  return isKernel(function()) && !parameter->getType()->isReferenceType();
}

// A field of a parameter; what was loaded may be anything, even from one place: another thread may write it.
bool Threads::isSameInAll(const clang::Expr* e) {
  auto* member = llvm::dyn_cast<clang::MemberExpr>(e->IgnoreParenImpCasts());
  if (!member || member->isArrow()) return false;
  const clang::Expr* base = member->getBase()->IgnoreParenImpCasts();
  return llvm::isa<clang::MemberExpr>(base) ? isSameInAll(base) : isKernelObject(base);
}

std::optional<Value> Threads::ofParameter(const clang::DeclRefExpr& name, const clang::ParmVarDecl& p,
                                          const Thread& t) {
  if (caller_) return caller_->valueOf(argumentFor(p), t);
  return isKernel(function()) ? std::optional(madeUp(&name)) : std::nullopt;
}

std::optional<Value> Threads::ofPast(const clang::DeclRefExpr& name, const Thread& t) {
  auto& past = courses_.pastAt(unit_, name);
  if (!past) return std::nullopt;
  auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(name.getDecl());
  auto out = past->start ? valueOf(past->start, t)
             : parameter ? ofParameter(name, *parameter, t)
                         : std::nullopt;
  auto add = [&](const Past::Step& step, int times) {
    auto by = step.by ? valueOf(step.by, t) : Value{1, false};
    if (!out || !by) return out = std::nullopt, void();
    out->number += (step.isDown ? -times : times) * by->number, out->isMadeUp |= by->isMadeUp;
  };
  for (auto& step : past->once) add(step, 1);
  if (sample_.turn)
    for (auto& step : past->eachTurn) add(step, sample_.turn);
  return out;
}

std::optional<Value> Threads::ofVariable(const clang::DeclRefExpr& name, const Thread& t) {
  if (auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(name.getDecl()))
    return courses_.isNeverWritten(*parameter) ? ofParameter(name, *parameter, t) : ofPast(name, t);
  if (llvm::isa<clang::NonTypeTemplateParmDecl>(name.getDecl())) return madeUp(&name);
  auto* variable = llvm::dyn_cast<clang::VarDecl>(name.getDecl());
  if (!variable) return std::nullopt;
  if (!variable->hasLocalStorage())
    return variable->hasAttr<clang::CUDAConstantAttr>() ? std::optional(madeUp(&name)) : std::nullopt;
  Course course = courses_.of(*variable);
  if (course.kind == Course::Kind::Unknown) return ofPast(name, t);
  auto start = valueOf(course.start, t);
  if (!start || course.kind == Course::Kind::Fixed || sample_.turn == 0) return start;
  auto step = course.step ? valueOf(course.step, t) : Value{1, false};
  if (!step) return std::nullopt;
  Value out{start->number, start->isMadeUp || step->isMadeUp};
  for (int i = 0; i < sample_.turn; ++i) {
    std::int64_t s = step->number;
    if (course.kind == Course::Kind::Stepped) out.number += course.isDown ? -s : s;
    else if (s > 0 && s < 64)
      out.number = course.isDown ? std::max<std::int64_t>(out.number / 2, 1) : out.number * 2;
  }
  return out;
}

std::optional<Value> Threads::ofOperator(const clang::UnaryOperator& u, const Thread& t) {
  auto v = u.isIncrementDecrementOp() ? std::nullopt : valueOf(u.getSubExpr(), t);
  if (!v) return std::nullopt;
  switch (u.getOpcode()) {
    case clang::UO_Plus:
      return v;
    case clang::UO_Minus:
      return Value{-v->number, v->isMadeUp};
    case clang::UO_Not:
      return Value{~v->number, v->isMadeUp};
    case clang::UO_LNot:
      return Value{!v->number, v->isMadeUp};
    default:
      return std::nullopt;
  }
}

std::optional<Value> Threads::ofOperator(const clang::BinaryOperator& b, const Thread& t) {
  if (b.isAssignmentOp() || b.isCommaOp() || b.isPtrMemOp()) return std::nullopt;
  auto left = valueOf(b.getLHS(), t), right = valueOf(b.getRHS(), t);
  // One side can decide alone.
  if (b.getOpcode() == clang::BO_LAnd && left && !left->number) return left;
  if (b.getOpcode() == clang::BO_LOr && left && left->number) return left;
  if (!left || !right) return std::nullopt;
  auto number = appliedTo(b.getOpcode(), left->number, right->number);
  return number ? std::optional(Value{*number, left->isMadeUp || right->isMadeUp}) : std::nullopt;
}

// A function that only names values and returns is looked into; of others only min and max are known.
std::optional<Value> Threads::ofCall(const clang::CallExpr& call, const Thread& t) {
  auto* f = call.getDirectCallee();
  if (!f) return std::nullopt;
  bool isMin = f->getIdentifier() && f->getName() == "min",
       isMax = f->getIdentifier() && f->getName() == "max";
  if ((isMin || isMax) && call.getNumArgs() == 2) {
    auto a = valueOf(call.getArg(0), t), b = valueOf(call.getArg(1), t);
    if (!a || !b) return std::nullopt;
    return Value{(isMin == (a->number < b->number) ? a : b)->number, a->isMadeUp || b->isMadeUp};
  }
  auto* returned = onlyReturned(*f);
  auto* within = returned ? inside(call) : nullptr;
  return within ? within->valueOf(returned, t) : std::nullopt;
}

}  // namespace kadvise::source
