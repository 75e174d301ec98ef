#include "analyzer/source/strides.h"

#include <algorithm>
#include <set>

#include "analyzer/source/device_code.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr int kDeepest = 8;

using Factors = std::vector<const clang::Expr*>;

const clang::Expr* stripped(const clang::Expr* e) { return e->IgnoreParenCasts(); }

// What a variable was set to once; the expression itself otherwise.
const clang::Expr* meaningOf(const Courses& courses, const clang::Expr* e) {
  for (int i = 0; i < kDeepest; ++i) {
    e = stripped(e);
    auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
    auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    if (!v || !v->hasLocalStorage() || llvm::isa<clang::ParmVarDecl>(v)) return e;
    Course course = courses.of(*v);
    if (course.kind != Course::Kind::Fixed || !course.start) return e;
    e = course.start;
  }
  return e;
}

void addFactors(const Courses& courses, const clang::Expr* e, Factors& out, int depth) {
  e = meaningOf(courses, e);
  auto* b = llvm::dyn_cast<clang::BinaryOperator>(e);
  if (!b || b->getOpcode() != clang::BO_Mul || depth > kDeepest) return out.push_back(e);
  addFactors(courses, b->getLHS(), out, depth + 1);
  addFactors(courses, b->getRHS(), out, depth + 1);
}

// The products that an index, and the pointer that it counts from, are the sum of; of rows of an array, their
// numbers.
void addTerms(const Courses& courses, const clang::Expr* e, std::vector<Factors>& out, int depth = 0) {
  e = meaningOf(courses, e);
  auto again = [&](const clang::Expr* of) { addTerms(courses, of, out, depth + 1); };
  if (depth > kDeepest) return;
  if (auto* s = llvm::dyn_cast<clang::ArraySubscriptExpr>(e)) {
    again(s->getBase());
    std::size_t before = out.size();
    again(s->getIdx());
    if (s->getType()->isArrayType())
      for (std::size_t i = before; i < out.size(); ++i) out[i].push_back(s);  // times the length of a row
    return;
  }
  if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(e);
      u && (u->getOpcode() == clang::UO_Deref || u->getOpcode() == clang::UO_AddrOf))
    return again(u->getSubExpr());
  if (auto* b = llvm::dyn_cast<clang::BinaryOperator>(e); b && b->isAdditiveOp())
    return again(b->getLHS()), again(b->getRHS());
  if (e->getType()->isPointerType()) return;
  if (auto* number = llvm::dyn_cast<clang::IntegerLiteral>(e); number && number->getValue().isZero()) return;
  out.emplace_back();
  addFactors(courses, e, out.back(), 0);
}

// A parameter, or a field of one.
const clang::ValueDecl* bareParameter(const clang::Expr* e) {
  if (auto* m = llvm::dyn_cast<clang::MemberExpr>(e)) {
    const clang::Expr* base = stripped(m->getBase());
    while (auto* outer = llvm::dyn_cast<clang::MemberExpr>(base)) base = stripped(outer->getBase());
    return builtinIndexOf(e) || !bareParameter(base) ? nullptr : m->getMemberDecl();
  }
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  return name ? llvm::dyn_cast<clang::ParmVarDecl>(name->getDecl()) : nullptr;
}

class Named : public Visitor {
 public:
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    isOfTemplate |= llvm::isa<clang::NonTypeTemplateParmDecl>(e->getDecl());
    return names.insert(e->getDecl()), true;
  }
  bool VisitMemberExpr(clang::MemberExpr* e) override { return names.insert(e->getMemberDecl()), true; }
  std::set<const clang::ValueDecl*> names;
  bool isOfTemplate = false;
};

