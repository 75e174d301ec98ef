#include "analyzer/source/widened_late.h"

#include <algorithm>

#include "analyzer/source/constants.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/index_math.h"
#include "analyzer/source/narrow_arguments.h"
#include "analyzer/source/page_edit.h"
#include "analyzer/source/place.h"
#include "analyzer/source/visitor.h"
#include "analyzer/source/written_once.h"

namespace kadvise::source {
namespace {

using Index = BuiltinIndex::Kind;

constexpr unsigned kNarrowBits = 32;

// Extents that count elements, and such that are one of several of a tensor: these never come near 2^32.
constexpr const char* kOfElements[] = {"len",  "size",  "count", "total",  "numel",
                                       "elem", "bytes", "items", "values", "params"};
constexpr const char* kOfAxes[] = {"batch",  "hidden", "vocab", "window", "kernel", "embed", "block", "head",
                                   "dim",    "group",  "tile",  "warp",   "seq",    "row",   "col",   "width",
                                   "height", "depth",  "chan",  "class",  "expert", "token", "vec"};

bool countsElements(const clang::ParmVarDecl& p) {
  std::string name = p.getName().lower();
  auto isIn = [&](const char* word) { return name.find(word) != std::string::npos; };
  return name == "n" || (std::any_of(std::begin(kOfElements), std::end(kOfElements), isIn) &&
                         std::none_of(std::begin(kOfAxes), std::end(kOfAxes), isIn));
}

bool isWide(const Unit& unit, clang::QualType type) {
  return !type->isDependentType() && type->isIntegerType() && unit.context.getTypeSize(type) > kNarrowBits;
}

const clang::BinaryOperator* operation(const clang::Expr* e, clang::BinaryOperatorKind kind) {
  auto* b = llvm::dyn_cast<clang::BinaryOperator>(e->IgnoreParenImpCasts());
  return b && b->getOpcode() == kind ? b : nullptr;
}

bool isIndex(const clang::Expr* e, Index kind) {
  auto index = builtinIndexOf(e);
  return index && index->kind == kind && index->axis == 0;
}

bool isFactor(const Unit& unit, const clang::Expr* e) {
  auto value = constantOf(unit, e);
  return value && *value > 0;
}

const clang::VarDecl* variableOf(const clang::Expr* e) {
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreParenImpCasts());
  return name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
}

// "blockIdx.x * blockDim.x + threadIdx.x", the product of 32 bits, and its multiple by a constant.
const clang::BinaryOperator* flatProduct(const Unit& unit, const clang::Expr* e) {
  if (auto* scaled = operation(e, clang::BO_Mul)) {
    if (isWide(unit, scaled->getType())) return nullptr;
    if (isFactor(unit, scaled->getRHS())) return flatProduct(unit, scaled->getLHS());
    return isFactor(unit, scaled->getLHS()) ? flatProduct(unit, scaled->getRHS()) : nullptr;
  }
  auto* sum = operation(e, clang::BO_Add);
  if (!sum || isWide(unit, sum->getType())) return nullptr;
  bool isBehind = isIndex(sum->getLHS(), Index::Thread);
  if (!isBehind && !isIndex(sum->getRHS(), Index::Thread)) return nullptr;
  auto* product = operation(isBehind ? sum->getRHS() : sum->getLHS(), clang::BO_Mul);
  if (!product || isWide(unit, product->getType())) return nullptr;
  auto isOfBlock = [&](const clang::Expr* a, const clang::Expr* b) {
    return isIndex(a, Index::Block) && (isIndex(b, Index::BlockSize) || isFactor(unit, b));
  };
  bool isFlat =
      isOfBlock(product->getLHS(), product->getRHS()) || isOfBlock(product->getRHS(), product->getLHS());
  return isFlat ? product : nullptr;
}

// What a kernel does with its variables.
class Uses : public Visitor {
 public:
  bool VisitPseudoObjectExpr(clang::PseudoObjectExpr* e) override {
    auto index = builtinIndexOf(e);
    // Who goes on by the size of the grid has one of any size; with several axes none is that long.
    isOther |= index && (index->kind == Index::GridSize || (index->kind == Index::Block && index->axis > 0));
    return !isOther;
  }
  bool VisitVarDecl(clang::VarDecl* v) override {
    variables.push_back(v);
    return true;
  }
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* e) override {
    if (auto* v = variableOf(e->getIdx())) elements.insert(v);
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    if (b->isRelationalOp()) comparisons.push_back(b);
    if (b->getOpcode() == clang::BO_Mul) products.push_back(b);
    if (b->getOpcode() == clang::BO_Add && b->getType()->isPointerType())
      for (auto* side : {b->getLHS(), b->getRHS()})
        if (auto* v = variableOf(side)) elements.insert(v);
    return true;
  }
  bool isOther = false;
  std::vector<const clang::VarDecl*> variables;
  std::set<const clang::VarDecl*> elements;  // x[i], x + i
  std::vector<const clang::BinaryOperator*> comparisons, products;
};

