#include "analyzer/source/kernel_pointers.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

bool isAtomic(llvm::StringRef name) {
  return name.starts_with("atomic") || name.starts_with("gpuAtomic") || name.contains("fastAtomic") ||
         name.contains("AtomicAdd");
}

bool addsUp(llvm::StringRef name) { return name.contains("Add") || name.contains("Sub"); }

class Uses : public Visitor {
 public:
  Uses(const Unit& unit, const clang::ParmVarDecl& parameter) : unit_(unit), parameter_(parameter) {}

  bool VisitDeclRefExpr(clang::DeclRefExpr* use) override {
    if (use->getDecl() == &parameter_) take(use);
    return true;
  }
  PointerUse found;

 private:
  // From the name outwards: elements of it, their address, up to what is done with them.
  void take(const clang::Expr* use) {
    auto node = clang::DynTypedNode::create<clang::Stmt>(*use);
    const clang::Stmt* child = use;
    bool isElement = false, isRead = false;
    for (int i = 0; i < 16; ++i) {
      auto parents = unit_.context.getParents(node);
      if (parents.empty()) break;
      node = parents[0];
      auto* parent = node.get<clang::Stmt>();
      if (!parent) break;
      if (auto* s = llvm::dyn_cast<clang::ArraySubscriptExpr>(parent)) {
        if (s->getIdx() == child) return finish(true);
        isElement = true;
      } else if (auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(parent)) {
        if (op->getOperator() == clang::OO_Subscript) isElement = true;
        else return operate(*op, child, isElement);
      } else if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(parent)) {
        if (u->getOpcode() == clang::UO_Deref) isElement = true;
        else if (u->isIncrementDecrementOp() && isElement) return void(found.accumulates = true);
        else if (u->getOpcode() != clang::UO_AddrOf) return finish(isElement);
      } else if (auto* cast = llvm::dyn_cast<clang::CastExpr>(parent)) {
        isRead |= cast->getCastKind() == clang::CK_LValueToRValue && isElement;
      } else if (auto* b = llvm::dyn_cast<clang::BinaryOperator>(parent)) {
        if (b->isAssignmentOp()) return assign(*b, child, isElement);
        if (isRead || !b->isAdditiveOp()) return finish(isElement || isRead);
      } else if (auto* call = llvm::dyn_cast<clang::CallExpr>(parent)) {
        return hand(*call, isRead);
      } else if (!llvm::isa<clang::ParenExpr, clang::DeclRefExpr>(parent)) {
        if (auto* member = llvm::dyn_cast<clang::MemberExpr>(parent)) return asks(*member);
        return finish(isElement);
      }
      child = parent;
    }
    finish(isElement);
  }

  void finish(bool isElement) { (isElement ? found.reads : found.isUnknown) = true; }

  void assign(const clang::BinaryOperator& b, const clang::Stmt* child, bool isElement) {
    if (b.getRHS() == child) return finish(isElement);
    if (!isElement) found.isUnknown = true;
    else (b.isCompoundAssignmentOp() ? found.accumulates : found.stores) = true;
  }

  void operate(const clang::CXXOperatorCallExpr& op, const clang::Stmt* child, bool isElement) {
    bool isTarget = op.isAssignmentOp() && op.getNumArgs() > 0 && op.getArg(0) == child;
    if (!isTarget) return finish(isElement);
    (op.getOperator() == clang::OO_Equal ? found.stores : found.accumulates) = true;
  }

  void hand(const clang::CallExpr& call, bool isRead) {
    auto name = calledName(&call);
    if (isRead) return void(found.reads = true);
    if (name == "__ldg") return void(found.reads = true);
    if (!isAtomic(name)) return void(found.isUnknown = true);
    found.accumulates = true;
    if (!addsUp(name) || call.getNumArgs() == 0) return;
    found.adds = true;
    auto* t = call.getArg(0)->getType()->getPointeeOrArrayElementType();
    found.isFloating |= t && !t->isIntegerType();
  }

  // p.size(0) and p.data() of an accessor.
  void asks(const clang::MemberExpr& member) {
    auto name = member.getMemberNameInfo().getAsString();
    if (name != "size" && name != "stride") found.isUnknown = true;
  }

  const Unit& unit_;
  const clang::ParmVarDecl& parameter_;
};

}  // namespace

llvm::StringRef calledName(const clang::CallExpr* call) {
  auto* f = call->getDirectCallee();
  if (f) return f->getIdentifier() ? f->getName() : llvm::StringRef();
  const clang::Expr* callee = call->getCallee()->IgnoreParenImpCasts();
  auto* open = llvm::dyn_cast<clang::OverloadExpr>(callee);
  auto* identifier = open ? open->getName().getAsIdentifierInfo() : nullptr;
  return identifier ? identifier->getName() : llvm::StringRef();
}

PointerUse useOf(const Unit& unit, const clang::FunctionDecl& kernel, unsigned parameter) {
  const clang::FunctionDecl* definition = nullptr;
  PointerUse unknown;
  unknown.isUnknown = true;
  if (!kernel.hasBody(definition) || parameter >= definition->getNumParams()) return unknown;
  Uses uses(unit, *definition->getParamDecl(parameter));
  uses.TraverseStmt(definition->getBody());
  return uses.found;
}

}  // namespace kadvise::source
