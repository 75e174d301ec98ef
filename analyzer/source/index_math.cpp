#include "analyzer/source/index_math.h"

#include <algorithm>

#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr std::int64_t kMostSigned = 0x7fffffff, kMostUnsigned = 0xffffffff;

class Questions : public Visitor {
 public:
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override { return take(e->getDecl()->getDeclName()); }
  bool VisitOverloadExpr(clang::OverloadExpr* e) override { return take(e->getName()); }
  bool found = false;

 private:
  bool take(clang::DeclarationName name) {
    found |= name.isIdentifier() && name.getAsIdentifierInfo()->getName() == "canUse32BitIndexMath";
    return !found;
  }
};

class Limits : public Visitor {
 public:
  explicit Limits(const clang::ASTContext& context) : context_(context) {}
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    if (b->isComparisonOp()) found |= isLimit(b->getLHS()) || isLimit(b->getRHS());
    return !found;
  }
  bool found = false;

 private:
  bool isLimit(const clang::Expr* e) const {
    if (e->isValueDependent() || e->isTypeDependent() || !e->getType()->isIntegerType()) return false;
    auto value = e->getIntegerConstantExpr(context_);
    if (!value || value->getSignificantBits() > 62) return false;
    auto n = value->getExtValue();
    return n == kMostSigned || n == kMostSigned + 1 || n == kMostUnsigned || n == kMostUnsigned + 1;
  }

  const clang::ASTContext& context_;
};

}  // namespace

bool asksForNarrowIndices(clang::ASTContext& context) {
  Questions questions;
  for (auto* d : context.getTraversalScope()) questions.TraverseDecl(d);
  return questions.found;
}

bool comparesWithNarrowLimit(clang::ASTContext& context) {
  Limits limits(context);
  for (auto* d : context.getTraversalScope()) limits.TraverseDecl(d);
  return limits.found;
}

}  // namespace kadvise::source