// What indices are held against, or taken apart by; the products of what is held against are extents, too.
class Extents : public Visitor {
 public:
  explicit Extents(const Courses& courses) : courses_(courses) {}
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    auto op = b->getOpcode();
    if (b->isComparisonOp()) take(b->getLHS()), take(b->getRHS());
    bool isDivision = op == clang::BO_Div || op == clang::BO_Rem;
    if (isDivision && b->getType()->isIntegerType()) take(b->getRHS());
    return true;
  }
  // A function that is given it may be the one that compares.
  bool VisitCallExpr(clang::CallExpr* call) override {
    for (auto* a : call->arguments())
      if (a->getType()->isIntegerType()) take(a);
    return true;
  }
  bool has(const clang::ValueDecl* v) const { return found_.count(v) > 0; }

 private:
  void take(const clang::Expr* e) {
    Named named;
    named.TraverseStmt(const_cast<clang::Expr*>(meaningOf(courses_, e)));
    found_.insert(named.names.begin(), named.names.end());
  }
  const Courses& courses_;
  std::set<const clang::ValueDecl*> found_;
};

// A number that is added, or an index; the block's own says nothing.
bool isUnitTerm(const Factors& factors) {
  return std::none_of(factors.begin(), factors.end(), [](auto* f) {
    auto index = builtinIndexOf(f);
    return bareParameter(f) || (index && index->kind != BuiltinIndex::Kind::Thread);
  });
}

// "stride_categories", "p.stride.x": stays one, whatever it is compared with.
bool isNamedStride(const clang::Expr* e) {
  e = stripped(e);
  auto* m = llvm::dyn_cast<clang::MemberExpr>(e);
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  const clang::ValueDecl* v = m ? m->getMemberDecl() : name ? name->getDecl() : nullptr;
  bool saysIt = v && v->getIdentifier() && v->getName().contains_insensitive("stride");
  return saysIt || (m && isNamedStride(m->getBase()));
}

}  // namespace

bool mayBeOne(Analyses& analyses, const clang::FunctionDecl& kernel, const WarpAccess& w) {
  auto& f = w.path.function ? *w.path.function : kernel;
  auto& courses = analyses.coursesOf(f);
  std::vector<Factors> terms;
  addTerms(courses, w.access.lvalue, terms);
  if (std::any_of(terms.begin(), terms.end(), isUnitTerm)) return false;
  Extents extents(courses);
  extents.TraverseStmt(f.getBody());
  bool hasStride = false;
  for (auto& factors : terms) {
    // The first factor is as good a lane's index as any: what counts is that none of them is an extent.
    for (auto* factor : factors) {
      auto* p = bareParameter(factor);
      if (p && extents.has(p) && !isNamedStride(factor)) return false;
      hasStride |= p && factors.size() > 1;
    }
  }
  return hasStride;
}

bool countsOn(const Courses& courses, const clang::Expr* element) {
  std::vector<Factors> terms;
  addTerms(courses, element, terms);
  return std::any_of(terms.begin(), terms.end(), [&](auto& factors) {
    auto* name = factors.size() == 1 ? llvm::dyn_cast<clang::DeclRefExpr>(factors[0]) : nullptr;
    auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    if (!v || llvm::isa<clang::ParmVarDecl>(v)) return false;
    Course course = courses.of(*v);
    return course.kind == Course::Kind::Stepped && !course.step && !course.isDown;
  });
}

bool isOfOpenTemplate(const clang::FunctionDecl& kernel, const WarpAccess& w) {
  if (!kernel.isDependentContext()) return false;
  Named open;
  open.TraverseStmt(const_cast<clang::Expr*>(w.access.lvalue));
  std::vector<const clang::ValueDecl*> todo(open.names.begin(), open.names.end());
  for (std::size_t i = 0; i < todo.size() && i < 256 && !open.isOfTemplate; ++i) {
    auto* v = llvm::dyn_cast<clang::VarDecl>(todo[i]);
    if (!v || !v->hasLocalStorage() || !v->getInit()) continue;
    Named more;
    more.TraverseStmt(const_cast<clang::Expr*>(v->getInit()));
    open.isOfTemplate |= more.isOfTemplate;
    for (auto* name : more.names)
      if (open.names.insert(name).second) todo.push_back(name);
  }
  return open.isOfTemplate;
}

}  // namespace kadvise::source
