#include "analyzer/source/alias_rules.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analyzer/source/device_code.h"
#include "analyzer/source/page_edit.h"
#include "analyzer/source/place.h"
#include "analyzer/source/prices.h"
#include "analyzer/source/restrict_fix.h"
#include "analyzer/source/roots.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr std::int64_t kFewestTurns = 2, kMostTurns = 64;

// An access of what a pointer of the kernel points to.
struct Use {
  Access access;
  const clang::ParmVarDecl* pointer = nullptr;
  bool isUpdate = false;  // x[i] += …: a load and a store
};

clang::QualType elementOf(const clang::ParmVarDecl& p) {
  return p.getType()->getPointeeType().getCanonicalType().getUnqualifiedType();
}

bool isRestricted(const clang::ParmVarDecl& p) { return p.getType().isRestrictQualified(); }

// Unless types differ, and types of one size are often all the same, one may be the other's memory.
bool mayBeTheSame(const clang::ParmVarDecl& a, const clang::ParmVarDecl& b) {
  return &a != &b && !isRestricted(a) && !isRestricted(b) && elementOf(a) == elementOf(b) &&
         !a.getType()->getPointeeType().isVolatileQualified() &&
         !b.getType()->getPointeeType().isVolatileQualified();
}

std::vector<Use> usesIn(Analyses& analyses, const clang::FunctionDecl& kernel) {
  auto& unit = analyses.unit();
  std::vector<Use> out;
  for (auto& access : accessesOf(unit, kernel)) {
    auto* root = rootOf(analyses.coursesOf(kernel), access.lvalue);
    if (access.isPointer || !isKernelPointer(root)) continue;  // __ldg says itself that nobody writes
    auto parents = unit.context.getParents(*access.lvalue);
    bool isUpdate = access.isWrite && !parents.empty() && parents[0].get<clang::CompoundAssignOperator>();
    out.push_back({access, llvm::cast<clang::ParmVarDecl>(root), isUpdate});
  }
  return out;
}

class Inside : public Visitor {
 public:
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    names.push_back(e);
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* v) override {
    changed.insert(v->getCanonicalDecl());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* u) override {
    return u->isIncrementDecrementOp() || u->getOpcode() == clang::UO_AddrOf ? change(u->getSubExpr()) : true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    return b->isAssignmentOp() ? change(b->getLHS()) : true;
  }
  bool VisitCallExpr(clang::CallExpr* c) override {
    calls = true;
    const clang::FunctionDecl* callee = calleeOf(c);
    isLong |= callee && callee->hasBody() && !callee->getBuiltinID();
    bool mayWait = isBlockBarrier(c) || !calleeOf(c);
    if (auto* f = calleeOf(c); f && f->getIdentifier())
      mayWait |= f->getName().contains("sync") || f->getName().contains("fence") ||
                 f->getName().starts_with("atomic");
    waits |= mayWait;
    for (auto* a : c->arguments()) change(a);
    return true;
  }
  bool VisitForStmt(clang::ForStmt*) override { return ++loops > 0; }
  bool VisitWhileStmt(clang::WhileStmt*) override { return ++loops > 0; }
  bool TraversePseudoObjectExpr(clang::PseudoObjectExpr*) override { return true; }  // threadIdx.x is no call
  bool VisitGCCAsmStmt(clang::GCCAsmStmt*) override { return waits = true; }

  std::vector<const clang::DeclRefExpr*> names;
  std::set<const clang::Decl*> changed;
  bool calls = false, isLong = false;  // calls what has a body: a function of the user
  int loops = 0;
  bool waits = false;  // for what other threads do, or does what nobody knows

 private:
  bool change(const clang::Expr* e) {
    if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreParenCasts()))
      changed.insert(name->getDecl()->getCanonicalDecl());
    return true;
  }
};

Inside insideOf(const clang::Stmt* s) {
  Inside out;
  out.TraverseStmt(const_cast<clang::Stmt*>(s));
  return out;
}

