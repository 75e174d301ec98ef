#include "analyzer/source/local_rules.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/source/device_code.h"
#include "analyzer/source/local_selects.h"
#include "analyzer/source/one_thread.h"
#include "analyzer/source/page_edit.h"
#include "analyzer/source/place.h"
#include "analyzer/source/prices.h"
#include "analyzer/source/roots.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

// Of 255 registers a quarter: what is larger would not lie in them, however it is indexed.
constexpr std::int64_t kMostInRegisters = 256;
constexpr std::int64_t kSmallParameter = 64;
constexpr std::int64_t kMostUnrolled = 128;

class Subscripts : public Visitor {
 public:
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* e) override {
    found.push_back(e);
    return true;
  }
  std::vector<const clang::ArraySubscriptExpr*> found;
};

// What an index is made of.
class Parts : public Visitor {
 public:
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    names.push_back(e);
    return true;
  }
  bool VisitCallExpr(clang::CallExpr*) override { return isOpen = true; }
  bool VisitMemberExpr(clang::MemberExpr*) override { return isOpen = true; }
  // An array of the thread may be constants, in the end; what a pointer leads to is loaded.
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* e) override {
    bool isArray = e->getBase()->IgnoreParenImpCasts()->getType()->isArrayType();
    (isArray ? isOpen : isLoaded) = true;
    return true;
  }
  bool TraversePseudoObjectExpr(clang::PseudoObjectExpr* e) override {
    (builtinIndexOf(e) ? isLoaded : isOpen) = true;
    return true;
  }
  std::vector<const clang::DeclRefExpr*> names;
  bool isOpen = false;    // it may be known
  bool isLoaded = false;  // it is not
};

bool isUnrolledByHand(const Unit& unit, const clang::Stmt* loop) {
  auto parents = unit.context.getParents(*loop);
  return !parents.empty() && parents[0].get<clang::AttributedStmt>();
}

enum class Known { Yes, No, Perhaps };

// "i < 4 && first + i < n": a part of the condition ends it by itself, so that it is unrolled all the same.
bool endsByConstant(const Unit& unit, const clang::Expr* condition, const clang::VarDecl& counter) {
  auto* b = condition ? llvm::dyn_cast<clang::BinaryOperator>(condition->IgnoreParenImpCasts()) : nullptr;
  if (!b) return false;
  if (b->getOpcode() == clang::BO_LAnd)
    return endsByConstant(unit, b->getLHS(), counter) || endsByConstant(unit, b->getRHS(), counter);
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(b->getLHS()->IgnoreParenImpCasts());
  auto bound = constantOf(unit, b->getRHS());
  return b->isRelationalOp() && name && name->getDecl() == &counter && bound && *bound <= kMostUnrolled;
}

