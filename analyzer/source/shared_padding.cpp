#include "analyzer/source/shared_padding.h"

#include "analyzer/source/place.h"
#include "analyzer/source/roots.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr std::int64_t kMostStaticBytes = 48 * 1024;
constexpr std::int64_t kBankBytes = 4;

// A row that is handed on, or read as float4, may have to begin at a multiple of 16 bytes; a size or a plain
// pointer holds the layout.
class Uses : public Visitor {
 public:
  Uses(const Unit& unit, const clang::VarDecl& array) : unit_(unit), array_(array) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    if (e->getDecl() == &array_) areOther |= !isElement(e);
    return !areOther;
  }
  // The static shared memory of the kernel; none where a template leaves it open.
  bool VisitVarDecl(clang::VarDecl* v) override {
    auto type = v->getType();
    if (!isShared(v) || type->isIncompleteArrayType()) return true;
    if (type->isDependentType() || type->isIncompleteType() || v->isInvalidDecl()) sizeIsOpen = true;
    else bytes += unit_.context.getTypeSizeInChars(type).getQuantity();
    return true;
  }
  bool areOther = false, sizeIsOpen = false;
  std::int64_t bytes = 0;

 private:
  bool isElement(const clang::Expr* e) const {
    auto parents = unit_.context.getParents(*e);
    auto* parent = parents.empty() ? nullptr : parents[0].get<clang::Expr>();
    if (!e->getType()->isArrayType() && !e->getType()->isPointerType()) {
      auto* u = llvm::dyn_cast_or_null<clang::UnaryOperator>(parent);
      return !u || u->getOpcode() != clang::UO_AddrOf;
    }
    if (!parent) return false;
    if (auto* s = llvm::dyn_cast<clang::ArraySubscriptExpr>(parent))
      return s->getBase() == e && isElement(parent);
    return llvm::isa<clang::ImplicitCastExpr, clang::ParenExpr>(parent) && isElement(parent);
  }
  const Unit& unit_;
  const clang::VarDecl& array_;
};

// Rows that are padded already lie at odd distances: the conflict has another reason.
bool isMultipleOfBanks(std::int64_t rowBytes) { return rowBytes % (2 * kBankBytes) == 0; }

bool isSum(const clang::Expr* e) {
  auto* b = llvm::dyn_cast<clang::BinaryOperator>(e->IgnoreParenImpCasts());
  return b && b->getOpcode() == clang::BO_Add;
}

}  // namespace

std::optional<Fix> paddingOf(const Unit& unit, const clang::FunctionDecl& kernel, const clang::Decl* array) {
  auto* variable = llvm::dyn_cast_or_null<clang::VarDecl>(array);
  if (!variable || variable->getDeclContext() != &kernel) return std::nullopt;  // or others see it, too
  auto* info = variable->getTypeSourceInfo();
  auto outer = info ? info->getTypeLoc().getAs<clang::ArrayTypeLoc>() : clang::ArrayTypeLoc();
  auto inner = outer ? outer.getElementLoc().getAs<clang::ArrayTypeLoc>() : clang::ArrayTypeLoc();
  if (!inner || !inner.getSizeExpr() || inner.getElementLoc().getAs<clang::ArrayTypeLoc>())
    return std::nullopt;
  auto* rows = unit.context.getAsConstantArrayType(variable->getType());
  auto* row = rows ? unit.context.getAsConstantArrayType(rows->getElementType()) : nullptr;
  if (!row || row->isDependentType() || isSum(inner.getSizeExpr())) return std::nullopt;

  std::int64_t element = unit.context.getTypeSizeInChars(row->getElementType()).getQuantity();
  auto count = static_cast<std::int64_t>(rows->getSize().getZExtValue());
  Uses uses(unit, *variable);
  uses.TraverseStmt(kernel.getBody());
  bool fits = !uses.sizeIsOpen && uses.bytes + count * element <= kMostStaticBytes;
  if (uses.areOther || !fits || !isMultipleOfBanks(unit.context.getTypeSizeInChars(row).getQuantity()))
    return std::nullopt;
  auto range = clang::CharSourceRange::getTokenRange(inner.getSizeExpr()->getSourceRange());
  std::string size = textOf(unit, inner.getSizeExpr()->getSourceRange());
  auto edit = size.empty() ? std::nullopt : editOf(unit, range, size + " + 1");
  if (!edit) return std::nullopt;
  return Fix{"pad each row by one element", Safety::Unsafe, std::vector<Edit>{*edit}};
}

}  // namespace kadvise::source