bool isInvariant(const Inside& loop, const clang::Expr* e) {
  Inside parts = insideOf(e);
  return !parts.calls && std::none_of(parts.names.begin(), parts.names.end(), [&](auto* n) {
    return loop.changed.count(n->getDecl()->getCanonicalDecl()) > 0;
  });
}

struct Reload {
  const Use* use = nullptr;
  const Use* store = nullptr;
  bool isLoaded = true;  // in each turn; else the compiler has the value still, and only stores it
};

// Not behind a condition in the loop, which may end it.
bool runsEachTurn(const Unit& unit, const clang::Stmt* loop, const clang::Stmt* s) {
  auto node = clang::DynTypedNode::create(*s);
  const clang::Stmt* child = s;
  while (true) {
    auto parents = unit.context.getParents(node);
    if (parents.empty()) return false;
    node = parents[0];
    auto* parent = node.get<clang::Stmt>();
    if (parent == loop) return true;
    auto* branch = llvm::dyn_cast_or_null<clang::IfStmt>(parent);
    if ((branch && child != branch->getCond()) || node.get<clang::SwitchStmt>()) return false;
    if (parent) child = parent;
  }
}

// By another expression, so that no promise keeps the element as it is.
bool isStoredElsewhere(const Unit& unit, const Use& use, const clang::Stmt* loop,
                       const std::vector<Use>& uses) {
  return std::any_of(uses.begin(), uses.end(), [&](auto& other) {
    return other.access.isWrite && other.pointer == use.pointer && other.access.lvalue != use.access.lvalue &&
           isWithin(loop, unit, other.access.lvalue);
  });
}

// "x[i] = v; break;": whoever stores there loads no more.
bool leavesBehind(const Unit& unit, const clang::Stmt* store) {
  auto node = clang::DynTypedNode::create(*store);
  while (true) {
    auto parents = unit.context.getParents(node);
    if (parents.empty()) return false;
    node = parents[0];
    if (auto* block = node.get<clang::CompoundStmt>())
      return !block->body_empty() && llvm::isa<clang::BreakStmt, clang::ReturnStmt>(block->body_back());
  }
}

// What stands in front of the first turn of a for loop.
bool isOfStart(const Unit& unit, const clang::Stmt* loop, const clang::Stmt* s) {
  auto* f = llvm::dyn_cast<clang::ForStmt>(loop);
  return f && f->getInit() && isWithin(f->getInit(), unit, s);
}

// A load whose address does not change in its loop, beside a store that may hit it.
std::vector<Reload> reloadsIn(Analyses& analyses, const std::vector<Use>& uses) {
  auto& unit = analyses.unit();
  std::vector<Reload> out;
  for (auto& use : uses) {
    if (use.access.isWrite && !use.isUpdate) continue;
    auto loops = loopsAround(unit, use.access.lvalue);
    if (loops.empty() || isOfStart(unit, loops.front().whole, use.access.lvalue)) continue;
    if (onlyRepeats(loops.front().whole)) continue;
    Inside inside = insideOf(loops.front().whole);
    if (inside.waits || !isInvariant(inside, use.access.lvalue)) continue;
    // One load from the cache is nothing beside all that.
    if (!use.isUpdate && (inside.isLong || inside.loops > 1)) continue;
    if (!runsEachTurn(unit, loops.front().whole, use.access.lvalue)) continue;
    if (isStoredElsewhere(unit, use, loops.front().whole, uses)) continue;
    for (auto& other : uses) {
      // What is updated has to be stored before each load that may read it.
      bool stands = use.isUpdate ? !other.access.isWrite : other.access.isWrite;
      if (!stands || !mayBeTheSame(*use.pointer, *other.pointer)) continue;
      if (!isWithin(loops.front().whole, unit, other.access.lvalue)) continue;
      if (other.access.isWrite && leavesBehind(unit, other.access.lvalue)) continue;
      bool isLoaded = !use.isUpdate || std::any_of(uses.begin(), uses.end(), [&](auto& u) {
        return u.access.isWrite && mayBeTheSame(*use.pointer, *u.pointer) &&
               isWithin(loops.front().whole, unit, u.access.lvalue);
      });
      out.push_back({&use, &other, isLoaded});
      break;
    }
  }
  return out;
}