// Whether the compiler knows the value wherever the expression stands, once it has unrolled loops.
Known isKnown(const Unit& unit, const Courses& courses, const clang::Expr* e, int depth = 0) {
  if (depth > 6) return Known::Perhaps;
  if (e->isValueDependent() || constantOf(unit, e)) return Known::Yes;
  Parts parts;
  parts.TraverseStmt(const_cast<clang::Expr*>(e));
  if (parts.isOpen) return Known::Perhaps;
  if (parts.isLoaded) return Known::No;
  Known out = Known::Yes;
  for (auto* name : parts.names) {
    auto* v = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (!v || v->isConstexpr()) continue;
    if (llvm::isa<clang::ParmVarDecl>(v)) {
      // A parameter of a helper or a lambda is what its caller says, once it is inlined.
      if (!isKernel(courses.function()) || v->getDeclContext() != &courses.function()) return Known::Perhaps;
      return Known::No;
    }
    auto course = courses.of(*v);
    auto loops = loopsAround(unit, name);
    auto own = std::find_if(loops.begin(), loops.end(), [&](auto& l) {
      auto* f = llvm::dyn_cast<clang::ForStmt>(l.whole);
      auto* made = f ? llvm::dyn_cast_or_null<clang::DeclStmt>(f->getInit()) : nullptr;
      return made && made->isSingleDecl() && made->getSingleDecl() == v;
    });
    if (own != loops.end()) {
      auto turns = constantTurns(unit, own->whole);
      if (turns && *turns <= kMostUnrolled) continue;
      if (isUnrolledByHand(unit, own->whole)) return Known::Perhaps;
      if (endsByConstant(unit, llvm::cast<clang::ForStmt>(own->whole)->getCond(), *v)) continue;
      // A loop from or to what another loop counts unrolls with that one.
      auto* f = llvm::cast<clang::ForStmt>(own->whole);
      auto* until = llvm::dyn_cast_or_null<clang::BinaryOperator>(f->getCond());
      if (turns || !until) return turns ? Known::No : Known::Perhaps;
      Known bound = isKnown(unit, courses, until->getRHS(), depth + 1);
      Known from = v->getInit() ? isKnown(unit, courses, v->getInit(), depth + 1) : Known::Perhaps;
      if (bound == Known::No || from == Known::No) return Known::No;
      if (bound == Known::Perhaps || from == Known::Perhaps) out = Known::Perhaps;
      continue;
    }
    if (course.kind != Course::Kind::Fixed || !course.start) {
      out = Known::Perhaps;
      continue;
    }
    Known start = isKnown(unit, courses, course.start, depth + 1);
    if (start == Known::No) return start;
    if (start == Known::Perhaps) out = start;
  }
  return out;
}

// Of a thread itself; a whole array of rows counts as its rows do.
const clang::VarDecl* localArrayOf(const clang::ArraySubscriptExpr& e) {
  const clang::Expr* base = e.getBase()->IgnoreParenImpCasts();
  while (auto* row = llvm::dyn_cast<clang::ArraySubscriptExpr>(base)) {
    if (!row->getType()->isArrayType()) return nullptr;  // a pointer out of an array leads elsewhere
    base = row->getBase()->IgnoreParenImpCasts();
  }
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(base);
  auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  bool isLocal = v && v->hasLocalStorage() && v->getType()->isConstantArrayType() && !isShared(v);
  return isLocal && !v->getType().isConstQualified() ? v : nullptr;
}

// Where an array is named for more than to read an element of it.
class OtherUses : public Visitor {
 public:
  OtherUses(const Unit& unit, const clang::VarDecl& array) : unit_(unit), array_(array) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    if (e->getDecl() == &array_) found |= !isRead(e);
    return !found;
  }
  bool found = false;

 private:
  bool isRead(const clang::Expr* e) const {
    auto parents = unit_.context.getParents(*e);
    auto* parent = parents.empty() ? nullptr : parents[0].get<clang::Expr>();
    auto* cast = llvm::dyn_cast_or_null<clang::ImplicitCastExpr>(parent);
    if (cast && cast->getCastKind() == clang::CK_LValueToRValue) return true;
    auto* subscript = llvm::dyn_cast_or_null<clang::ArraySubscriptExpr>(parent);
    bool goesOn = (cast && cast->getCastKind() == clang::CK_ArrayToPointerDecay) ||
                  (subscript && subscript->getBase() == e) || llvm::isa_and_nonnull<clang::ParenExpr>(parent);
    return goesOn && isRead(parent);
  }
  const Unit& unit_;
  const clang::VarDecl& array_;
};

// Constants that nobody changes: the compiler makes them a table in constant memory.
bool isTable(const Unit& unit, const clang::FunctionDecl& f, const clang::VarDecl& array) {
  if (!array.getInit() || !array.getInit()->isConstantInitializer(unit.context, false)) return false;
  OtherUses uses(unit, array);
  uses.TraverseStmt(f.getBody());
  return !uses.found;
}

std::vector<const clang::ArraySubscriptExpr*> pickedOf(
    const Unit& unit, const Courses& courses, const clang::VarDecl& array,
    const std::vector<const clang::ArraySubscriptExpr*>& all) {
  std::vector<const clang::ArraySubscriptExpr*> out;
  for (auto* e : all)
    if (localArrayOf(*e) == &array && isKnown(unit, courses, e->getIdx()) != Known::Yes) out.push_back(e);
  return out;
}

