#include "analyzer/source/host_tensors.h"

#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <set>
#include <vector>

#include "analyzer/source/device_code.h"
#include "analyzer/source/tensor_calls.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

using Names = llvm::ArrayRef<llvm::StringRef>;

bool isOneOf(const clang::NamedDecl* d, Names names) {
  return d && d->getIdentifier() && llvm::is_contained(names, d->getName());
}

bool isOfType(clang::QualType type, Names names) {
  return !type.isNull() && isOneOf(type.getNonReferenceType()->getAsCXXRecordDecl(), names);
}

class Mentions : public Visitor {
 public:
  explicit Mentions(Names names) : names_(names) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override { return !(found |= isOneOf(e->getDecl(), names_)); }
  bool VisitMemberExpr(clang::MemberExpr* e) override {
    return !(found |= isOneOf(e->getMemberDecl(), names_));
  }
  bool found = false;

 private:
  Names names_;
};

bool mentions(const clang::Expr* e, Names names) {
  Mentions visitor(names);
  visitor.TraverseStmt(const_cast<clang::Expr*>(e));
  return visitor.found;
}

// "TORCH_CHECK", "CHECK_CPU": the macro at the place, as the file names it.
bool isInCheck(const clang::ASTContext& context, clang::SourceLocation at) {
  if (!at.isMacroID()) return false;
  auto& sources = context.getSourceManager();
  auto outside = sources.getExpansionLoc(at);
  auto length = clang::Lexer::MeasureTokenLength(outside, sources, context.getLangOpts());
  llvm::StringRef name(sources.getCharacterData(outside), length);
  return name.contains("CHECK") || name.contains("ASSERT");
}

class HostChecks : public Visitor {
 public:
  explicit HostChecks(const clang::ASTContext& context) : context_(context) {}
  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* call) override {
    const bool isNegated = negated_.count(call) != 0;
    found |= isOneOf(call->getMethodDecl(), {"is_cpu"});
    wantsDevice |=
        isOneOf(call->getMethodDecl(), {"is_cuda"}) && !isNegated && isInCheck(context_, call->getExprLoc());
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    if (b->getOpcode() == clang::BO_EQ) look(b->getLHS(), b->getRHS());
    return true;
  }
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* call) override {
    bool isEqual = call->getOperator() == clang::OO_EqualEqual && call->getNumArgs() == 2;
    if (isEqual) look(call->getArg(0), call->getArg(1));
    return true;
  }
  // What the macro itself turns round stands in parentheses there: "!(x.is_cuda())" is the opposite.
  bool VisitUnaryOperator(clang::UnaryOperator* u) override {
    auto* call = u->getOpcode() == clang::UO_LNot
                     ? llvm::dyn_cast<clang::CXXMemberCallExpr>(u->getSubExpr()->IgnoreImpCasts())
                     : nullptr;
    if (call) negated_.insert(call);
    found |= call && isOneOf(call->getMethodDecl(), {"is_cuda"}) && isInCheck(context_, u->getOperatorLoc());
    return true;
  }
  bool found = false, wantsDevice = false;

 private:
  void look(const clang::Expr* a, const clang::Expr* b) {
    constexpr llvm::StringRef kHost[] = {"kCPU", "CPU"}, kDevice[] = {"device", "device_type"};
    found |= (mentions(a, kDevice) && mentions(b, kHost)) || (mentions(b, kDevice) && mentions(a, kHost));
  }
  std::set<const clang::CXXMemberCallExpr*> negated_;
  const clang::ASTContext& context_;
};

bool asksItself(const clang::ASTContext& context, const clang::FunctionDecl& f) {
  HostChecks checks(context);
  checks.TraverseStmt(f.getBody());
  return checks.found && !checks.wantsDevice;
}

const clang::FunctionDecl* keyOf(const clang::FunctionDecl& f) { return asWritten(&f)->getCanonicalDecl(); }

// Functions of the file that call another one.
class CallersOf : public Visitor {
 public:
  explicit CallersOf(const clang::FunctionDecl& f) : key_(keyOf(f)) {}
  bool VisitFunctionDecl(clang::FunctionDecl* f) override {
    if (f->doesThisDeclarationHaveABody()) now_ = f;
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    auto* f = e->getDecl()->getAsFunction();
    if (f && keyOf(*f) == key_ && now_ && keyOf(*now_) != key_) found.push_back(now_);
    return true;
  }
  std::vector<const clang::FunctionDecl*> found;

 private:
  const clang::FunctionDecl* key_;
  const clang::FunctionDecl* now_ = nullptr;
};

// Something in the arguments says where a new tensor lies, or may do so.
class Placements : public Visitor {
 public:
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    bool mayPlace = isOneOf(e->getDecl(), {"kCUDA", "CUDA"}) ||
                    isOfType(e->getType(), {"TensorOptions", "Device", "optional"});
    return !(found |= mayPlace);
  }
  bool VisitCallExpr(clang::CallExpr* call) override {
    auto* f = call->getDirectCallee();
    bool isPlain = isOneOf(f, {"dtype", "layout", "requires_grad", "pinned_memory", "memory_format"});
    return !(found |= !isPlain && isOfType(call->getType(), {"TensorOptions", "Device"}));
  }
  bool found = false;
};

class Assignments : public Visitor {
 public:
  explicit Assignments(const clang::VarDecl& variable) : variable_(variable) {}
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* call) override {
    return !(found |= call->isAssignmentOp() && variableOf(bareExpr(call->getArg(0))) == &variable_);
  }
  bool found = false;

 private:
  const clang::VarDecl& variable_;
};

}  // namespace

bool asksForHost(clang::ASTContext& context, const clang::FunctionDecl& f) {
  if (asksItself(context, f)) return true;
  CallersOf callers(f);
  for (auto* d : context.getTraversalScope()) callers.TraverseDecl(d);
  return !callers.found.empty() && std::all_of(callers.found.begin(), callers.found.end(),
                                               [&](auto* caller) { return asksItself(context, *caller); });
}

bool isMadeOnHost(const clang::VarDecl& v) {
  auto* call = v.getInit() ? llvm::dyn_cast<clang::CallExpr>(bareExpr(v.getInit())) : nullptr;
  bool isMade = call && isOneOf(call->getDirectCallee(), {"empty", "zeros", "ones", "full", "arange",
                                                          "tensor", "rand", "randn", "randint"});
  auto* around = llvm::dyn_cast<clang::FunctionDecl>(v.getDeclContext());
  if (!isMade || !around || llvm::isa<clang::CXXMemberCallExpr>(call)) return false;
  Placements placements;
  for (auto* argument : call->arguments()) placements.TraverseStmt(const_cast<clang::Expr*>(argument));
  Assignments assignments(v);
  assignments.TraverseStmt(around->getBody());
  return !placements.found && !assignments.found;
}

}  // namespace kadvise::source
