#include "analyzer/source/local_selects.h"

#include <algorithm>

#include "analyzer/source/addresses.h"
#include "analyzer/source/place.h"
#include "analyzer/source/roots.h"
#include "analyzer/source/written_once.h"

namespace kadvise::source {
namespace {

// Selects an access costs grow with the elements: up to `accesses` of them, in all turns of their loops, up
// to `words` are selected.
struct Limit {
  std::int64_t accesses, words;
};
constexpr Limit kRead[] = {{4, 32}, {8, 8}, {16, 6}, {64, 4}};
constexpr Limit kWritten[] = {{2, 32}, {4, 6}, {64, 5}};
constexpr std::int64_t kWord = 4;
constexpr std::int64_t kSmallBytes = 16;  // that are only read
constexpr std::int64_t kManyTurns = 8;
constexpr int kDeepest = 8;

// What a loop of unknown length counts as: it is unrolled by a few turns.
constexpr std::int64_t kTurnsOfReads = 8, kTurnsOfWrites = 4;

struct Use {
  bool reads = false, writes = false;
};

// Of the element, or of a field of it. Neither where it is handed on.
Use useOf(const Unit& unit, const clang::Expr* e) {
  auto parents = unit.context.getParents(*e);
  auto* parent = parents.empty() ? nullptr : parents[0].get<clang::Expr>();
  if (auto* cast = llvm::dyn_cast_or_null<clang::ImplicitCastExpr>(parent))
    return {cast->getCastKind() == clang::CK_LValueToRValue, false};
  if (llvm::isa_and_nonnull<clang::MemberExpr, clang::ParenExpr>(parent)) return useOf(unit, parent);
  if (auto* unary = llvm::dyn_cast_or_null<clang::UnaryOperator>(parent))
    return unary->isIncrementDecrementOp() ? Use{true, true} : Use{};
  auto* binary = llvm::dyn_cast_or_null<clang::BinaryOperator>(parent);
  if (!binary || !binary->isAssignmentOp() || binary->getLHS() != e) return {};
  return {binary->isCompoundAssignmentOp(), true};
}

// Turns of the loops between the array and the access, with `unknown` for one of unknown length.
std::int64_t turnsOf(const Unit& unit, const clang::VarDecl& array, const clang::Expr* access,
                     std::int64_t unknown) {
  auto made = offsetOf(unit, array.getLocation());
  std::int64_t out = 1;
  for (auto& loop : loopsAround(unit, access)) {
    auto begin = offsetOf(unit, loop.whole->getBeginLoc());
    if (!made || !begin || *begin < *made) break;  // each turn has an array of its own
    auto turns = constantTurns(unit, loop.whole);
    out *= turns && *turns > 0 ? *turns : unknown;
    if (out > kRead[std::size(kRead) - 1].accesses) break;
  }
  return out;
}

// Of narrower or wider elements ptxas makes no selects.
bool isOfWords(const clang::ASTContext& context, clang::QualType type) {
  type = type.getCanonicalType();
  while (auto* array = context.getAsArrayType(type)) type = array->getElementType().getCanonicalType();
  if (auto* record = type->getAsRecordDecl(); record && record->getDefinition())
    return std::all_of(record->field_begin(), record->field_end(),
                       [&](auto* f) { return isOfWords(context, f->getType()); });
  return type->isArithmeticType() && context.getTypeSizeInChars(type).getQuantity() == kWord;
}

// "(x > 0) * 4 + (y > 0) * 2 + k", of comparisons, constants and the turns of a loop of few: one of a few
// elements, which ptxas selects in larger arrays, too.
bool isOfComparisons(const Unit& unit, const clang::Expr* index, int depth = 0) {
  auto* e = index->IgnoreParenCasts();
  if (depth > kDeepest || e->isTypeDependent()) return false;
  if (e->getType()->isBooleanType() || constantOf(unit, e)) return true;
  if (auto* b = llvm::dyn_cast<clang::BinaryOperator>(e)) {
    if (b->isComparisonOp()) return true;
    bool isSum = b->isAdditiveOp() || b->getOpcode() == clang::BO_Or;
    bool isScaled = b->getOpcode() == clang::BO_Mul || b->getOpcode() == clang::BO_Shl;
    if (isScaled && !constantOf(unit, b->getLHS()) && !constantOf(unit, b->getRHS())) return false;
    return (isSum || isScaled) && isOfComparisons(unit, b->getLHS(), depth + 1) &&
           isOfComparisons(unit, b->getRHS(), depth + 1);
  }
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (!v || !v->isLocalVarDecl() || !v->getInit()) return false;
  if (isWrittenOnce(unit, *v)) return isOfComparisons(unit, v->getInit(), depth + 1);
  auto loops = loopsAround(unit, e);
  return std::any_of(loops.begin(), loops.end(), [&](auto& l) {
    auto* loop = llvm::dyn_cast<clang::ForStmt>(l.whole);
    auto* counted = loop ? llvm::dyn_cast_or_null<clang::DeclStmt>(loop->getInit()) : nullptr;
    if (!counted || !counted->isSingleDecl() || counted->getSingleDecl() != v) return false;
    auto* step = llvm::dyn_cast_or_null<clang::UnaryOperator>(loop->getInc());
    bool goesDown = step && step->isDecrementOp();
    auto turns = goesDown ? constantOf(unit, v->getInit()) : constantTurns(unit, loop);
    return turns && *turns < kManyTurns;
  });
}

}  // namespace

bool isSelected(const Unit& unit, const clang::VarDecl& array,
                const std::vector<const clang::ArraySubscriptExpr*>& accesses) {
  std::int64_t bytes = bytesOf(unit, array.getType()), count = 0;
  bool isWritten = false;
  for (auto* e : accesses) {
    Use use = useOf(unit, e);
    if (!use.reads && !use.writes) return false;
    isWritten |= use.writes;
  }
  for (auto* e : accesses) {
    Use use = useOf(unit, e);
    count += (use.reads + use.writes) * turnsOf(unit, array, e, isWritten ? kTurnsOfWrites : kTurnsOfReads);
  }
  if (!isWritten && bytes <= kSmallBytes) return true;
  if (std::all_of(accesses.begin(), accesses.end(),
                  [&](auto* e) { return isOfComparisons(unit, e->getIdx()); }))
    return true;
  if (!isOfWords(unit.context, array.getType())) return false;
  auto fits = [&](const Limit& l) { return count <= l.accesses && bytes <= l.words * kWord; };
  return isWritten ? std::any_of(std::begin(kWritten), std::end(kWritten), fits)
                   : std::any_of(std::begin(kRead), std::end(kRead), fits);
}

}  // namespace kadvise::source