// Of i and an extent of the kernel's; null where it is none.
const clang::ParmVarDecl* extentIn(const clang::BinaryOperator& comparison, const clang::VarDecl& i) {
  auto *a = variableOf(comparison.getLHS()), *b = variableOf(comparison.getRHS());
  auto* other = a == &i ? b : b == &i ? a : nullptr;
  return llvm::dyn_cast_or_null<clang::ParmVarDecl>(other);
}

// "i * columns + j": then i counts rows.
bool isStepOfRows(const Unit& unit, const Uses& uses, const clang::VarDecl& i) {
  return std::any_of(uses.products.begin(), uses.products.end(), [&](auto* product) {
    auto *a = product->getLHS(), *b = product->getRHS();
    return (variableOf(a) == &i && !isFactor(unit, b)) || (variableOf(b) == &i && !isFactor(unit, a));
  });
}

// The type of 64 bits as it is written, at the variable or at the cast that widens.
std::string wideTypeOf(const Unit& unit, const clang::VarDecl& i) {
  if (i.getType()->getContainedAutoType()) {
    for (const clang::Expr* e = i.getInit(); e;) {
      e = e->IgnoreParenImpCasts();
      auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(e);
      if (!cast) return "";
      if (isWide(unit, cast->getType()))
        return textOf(unit, cast->getTypeInfoAsWritten()->getTypeLoc().getUnqualifiedLoc().getSourceRange());
      e = cast->getSubExpr();
    }
    return "";
  }
  auto* written = i.getTypeSourceInfo();
  return written ? textOf(unit, written->getTypeLoc().getUnqualifiedLoc().getSourceRange()) : "";
}

std::optional<Fix> castOf(const Unit& unit, const clang::Expr* factor, const std::string& type) {
  auto range = clang::CharSourceRange::getTokenRange(factor->getSourceRange());
  std::string text = textOf(unit, factor->getSourceRange());
  if (text.empty() || type.empty()) return std::nullopt;
  auto edit = editOf(unit, range, "static_cast<" + type + ">(" + text + ")");
  if (!edit) return std::nullopt;
  return Fix{"compute the product in 64 bits", Safety::Safe, std::vector<Edit>{*edit}};
}

// All launches are of so many blocks, whatever the extent is.
bool isOfFixedGrid(Analyses& analyses, const clang::FunctionDecl& kernel) {
  auto& launches = analyses.launchesOf(kernel);
  return !launches.empty() &&
         std::all_of(launches.begin(), launches.end(), [](auto& l) { return l.grid[0].has_value(); });
}

}  // namespace

void widenedLate(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  std::optional<bool> isKnownToHost;
  std::optional<NarrowArguments> arguments;
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel)) continue;
    Uses uses;
    uses.TraverseStmt(kernel->getBody());
    if (uses.isOther) continue;
    for (auto* i : uses.variables) {
      if (!i->getInit() || !isWide(unit, i->getType()) || !uses.elements.count(i)) continue;
      const clang::Expr* value = i->getInit()->IgnoreParenCasts();
      auto* product = flatProduct(unit, value);
      if (!product || !isWrittenOnce(unit, *i) || isStepOfRows(unit, uses, *i)) continue;
      auto compared = std::find_if(uses.comparisons.begin(), uses.comparisons.end(), [&](auto* c) {
        auto* n = extentIn(*c, *i);
        return n && isWide(unit, n->getType()) && countsElements(*n);
      });
      if (compared == uses.comparisons.end() || isOfFixedGrid(analyses, *kernel)) continue;
      auto* n = extentIn(**compared, *i);
      if (!arguments) arguments.emplace(unit.context);
      if (arguments->isGivenNarrow(*n)) continue;
      if (!isKnownToHost)
        isKnownToHost = asksForNarrowIndices(unit.context) || comparesWithNarrowLimit(unit.context);
      if (*isKnownToHost) return;
      Site site;
      site.range = value->getSourceRange();
      site.function = kernel;
      std::string text = brief(textOf(unit, value->getSourceRange()));
      site.message = (text.empty() ? "the index" : "`" + text + "`") +
                     " is computed in 32 bits and begins again at zero after 2^32, though `" +
                     i->getNameAsString() + "` and `" + n->getNameAsString() + "` are of 64";
      site.related.push_back(
          noted(placeOf(unit, (*compared)->getSourceRange()), "where it is compared with the extent"));
      if (auto fix = castOf(unit, product->getLHS(), wideTypeOf(unit, *i))) site.fixes.push_back(*fix);
      findings.add(page, std::move(site));
    }
  }
}

}  // namespace kadvise::source
