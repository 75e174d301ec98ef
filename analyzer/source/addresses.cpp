#include "analyzer/source/addresses.h"

#include "analyzer/source/device_code.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr std::int64_t kOpenTypeBytes = 4;

Address moved(Address a, const Value& by, std::int64_t bytes) {
  a.offset += by.number * bytes;
  a.isMadeUp |= by.isMadeUp;
  return a;
}

std::optional<Address> ofParameter(Threads& threads, const clang::ParmVarDecl& p, const Thread& t) {
  if (auto* caller = threads.caller()) return pointerOf(*caller, threads.argumentFor(p), t);
  return isKernel(threads.function()) ? std::optional(Address{Space::Global, &p, 0, false}) : std::nullopt;
}

// A pointer that is moved on, by a loop or before it.
std::optional<Address> ofPast(Threads& threads, const clang::DeclRefExpr& name, const Thread& t) {
  auto& past = threads.courses().pastAt(threads.unit(), name);
  if (!past) return std::nullopt;
  auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(name.getDecl());
  auto out = past->start ? pointerOf(threads, past->start, t)
             : parameter ? ofParameter(threads, *parameter, t)
                         : std::nullopt;
  std::int64_t bytes = bytesOf(threads.unit(), name.getType()->getPointeeType());
  auto add = [&](const Past::Step& step, int times) {
    auto by = step.by ? threads.valueOf(step.by, t) : Value{1, false};
    if (!out || !by) return out = std::nullopt, void();
    by->number *= step.isDown ? -times : times;
    out = moved(*out, *by, bytes);
  };
  for (auto& step : past->once) add(step, 1);
  if (int turn = threads.sample().turn)
    for (auto& step : past->eachTurn) add(step, turn);
  return out;
}

std::optional<Address> ofPointerVariable(Threads& threads, const clang::DeclRefExpr& name, const Thread& t) {
  if (auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(name.getDecl()))
    return threads.courses().isNeverWritten(*parameter) ? ofParameter(threads, *parameter, t)
                                                        : ofPast(threads, name, t);
  auto* variable = llvm::dyn_cast<clang::VarDecl>(name.getDecl());
  if (!variable || !variable->hasLocalStorage()) return std::nullopt;
  Course course = threads.courses().of(*variable);
  return course.kind == Course::Kind::Fixed ? pointerOf(threads, course.start, t) : ofPast(threads, name, t);
}

// A pointer in a class that is a kernel's parameter.
std::optional<Address> ofPointerField(Threads& threads, const clang::MemberExpr& member) {
  auto* base = llvm::dyn_cast<clang::DeclRefExpr>(member.getBase()->IgnoreParenImpCasts());
  auto* parameter = base && !member.isArrow() ? llvm::dyn_cast<clang::ParmVarDecl>(base->getDecl()) : nullptr;
  if (!parameter || parameter->getType()->isReferenceType() || !isKernel(threads.function()))
    return std::nullopt;
  return Address{Space::Global, member.getMemberDecl(), 0, false};
}

// Clang marks "__device__ const" so, too, of which nvcc makes global memory.
bool isInConstantMemory(const clang::VarDecl& variable) {
  auto* attribute = variable.getAttr<clang::CUDAConstantAttr>();
  return attribute && !attribute->isImplicit();
}

std::optional<Address> ofArray(const clang::DeclRefExpr& name) {
  auto* variable = llvm::dyn_cast<clang::VarDecl>(name.getDecl());
  if (!variable) return std::nullopt;
  if (variable->hasAttr<clang::CUDASharedAttr>()) return Address{Space::Shared, variable, 0, false};
  if (isInConstantMemory(*variable)) return Address{Space::Constant, variable, 0, false};
  if (variable->hasLocalStorage()) return Address{Space::Local, variable, 0, false};
  return Address{Space::Global, variable, 0, false};
}