// Loads of a short loop, which is unrolled, cannot go before the stores of the turns before theirs.
std::optional<Reload> waitingLoad(Analyses& analyses, const std::vector<Use>& uses) {
  auto& unit = analyses.unit();
  std::set<const clang::ParmVarDecl*> stored;
  for (auto& use : uses)
    if (use.access.isWrite) stored.insert(use.pointer);
  for (auto& load : uses) {
    auto loops = loopsAround(unit, load.access.lvalue);
    if (load.access.isWrite || loops.empty() || stored.count(load.pointer)) continue;
    auto turns = constantTurns(unit, loops.front().whole);
    if (!turns || *turns < kFewestTurns || *turns > kMostTurns) continue;
    Inside inside = insideOf(loops.front().whole);
    if (inside.waits) continue;
    for (auto& store : uses)
      if (store.access.isWrite && mayBeTheSame(*load.pointer, *store.pointer) &&
          isWithin(loops.front().whole, unit, store.access.lvalue))
        return Reload{&load, &store, true};
  }
  return std::nullopt;
}

std::string text(const Unit& unit, const clang::Expr* e) {
  return "`" + brief(textOf(unit, e->getSourceRange())) + "`";
}

Site siteAt(const Unit& unit, const clang::FunctionDecl& kernel, const Reload& r, std::string message) {
  Site site;
  site.range = r.use->access.lvalue->getSourceRange();
  site.function = &kernel;
  site.message = std::move(message);
  site.related.push_back(placeOf(unit, r.store->access.lvalue->getSourceRange()));
  site.related.back().note =
      r.store->access.isWrite ? "the store that may change it" : "the load that may see it";
  return site;
}

}  // namespace

void invariantAccess(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel)) continue;
    auto uses = usesIn(analyses, *kernel);
    auto reloads = reloadsIn(analyses, uses);
    auto fixes = reloads.empty() ? std::vector<Fix>{} : restricting(analyses, *kernel);
    for (auto& r : reloads) {
      std::string what = text(unit, r.use->access.lvalue), other = text(unit, r.store->access.lvalue);
      bool isStored = r.use->isUpdate, isBoth = isStored && r.isLoaded;
      std::string does = isBoth ? " is loaded and stored" : isStored ? " is stored" : " is loaded again";
      Site site = siteAt(unit, *kernel, r,
                         what + does + " in each turn of the loop, since " + other +
                             " may be the same memory: keep it in a local variable");
      site.price =
          Price{isBoth ? 2.0 : 1.0, "accesses of device memory a turn of the loop, where none would do",
                std::string(isBoth     ? "a load and a store"
                            : isStored ? "1 store"
                                       : "1 load") +
                    " a turn, where a register needs none",
                "by the source: the address does not change in the loop", ""};
      site.fixes = std::exchange(fixes, {});
      findings.add(page, std::move(site));
    }
  }
}

void unrestrictedPointer(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel)) continue;
    auto uses = usesIn(analyses, *kernel);
    auto load = waitingLoad(analyses, uses);
    if (!load || !reloadsIn(analyses, uses).empty()) continue;  // that has the same remedy
    if (mayBreakPromise(analyses, *kernel, *load->use->pointer, *load->store->pointer)) continue;
    Site site = siteAt(unit, *kernel, *load,
                       load->use->pointer->getNameAsString() + " is only read, and " +
                           load->store->pointer->getNameAsString() +
                           " may be the same memory: the loads of this loop wait for the stores of the turns "
                           "before theirs");
    site.fixes = restricting(analyses, *kernel);
    findings.add(page, std::move(site));
  }
}

}  // namespace kadvise::source
