#include "analyzer/source/threads.h"

#include <algorithm>

#include "analyzer/core/hash.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/function_names.h"
#include "analyzer/source/integer_operators.h"

namespace kadvise::source {
namespace {

constexpr int kDeepest = 40;
constexpr int kMostThreads = 1024;

bool isCommon(const Extent& e) { return e[0] && e[1] && e[2]; }

std::vector<Extent> blocksOf(const Unit& unit, const clang::FunctionDecl& kernel,
                             const std::vector<LaunchSite>& launches) {
  std::vector<Extent> out;
  auto* written = asWritten(&kernel)->getCanonicalDecl();
  for (auto& l : launches)
    if (l.kernel && l.kernel->getCanonicalDecl() == written) out.push_back(l.blockExtent);
  if (!unit.surroundings) return out;
  FunctionName name = nameForOthers(unit, *written);
  for (auto& l : unit.surroundings->launches)
    if (isSame(l.launch.kernel, name)) out.push_back(l.launch.block);
  return out;
}

// The constant block that all launches of the kernel agree on.
std::optional<std::array<int, 3>> blockOf(const std::vector<Extent>& blocks) {
  std::optional<std::array<int, 3>> out;
  for (auto& extent : blocks) {
    if (!isCommon(extent)) return std::nullopt;
    std::array<int, 3> block{};
    for (std::size_t i = 0; i < 3; ++i)
      block[i] =
          static_cast<int>(std::min<std::int64_t>(std::max<std::int64_t>(*extent[i], 1), kMostThreads));
    if (out && *out != block) return std::nullopt;
    out = block;
  }
  if (out && (*out)[0] * (*out)[1] * (*out)[2] > kMostThreads) return std::nullopt;
  return out;
}

class UsedAxes : public clang::RecursiveASTVisitor<UsedAxes> {
 public:
  bool VisitPseudoObjectExpr(clang::PseudoObjectExpr* e) {
    auto index = builtinIndexOf(e);
    if (index && index->kind == BuiltinIndex::Kind::Thread && index->axis > 0) isFlat = false;
    return true;
  }
  bool isFlat = true;  // only threadIdx.x counts
};

}  // namespace

std::vector<Thread> threadsOf(const Sample& s) {
  std::vector<Thread> out;
  for (int z = 0; z < s.block[2]; ++z)
    for (int y = 0; y < s.block[1]; ++y)
      for (int x = 0; x < s.block[0]; ++x) out.push_back({{x, y, z}});
  return out;
}

std::vector<Sample> samplesFor(const Unit& unit, const clang::FunctionDecl& kernel,
                               const std::vector<LaunchSite>& launches) {
  if (auto block = blockOf(blocksOf(unit, kernel, launches)))
    return {{*block, 1, 0, false}, {*block, 2, 1, true}, {*block, 3, 3, false}};
  UsedAxes axes;
  axes.TraverseStmt(kernel.getBody());
  if (axes.isFlat) return {{{256, 1, 1}, 1, 0, false}, {{128, 1, 1}, 2, 1, true}, {{512, 1, 1}, 3, 3, false}};
  return {{{32, 8, 1}, 1, 0, false}, {{32, 32, 1}, 2, 1, true}, {{64, 4, 1}, 3, 3, false}};
}

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
  return {known->second, true};
}

std::optional<Value> Threads::valueOf(const clang::Expr* e, const Thread& t) {
  if (!e || depth_ > kDeepest) return std::nullopt;
  ++depth_;
  auto out = compute(e, t);
  --depth_;
  return out;
}

std::optional<Value> Threads::compute(const clang::Expr* e, const Thread& t) {
  if (auto index = builtinIndexOf(e)) {
    auto axis = static_cast<std::size_t>(index->axis);
    if (index->kind == BuiltinIndex::Kind::Thread) return Value{t.index[axis], false};
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

// A field of a parameter; what was loaded may be anything, even from one place: another thread may write it.
bool Threads::isSameInAll(const clang::Expr* e) {
  auto* member = llvm::dyn_cast<clang::MemberExpr>(e->IgnoreParenImpCasts());
  if (!member || member->isArrow()) return false;
  const clang::Expr* base = member->getBase()->IgnoreParenImpCasts();
  if (llvm::isa<clang::MemberExpr>(base)) return isSameInAll(base);
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(base);
  auto* parameter = name ? llvm::dyn_cast<clang::ParmVarDecl>(name->getDecl()) : nullptr;
  return parameter && isKernel(function()) && !parameter->getType()->isReferenceType();
}

std::optional<Value> Threads::ofVariable(const clang::DeclRefExpr& name, const Thread& t) {
  if (auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(name.getDecl())) {
    if (auto known = bound_.find(parameter); known != bound_.end()) return known->second;
    bool isFixed = courses_.isNeverWritten(*parameter);
    return isKernel(function()) && isFixed ? std::optional(madeUp(&name)) : std::nullopt;
  }
  if (llvm::isa<clang::NonTypeTemplateParmDecl>(name.getDecl())) return madeUp(&name);
  auto* variable = llvm::dyn_cast<clang::VarDecl>(name.getDecl());
  if (!variable) return std::nullopt;
  if (!variable->hasLocalStorage())
    return variable->hasAttr<clang::CUDAConstantAttr>() ? std::optional(madeUp(&name)) : std::nullopt;
  Course course = courses_.of(*variable);
  if (course.kind == Course::Kind::Unknown) return std::nullopt;
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

// A function of one return statement is looked into; of others only min and max are known.
std::optional<Value> Threads::ofCall(const clang::CallExpr& call, const Thread& t) {
  auto* f = call.getDirectCallee();
  if (!f || !f->getIdentifier() || call.getNumArgs() > 8) return std::nullopt;
  std::vector<Value> arguments;
  for (auto* a : call.arguments()) {
    auto v = valueOf(a, t);
    if (!v) return std::nullopt;
    arguments.push_back(*v);
  }
  bool isMin = f->getName() == "min", isMax = f->getName() == "max";
  if ((isMin || isMax) && arguments.size() == 2) {
    bool first = isMin == (arguments[0].number < arguments[1].number);
    return Value{arguments[first ? 0 : 1].number, arguments[0].isMadeUp || arguments[1].isMadeUp};
  }
  auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(f->getBody());
  auto* only = body && body->size() == 1 ? llvm::dyn_cast<clang::ReturnStmt>(body->body_front()) : nullptr;
  if (!only || f->getNumParams() != arguments.size()) return std::nullopt;
  for (unsigned i = 0; i < arguments.size(); ++i) bound_[f->getParamDecl(i)] = arguments[i];
  return valueOf(only->getRetValue(), t);
}

}  // namespace kadvise::source