std::optional<Address> ofField(Threads& threads, const clang::MemberExpr& member, const Thread& t) {
  auto* field = llvm::dyn_cast<clang::FieldDecl>(member.getMemberDecl());
  if (!field || field->getParent()->isDependentContext() || field->getParent()->isInvalidDecl())
    return std::nullopt;
  auto base =
      member.isArrow() ? pointerOf(threads, member.getBase(), t) : addressOf(threads, member.getBase(), t);
  if (!base) return std::nullopt;
  auto& layout = threads.unit().context.getASTRecordLayout(field->getParent());
  base->offset += static_cast<std::int64_t>(layout.getFieldOffset(field->getFieldIndex()) / 8);
  return base;
}

class Accesses : public Visitor {
 public:
  explicit Accesses(const Unit& unit) : unit_(unit) {}

  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* e) override { return take(e); }
  bool VisitUnaryOperator(clang::UnaryOperator* e) override {
    return e->getOpcode() == clang::UO_Deref ? take(e) : true;
  }
  bool VisitMemberExpr(clang::MemberExpr* e) override {
    bool isField = e->isArrow() && llvm::isa<clang::FieldDecl>(e->getMemberDecl());
    return isField && !llvm::isa<clang::CXXThisExpr>(e->getBase()->IgnoreParenImpCasts()) ? take(e) : true;
  }
  // Loads and stores that are spelt as calls.
  bool VisitCallExpr(clang::CallExpr* call) override {
    bool isLoad = isCallOf(call, {"__ldg", "__ldcg", "__ldca", "__ldcs", "__ldlu", "__ldcv"});
    bool isStore = isCallOf(call, {"__stwb", "__stcg", "__stcs", "__stwt"});
    if ((!isLoad && !isStore) || call->getNumArgs() == 0) return true;
    const clang::Expr* pointer = call->getArg(0);
    found.push_back({pointer, isStore, bytesOf(unit_, pointer->getType()->getPointeeType()), true});
    return true;
  }
  std::vector<Access> found;

 private:
  // An access is what is loaded, or assigned to; rows of an array and what & is taken of are not.
  bool take(const clang::Expr* e) {
    if (e->getType()->isArrayType()) return true;
    const clang::Expr* whole = e;
    auto node = clang::DynTypedNode::create<clang::Stmt>(*e);
    for (int i = 0; i < 8; ++i) {
      auto parents = unit_.context.getParents(node);
      if (parents.empty()) return true;
      node = parents[0];
      if (auto* member = node.get<clang::MemberExpr>(); member && !member->isArrow()) {
        // "(float)halves[i]"
        if (llvm::isa<clang::CXXConversionDecl>(member->getMemberDecl())) return add(whole, false);
        whole = member;
      } else if (auto* cast = node.get<clang::ImplicitCastExpr>()) {
        if (cast->getCastKind() == clang::CK_LValueToRValue) return add(whole, false);
        if (cast->getCastKind() != clang::CK_NoOp) return true;
      } else if (auto* b = node.get<clang::BinaryOperator>()) {
        bool isTarget = b->isAssignmentOp() && b->getLHS()->IgnoreParens() == whole;
        return isTarget || e->isTypeDependent() ? add(whole, isTarget) : true;
      } else if (auto* call = node.get<clang::CXXOperatorCallExpr>()) {
        return isCopy(*call) ? add(whole, call->getArg(0)->IgnoreParens() == whole) : true;
      } else if (!node.get<clang::ParenExpr>()) {
        // A class is loaded by its constructor, an open type in ways that are not known yet.
        return node.get<clang::CXXConstructExpr>() || e->isTypeDependent() ? add(whole, false) : true;
      }
    }
    return true;
  }

  // "quads[i] = quad" of a class that is copied byte by byte.
  static bool isCopy(const clang::CXXOperatorCallExpr& call) {
    auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
    return method && method->isTrivial() && call.getOperator() == clang::OO_Equal && call.getNumArgs() == 2;
  }

  bool add(const clang::Expr* e, bool isWrite) {
    found.push_back({e, isWrite, bytesOf(unit_, e->getType())});
    return true;
  }

  const Unit& unit_;
};

}  // namespace

