#include "analyzer/source/constants.h"

#include <algorithm>
#include <array>
#include <set>

#include "analyzer/source/visitor.h"
#include "analyzer/source/written_once.h"

namespace kadvise::source {
namespace {

constexpr int kDeepest = 8;

std::optional<std::int64_t> applied(clang::BinaryOperatorKind op, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  switch (op) {
    case clang::BO_Add:
      return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case clang::BO_Sub:
      return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case clang::BO_Mul:
      return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case clang::BO_Div:
      return b == 0 || b == -1 ? std::nullopt : std::optional(a / b);
    case clang::BO_Rem:
      return b == 0 || b == -1 ? std::nullopt : std::optional(a % b);
    case clang::BO_Shl:
      return a < 0 || b < 0 || b > 31 || a > INT32_MAX ? std::nullopt : std::optional(a << b);
    case clang::BO_Shr:
      return a < 0 || b < 0 || b > 62 ? std::nullopt : std::optional(a >> b);
    default:
      return std::nullopt;
  }
}

const clang::VarDecl* variableOf(const clang::Expr* e) {
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  return name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
}

std::optional<std::size_t> axisNamed(const clang::ValueDecl& member) {
  llvm::StringRef name = member.getIdentifier() ? member.getName() : "";
  return name == "x" || name == "y" || name == "z" ? std::optional<std::size_t>(name[0] - 'x') : std::nullopt;
}

// What is written to the members of a dim3.
class AxesSet : public Visitor {
 public:
  explicit AxesSet(const clang::VarDecl& variable) : variable_(variable) {}
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    auto* member =
        b->isAssignmentOp() ? llvm::dyn_cast<clang::MemberExpr>(b->getLHS()->IgnoreParens()) : nullptr;
    auto* name =
        member ? llvm::dyn_cast<clang::DeclRefExpr>(member->getBase()->IgnoreParenImpCasts()) : nullptr;
    if (!name || name->getDecl() != &variable_) return true;
    if (auto axis = axisNamed(*member->getMemberDecl()))
      values[*axis].push_back(b->getOpcode() == clang::BO_Assign ? b->getRHS() : nullptr);
    return true;
  }
  std::array<std::vector<const clang::Expr*>, 3> values;

 private:
  const clang::VarDecl& variable_;
};

// Parts of a template's body may have no type yet.
bool isWhole(const clang::Expr* e) {
  return e && !e->getType().isNull() && e->getType()->isIntegralOrEnumerationType();
}

class Reader {
 public:
  Reader(const Unit& unit, const Arguments& arguments) : unit_(unit), arguments_(arguments) {}

  std::optional<std::int64_t> number(const clang::Expr* e, int depth = 0) const {
    if (!e || depth > kDeepest || e->getType().isNull() || e->isValueDependent() || e->isTypeDependent())
      return std::nullopt;
    clang::Expr::EvalResult value;
    if (isWhole(e) && e->EvaluateAsInt(value, unit_.context)) {
      auto number = value.Val.getInt();
      return number.getSignificantBits() <= 63 ? std::optional(number.getExtValue()) : std::nullopt;
    }
    e = e->IgnoreParenImpCasts();
    if (auto* byDefault = llvm::dyn_cast<clang::CXXDefaultArgExpr>(e))
      return number(byDefault->getExpr(), depth + 1);
    if (auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(e))
      return isWhole(cast) && isWhole(cast->getSubExpr()) ? number(cast->getSubExpr(), depth + 1)
                                                          : std::nullopt;
    if (auto* binary = llvm::dyn_cast<clang::BinaryOperator>(e)) {
      if (!isWhole(binary)) return std::nullopt;
      auto a = number(binary->getLHS(), depth + 1), b = number(binary->getRHS(), depth + 1);
      return a && b ? applied(binary->getOpcode(), *a, *b) : std::nullopt;
    }
    if (auto* member = llvm::dyn_cast<clang::MemberExpr>(e); member && variableOf(member->getBase()))
      return axis(*member, depth);
    auto* behind = valueBehind(variableOf(e));
    return isWhole(behind) ? number(behind, depth + 1) : std::nullopt;
  }

