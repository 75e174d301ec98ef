#include "analyzer/source/index_math.h"

#include <algorithm>

#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

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

}  // namespace

bool asksForNarrowIndices(clang::ASTContext& context) {
  Questions questions;
  for (auto* d : context.getTraversalScope()) questions.TraverseDecl(d);
  return questions.found;
}

}  // namespace kadvise::source