std::optional<Address> pointerOf(Threads& threads, const clang::Expr* e, const Thread& t) {
  if (!e) return std::nullopt;
  e = e->IgnoreParens();
  if (auto* whole = llvm::dyn_cast<clang::FullExpr>(e)) return pointerOf(threads, whole->getSubExpr(), t);
  if (auto* cast = llvm::dyn_cast<clang::CastExpr>(e)) {
    if (cast->getCastKind() == clang::CK_ArrayToPointerDecay)
      return addressOf(threads, cast->getSubExpr(), t);
    return pointerOf(threads, cast->getSubExpr(), t);
  }
  if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e)) return ofPointerVariable(threads, *name, t);
  if (auto* member = llvm::dyn_cast<clang::MemberExpr>(e)) return ofPointerField(threads, *member);
  if (auto* call = llvm::dyn_cast<clang::CallExpr>(e)) {
    auto* f = call->getDirectCallee();
    auto* returned = f ? onlyReturned(*f) : nullptr;
    auto* within = returned ? threads.inside(*call) : nullptr;
    return within ? pointerOf(*within, returned, t) : std::nullopt;
  }
  if (auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(e)) {
    auto c = threads.valueOf(choice->getCond(), t);
    return c ? pointerOf(threads, c->number ? choice->getTrueExpr() : choice->getFalseExpr(), t)
             : std::nullopt;
  }
  if (auto* unary = llvm::dyn_cast<clang::UnaryOperator>(e); unary && unary->getOpcode() == clang::UO_AddrOf)
    return addressOf(threads, unary->getSubExpr(), t);
  auto* sum = llvm::dyn_cast<clang::BinaryOperator>(e);
  if (!sum || !sum->isAdditiveOp() || !sum->getType()->isPointerType()) return std::nullopt;
  bool isLeft = sum->getLHS()->getType()->isPointerType();
  auto from = pointerOf(threads, isLeft ? sum->getLHS() : sum->getRHS(), t);
  auto by = threads.valueOf(isLeft ? sum->getRHS() : sum->getLHS(), t);
  if (!from || !by) return std::nullopt;
  if (sum->getOpcode() == clang::BO_Sub) by->number = -by->number;
  return moved(*from, *by, bytesOf(threads.unit(), sum->getType()->getPointeeType()));
}

std::int64_t bytesOf(const Unit& unit, clang::QualType type) {
  if (type.isNull()) return kOpenTypeBytes;
  type = type.getNonReferenceType();
  bool isOpen = type->isDependentType() || type->isUndeducedType() || type->isIncompleteType() ||
                type->isFunctionType();
  return isOpen ? kOpenTypeBytes : unit.context.getTypeSizeInChars(type).getQuantity();
}

std::optional<Address> addressOf(Threads& threads, const clang::Expr* e, const Thread& t) {
  if (!e) return std::nullopt;
  e = e->IgnoreParens();
  if (auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(e)) {
    auto from = pointerOf(threads, subscript->getBase(), t);
    auto index = from ? threads.valueOf(subscript->getIdx(), t) : std::nullopt;
    return index ? std::optional(moved(*from, *index, bytesOf(threads.unit(), subscript->getType())))
                 : std::nullopt;
  }
  if (auto* unary = llvm::dyn_cast<clang::UnaryOperator>(e); unary && unary->getOpcode() == clang::UO_Deref)
    return pointerOf(threads, unary->getSubExpr(), t);
  if (auto* member = llvm::dyn_cast<clang::MemberExpr>(e)) return ofField(threads, *member, t);
  if (auto* cast = llvm::dyn_cast<clang::CastExpr>(e)) return addressOf(threads, cast->getSubExpr(), t);
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  if (!name) return std::nullopt;
  // A reference in a function stands for what its caller named.
  auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(name->getDecl());
  if (!parameter) return ofArray(*name);
  bool isNamed = parameter->getType()->isReferenceType() && threads.caller();
  return isNamed ? addressOf(*threads.caller(), threads.argumentFor(*parameter), t) : std::nullopt;
}

std::optional<Address> addressOf(Threads& threads, const Access& access, const Thread& t) {
  return access.isPointer ? pointerOf(threads, access.lvalue, t) : addressOf(threads, access.lvalue, t);
}

std::vector<Access> accessesOf(const Unit& unit, const clang::FunctionDecl& f) {
  Accesses visitor(unit);
  visitor.TraverseStmt(f.getBody());
  return visitor.found;
}

}  // namespace kadvise::source