  Extent extent(const clang::Expr* e, int depth = 0) const {
    if (!e || depth > kDeepest) return {};
    e = e->IgnoreUnlessSpelledInSource();
    if (e->getType().isNull()) return {};  // "dim3 grid(n / N)" in a template, before N is known
    if (auto* byDefault = llvm::dyn_cast<clang::CXXDefaultArgExpr>(e))
      return extent(byDefault->getExpr(), depth + 1);
    if (auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
      if (made->getNumArgs() == 1 && !isWhole(made->getArg(0))) return extent(made->getArg(0), depth + 1);
      Extent out = {1, 1, 1};
      for (unsigned i = 0; i < made->getNumArgs() && i < 3; ++i) {
        auto* argument = made->getArg(i);
        if (!llvm::isa<clang::CXXDefaultArgExpr>(argument)) out[i] = number(argument);
      }
      return out;
    }
    if (auto* list = llvm::dyn_cast<clang::InitListExpr>(e)) {
      Extent out = {1, 1, 1};
      for (unsigned i = 0; i < list->getNumInits() && i < 3; ++i)
        if (!llvm::isa<clang::CXXDefaultArgExpr>(list->getInit(i))) out[i] = number(list->getInit(i));
      return out;
    }
    if (auto* variable = variableOf(e); variable && variable->getType()->isRecordType())
      return valueBehind(variable) ? extent(valueBehind(variable), depth + 1) : ofAxes(*variable);
    if (e->getType()->isIntegerType()) return {number(e), 1, 1};
    return {};
  }

  // What a variable that never changes was set to, or its argument.
  const clang::Expr* valueBehind(const clang::VarDecl* variable) const {
    if (!variable) return nullptr;
    if (auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(variable)) {
      auto known = arguments_.find(parameter);
      return known == arguments_.end() || !isNeverWritten(unit_, *parameter) ? nullptr : known->second;
    }
    return variable->getInit() && isWrittenOnce(unit_, *variable) ? variable->getInit() : nullptr;
  }

 private:
  // "block.x" of a dim3.
  std::optional<std::int64_t> axis(const clang::MemberExpr& member, int depth) const {
    auto* type = member.getBase()->getType()->getAsCXXRecordDecl();
    bool isOfDim3 = type && type->getIdentifier() && type->getName() == "dim3";
    auto at = isOfDim3 ? axisNamed(*member.getMemberDecl()) : std::nullopt;
    return at ? extent(member.getBase(), depth + 1)[*at] : std::nullopt;
  }

  // "dim3 block; block.y = 1;": axes that are set once each.
  Extent ofAxes(const clang::VarDecl& variable) const {
    auto* function = llvm::dyn_cast_or_null<clang::FunctionDecl>(variable.getParentFunctionOrMethod());
    if (!function || !function->getBody() || !variable.isLocalVarDecl()) return {};
    auto* made = llvm::dyn_cast_or_null<clang::CXXConstructExpr>(variable.getInit());
    bool isPlain = made && std::all_of(made->arg_begin(), made->arg_end(),
                                       [](auto* a) { return llvm::isa<clang::CXXDefaultArgExpr>(a); });
    if (!isPlain) return {};
    AxesSet axes(variable);
    axes.TraverseStmt(function->getBody());
    Extent out;
    for (std::size_t i = 0; i < 3; ++i)
      if (axes.values[i].size() == 1) out[i] = number(axes.values[i][0]);
    return out;
  }

  const Unit& unit_;
  const Arguments& arguments_;
};

class ParameterUses : public Visitor {
 public:
  explicit ParameterUses(const Unit& unit) : unit_(unit) {}

  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    auto* variable = llvm::dyn_cast<clang::VarDecl>(e->getDecl());
    if (!variable || !seen_.insert(variable).second) return true;
    if (auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(variable)) found.push_back(parameter);
    else if (seen_.size() < 64 && variable->getInit() && isWrittenOnce(unit_, *variable))
      TraverseStmt(const_cast<clang::Expr*>(variable->getInit()));
    return true;
  }
  std::vector<const clang::ParmVarDecl*> found;

 private:
  const Unit& unit_;
  std::set<const clang::VarDecl*> seen_;
};

}  // namespace

std::optional<std::int64_t> constantOf(const Unit& unit, const clang::Expr* e, const Arguments& arguments) {
  return Reader(unit, arguments).number(e);
}

Extent extentOf(const Unit& unit, const clang::Expr* e, const Arguments& arguments) {
  return Reader(unit, arguments).extent(e);
}

std::vector<const clang::ParmVarDecl*> parametersIn(const Unit& unit, const clang::Expr* e) {
  ParameterUses uses(unit);
  if (e) uses.TraverseStmt(const_cast<clang::Expr*>(e));
  return uses.found;
}

}  // namespace kadvise::source