class ParameterUses : public Visitor {
 public:
  explicit ParameterUses(const Unit& unit) : unit_(unit) {}
  bool VisitUnaryOperator(clang::UnaryOperator* u) override {
    if (u->getOpcode() == clang::UO_AddrOf) take(u->getSubExpr(), u);
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    if (b->isAssignmentOp()) take(b->getLHS(), b);
    return true;
  }
  std::map<const clang::ParmVarDecl*, const clang::Expr*> written;

 private:
  void take(const clang::Expr* e, const clang::Expr* where) {
    // Only where an index that is not known picks the place does the whole have to be in memory.
    bool isPicked = false;
    for (e = e->IgnoreParenImpCasts();;) {
      if (auto* m = llvm::dyn_cast<clang::MemberExpr>(e); m && !m->isArrow()) {
        e = m->getBase()->IgnoreParenImpCasts();
      } else if (auto* s = llvm::dyn_cast<clang::ArraySubscriptExpr>(e)) {
        if (!s->getBase()->IgnoreParenImpCasts()->getType()->isArrayType()) return;
        isPicked |= !constantOf(unit_, s->getIdx());
        e = s->getBase()->IgnoreParenImpCasts();
      } else {
        break;
      }
    }
    auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
    auto* p = name ? llvm::dyn_cast<clang::ParmVarDecl>(name->getDecl()) : nullptr;
    if (p && isPicked) written.emplace(p, where);
  }

  const Unit& unit_;
};

}  // namespace

void dynamicLocalArray(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* f : unit.deviceFunctions) {
    if (f->isDependentContext()) continue;
    Subscripts subscripts;
    subscripts.TraverseStmt(f->getBody());
    std::set<const clang::VarDecl*> seen;
    for (auto* e : subscripts.found) {
      auto* array = localArrayOf(*e);
      if (!array || seen.count(array)) continue;
      std::int64_t bytes = bytesOf(unit, array->getType());
      if (bytes > kMostInRegisters || isKnown(unit, analyses.coursesOf(*f), e->getIdx()) != Known::No)
        continue;
      seen.insert(array);
      if (isTable(unit, *f, *array)) continue;
      if (isSelected(unit, *array, pickedOf(unit, analyses.coursesOf(*f), *array, subscripts.found)))
        continue;
      if (isOfOneThread(analyses, *f, e)) continue;
      Site site;
      site.range = e->getSourceRange();
      site.function = f;
      site.message = array->getNameAsString() + " is indexed by `" +
                     brief(textOf(unit, e->getIdx()->getSourceRange())) +
                     "`, which is not known when it is compiled: all " + std::to_string(bytes) +
                     " bytes of it go to local memory instead of registers";
      site.related.push_back(placeOf(unit, array->getSourceRange()));
      site.related.back().note = "the array";
      site.price = localPrice(unit, bytesOf(unit, e->getType()));
      findings.add(page, std::move(site));
    }
  }
}

void copiedParameter(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel) || kernel->isDependentContext()) continue;
    ParameterUses uses(unit);
    uses.TraverseStmt(kernel->getBody());
    for (auto& [p, where] : uses.written) {
      if (!p->getType()->isRecordType()) continue;
      std::int64_t bytes = bytesOf(unit, p->getType());
      if (bytes <= kSmallParameter) continue;
      Site site;
      site.range = where->getSourceRange();
      site.function = kernel;
      site.message = "this makes each thread copy " + p->getNameAsString() + ", a parameter of " +
                     std::to_string(bytes) + " bytes, to local memory";
      site.related.push_back(placeOf(unit, p->getSourceRange()));
      site.related.back().note = "the parameter";
      site.price = localPrice(unit, bytes);
      findings.add(page, std::move(site));
    }
  }
}

}  // namespace kadvise::source
