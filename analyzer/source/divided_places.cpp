#include "analyzer/source/divided_places.h"

#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr int kMostFollowed = 200;  // variables of an expression

class DividedPlaces : public Visitor {
 public:
  DividedPlaces(const Unit& unit, const Courses& courses) : unit_(unit), courses_(courses) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) override {
    auto* start = startOf(name);
    return !start || TraverseStmt(const_cast<clang::Expr*>(start));
  }
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    if (b->getOpcode() != clang::BO_Div) return true;
    const clang::Expr* left = b->getLHS()->IgnoreParenImpCasts();
    if (auto* start = startOf(llvm::dyn_cast<clang::DeclRefExpr>(left))) left = start->IgnoreParenImpCasts();
    auto* rest = llvm::dyn_cast<clang::BinaryOperator>(left);
    found |= rest && rest->getOpcode() == clang::BO_Rem && !courses_.constant(unit_, b->getRHS());
    return !found;
  }
  bool found = false;

 private:
  // Of a variable that keeps its first value; none where it was looked at before.
  const clang::Expr* startOf(const clang::DeclRefExpr* name) {
    auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    if (!v || !v->hasLocalStorage() || llvm::isa<clang::ParmVarDecl>(v)) return nullptr;
    Course course = courses_.of(*v);
    return course.kind == Course::Kind::Fixed && depth_++ < kMostFollowed ? course.start : nullptr;
  }

  const Unit& unit_;
  const Courses& courses_;
  int depth_ = 0;
};

}  // namespace

bool isOfDividedPlace(const Unit& unit, const Courses& courses, const clang::Expr& e) {
  DividedPlaces places(unit, courses);
  places.TraverseStmt(const_cast<clang::Expr*>(&e));
  return places.found;
}

}  // namespace kadvise::source
