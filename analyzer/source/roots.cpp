#include "analyzer/source/roots.h"

#include "analyzer/source/device_code.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr int kDeepest = 12;

const clang::VarDecl* rootOf(const Courses& courses, const clang::Expr* e, int depth) {
  if (!e || depth > kDeepest) return nullptr;
  e = e->IgnoreParenCasts();
  if (auto* s = llvm::dyn_cast<clang::ArraySubscriptExpr>(e)) return rootOf(courses, s->getBase(), depth + 1);
  if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(e))
    return u->getOpcode() == clang::UO_Deref || u->getOpcode() == clang::UO_AddrOf
               ? rootOf(courses, u->getSubExpr(), depth + 1)
               : nullptr;
  if (auto* m = llvm::dyn_cast<clang::MemberExpr>(e)) {
    // A pointer in a class is another memory than the class.
    return m->getType()->isPointerType() ? nullptr : rootOf(courses, m->getBase(), depth + 1);
  }
  if (auto* sum = llvm::dyn_cast<clang::BinaryOperator>(e); sum && sum->isAdditiveOp()) {
    bool isLeft = sum->getLHS()->getType()->isPointerType();
    return rootOf(courses, isLeft ? sum->getLHS() : sum->getRHS(), depth + 1);
  }
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  auto* variable = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (!variable || llvm::isa<clang::ParmVarDecl>(variable) || !variable->getType()->isPointerType())
    return variable;
  auto course = courses.of(*variable);
  bool isMovedOn = course.kind == Course::Kind::Fixed || course.kind == Course::Kind::Stepped;
  return isMovedOn ? rootOf(courses, course.start, depth + 1) : nullptr;
}

const clang::Stmt* bodyOf(const clang::Stmt* s) {
  if (auto* l = llvm::dyn_cast_or_null<clang::ForStmt>(s)) return l->getBody();
  if (auto* l = llvm::dyn_cast_or_null<clang::WhileStmt>(s)) return l->getBody();
  if (auto* l = llvm::dyn_cast_or_null<clang::DoStmt>(s)) return l->getBody();
  return nullptr;
}

// A number, or made of numbers and a template's parameters.
bool isConstant(const Unit& unit, const clang::Expr* e) {
  if (!e) return false;
  return e->isValueDependent() || constantOf(unit, e).has_value();
}

const clang::VarDecl* counterOf(const clang::Expr* e) {
  auto* name = e ? llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreParenImpCasts()) : nullptr;
  return name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
}

}  // namespace

const clang::VarDecl* rootOf(const Courses& courses, const clang::Expr* e) { return rootOf(courses, e, 0); }

bool isShared(const clang::VarDecl* v) { return v && v->hasAttr<clang::CUDASharedAttr>(); }

bool isKernelPointer(const clang::VarDecl* v) {
  auto* p = llvm::dyn_cast_or_null<clang::ParmVarDecl>(v);
  auto* f = p ? llvm::dyn_cast<clang::FunctionDecl>(p->getDeclContext()) : nullptr;
  return f && isKernel(*f) && p->getType()->isPointerType();
}

std::vector<Loop> loopsAround(const Unit& unit, const clang::Stmt* s) {
  std::vector<Loop> out;
  auto node = clang::DynTypedNode::create(*s);
  while (true) {
    auto parents = unit.context.getParents(node);
    if (parents.empty() || parents[0].get<clang::FunctionDecl>()) return out;
    node = parents[0];
    auto* parent = node.get<clang::Stmt>();
    if (auto* body = bodyOf(parent)) out.push_back({parent, body});
  }
}

std::optional<std::int64_t> constantTurns(const Unit& unit, const clang::Stmt* loop) {
  auto* f = llvm::dyn_cast_or_null<clang::ForStmt>(loop);
  auto* made = f ? llvm::dyn_cast_or_null<clang::DeclStmt>(f->getInit()) : nullptr;
  auto* counter =
      made && made->isSingleDecl() ? llvm::dyn_cast<clang::VarDecl>(made->getSingleDecl()) : nullptr;
  auto* until = f ? llvm::dyn_cast_or_null<clang::BinaryOperator>(f->getCond()) : nullptr;
  if (!counter || !counter->getInit() || !until || !until->isComparisonOp() || !f->getInc())
    return std::nullopt;
  if (counterOf(until->getLHS()) != counter || !isConstant(unit, until->getRHS()) ||
      !isConstant(unit, counter->getInit()))
    return std::nullopt;
  std::optional<std::int64_t> step = 1;
  auto* inc = f->getInc()->IgnoreParens();
  if (auto* by = llvm::dyn_cast<clang::BinaryOperator>(inc)) {
    if (!isConstant(unit, by->getRHS())) return std::nullopt;
    step = by->getOpcode() == clang::BO_AddAssign ? constantOf(unit, by->getRHS()) : std::nullopt;
  } else if (!llvm::isa<clang::UnaryOperator>(inc)) {
    return std::nullopt;
  }
  auto from = constantOf(unit, counter->getInit()), to = constantOf(unit, until->getRHS());
  bool isUp = until->getOpcode() == clang::BO_LT || until->getOpcode() == clang::BO_LE;
  if (!from || !to || !step || *step <= 0 || !isUp) return 0;
  std::int64_t last = until->getOpcode() == clang::BO_LE ? *to + 1 : *to;
  return std::max<std::int64_t>((last - *from + *step - 1) / *step, 0);
}

bool isWithin(const clang::Stmt* outer, const Unit& unit, const clang::Stmt* inner) {
  auto node = clang::DynTypedNode::create(*inner);
  while (true) {
    if (node.get<clang::Stmt>() == outer) return true;
    auto parents = unit.context.getParents(node);
    if (parents.empty() || parents[0].get<clang::FunctionDecl>()) return false;
    node = parents[0];
  }
}

// "for (int r = 0; r < repeats; ++r)" with an r that the body does not read: work that is repeated on
// purpose, mostly to be timed.
bool onlyRepeats(const clang::Stmt* loop) {
  auto* f = llvm::dyn_cast<clang::ForStmt>(loop);
  auto* made = f ? llvm::dyn_cast_or_null<clang::DeclStmt>(f->getInit()) : nullptr;
  if (!made || !made->isSingleDecl()) return false;
  class Reads : public Visitor {
   public:
    explicit Reads(const clang::Decl* counter) : counter_(counter) {}
    bool VisitDeclRefExpr(clang::DeclRefExpr* e) override { return !(found |= e->getDecl() == counter_); }
    bool found = false;

   private:
    const clang::Decl* counter_;
  } reads(made->getSingleDecl());
  reads.TraverseStmt(const_cast<clang::Stmt*>(f->getBody()));
  return !reads.found;
}

}  // namespace kadvise::source
