#include "analyzer/source/access_rules.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "analyzer/source/beside_loops.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/place.h"
#include "analyzer/source/prices.h"
#include "analyzer/source/roots.h"
#include "analyzer/source/seen_access.h"
#include "analyzer/source/shared_padding.h"
#include "analyzer/source/strides.h"
#include "analyzer/source/swapped_axes.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr int kFewestTurns = 4;
constexpr int kFewTurnsOnce = 8;  // that cost little where nothing repeats them
constexpr std::int64_t kLineBytes = 128, kVectorBytes = 16;

// "for (k = 0; k < blockDim.y; ++k)": a run of at most a line or two of each thread, which the cache holds.
bool runsOverBlock(const Unit& unit, const WarpAccess& w) {
  auto loops = loopsAround(unit, w.access.lvalue);
  auto* loop = loops.empty() ? nullptr : llvm::dyn_cast<clang::ForStmt>(loops[0].whole);
  auto* condition = loop ? llvm::dyn_cast_or_null<clang::BinaryOperator>(loop->getCond()) : nullptr;
  auto bound = condition ? builtinIndexOf(condition->getRHS()) : std::nullopt;
  return bound && bound->kind == BuiltinIndex::Kind::BlockSize && bound->axis > 0;
}

// A short vector of each thread, "w[thread * stride + k]" for k < 4.
bool isOfFewTurns(const Unit& unit, const WarpAccess& w) {
  auto loops = loopsAround(unit, w.access.lvalue);
  auto turns = loops.empty() ? std::nullopt : constantTurns(unit, loops[0].whole);
  return turns && *turns * w.access.bytes <= kVectorBytes;
}

// "points[size * i + 1]" with those before and behind it: a structure whose size is not in the source.
bool isOfOpenStructure(const WarpAccess& one, const std::vector<WarpAccess>& all) {
  constexpr int kFewestFields = 3;
  std::set<std::int64_t> fields;
  for (auto& other : all)
    if (other.base == one.base && other.isMadeUp && !other.starts.empty() && !one.starts.empty() &&
        std::llabs(other.starts[0] - one.starts[0]) < kFewestFields * one.access.bytes)
      fields.insert(other.starts[0]);
  return std::ssize(fields) >= kFewestFields;
}

// A loop takes the elements behind it, too: the compiler may take several at once.
bool walks(Analyses& analyses, const clang::FunctionDecl& kernel, const WarpAccess& w) {
  auto& courses = analyses.coursesOf(w.path.function ? *w.path.function : kernel);
  return w.walks || countsOn(courses, w.access.lvalue);
}

// Neighbours of the element that the same thread takes too: what a sector brings along is used after all.
bool isUsedByNeighbours(Analyses& analyses, const clang::FunctionDecl& kernel, const WarpAccess& one,
                        const std::vector<WarpAccess>& all) {
  bool isOneOfMany = walks(analyses, kernel, one);
  if (isOneOfMany && runsOverBlock(analyses.unit(), one)) return true;
  if (one.isMadeUp) return isOfOpenStructure(one, all) || (isOneOfMany && isOfFewTurns(analyses.unit(), one));
  if (one.apart == 0) return false;
  if (isOneOfMany && std::llabs(one.apart) <= kLineBytes) return true;  // a vector of each thread, in a loop
  std::int64_t taken = 0;
  for (auto& other : all)
    if (other.base == one.base && other.apart == one.apart && !other.isMadeUp) taken += other.access.bytes;
  return 2 * taken >= std::llabs(one.apart);
}

// A call of the device's heap costs more than all sectors of its arguments, who prints checks something, and
// who seeds a generator of random numbers sets something up.
bool doesOtherWork(const clang::FunctionDecl& kernel) {
  class Calls : public Visitor {
   public:
    bool VisitCallExpr(clang::CallExpr* c) override {
      return !(found |= isCallOf(c, {"malloc", "free", "cudaMalloc", "cudaFree", "printf", "curand_init"}));
    }
    bool found = false;
  } calls;
  calls.TraverseStmt(kernel.getBody());
  return calls.found;
}

// x[i * stride] with a parameter and nothing added: the caller says how far apart the samples are. What a
// loop goes through one by one from there is a row.
bool isAskedFor(Analyses& analyses, const clang::FunctionDecl& kernel, const WarpAccess& w) {
  constexpr int kMostNames = 4;
  auto& courses = analyses.coursesOf(w.path.function ? *w.path.function : kernel);
  auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(w.access.lvalue->IgnoreParens());
  if (!w.isMadeUp || !subscript || w.walks || countsOn(courses, w.access.lvalue)) return false;
  const clang::Expr* e = subscript->getIdx()->IgnoreParenImpCasts();
  for (int i = 0; i < kMostNames; ++i) {
    auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
    auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    if (!v || !v->getInit()) break;
    e = v->getInit()->IgnoreParenImpCasts();
  }
  auto* product = llvm::dyn_cast<clang::BinaryOperator>(e);
  if (!product || product->getOpcode() != clang::BO_Mul) return false;
  for (auto* factor : {product->getLHS(), product->getRHS()}) {
    auto* name = llvm::dyn_cast<clang::DeclRefExpr>(factor->IgnoreParenImpCasts());
    if (name && llvm::isa<clang::ParmVarDecl>(name->getDecl())) return true;
  }
  return false;
}

// x[i * 128] outside of loops, with an i that is not known: a sample of the data, each element in a line of
// its own. Nothing here reads what lies between, so that there is nothing to exchange.
bool isSample(const Unit& unit, const WarpAccess& w) {
  if (!w.isMadeUp || w.access.isPointer || !loopsAround(unit, w.access.lvalue).empty()) return false;
  auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(w.access.lvalue->IgnoreParens());
  std::vector<const clang::Expr*> terms;
  if (subscript) terms.push_back(subscript->getIdx());
  while (!terms.empty()) {
    auto* b = llvm::dyn_cast<clang::BinaryOperator>(terms.back()->IgnoreParenImpCasts());
    terms.pop_back();
    if (!b) continue;
    if (b->getOpcode() == clang::BO_Add) terms.insert(terms.end(), {b->getLHS(), b->getRHS()});
    if (b->getOpcode() != clang::BO_Mul) continue;
    for (auto* factor : {b->getLHS(), b->getRHS()})
      if (auto c = constantOf(unit, factor); c && *c * w.access.bytes >= kLineBytes) return true;
  }
  return false;
}

// A field of the lane's own element of an array of classes, next to that of the other lane.
const clang::FieldDecl* fieldOfElement(const Unit& unit, const WarpAccess& w) {
  if (w.isMadeUp || w.lane != 1 || w.access.isPointer) return nullptr;
  const clang::FieldDecl* out = nullptr;
  auto* e = w.access.lvalue->IgnoreParens();
  while (auto* member = llvm::dyn_cast<clang::MemberExpr>(e)) {
    if (auto* field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl())) out = field;
    e = member->getBase()->IgnoreParenImpCasts();
  }
  if (!out || out->getParent()->isDependentContext() || out->getParent()->isInvalidDecl()) return nullptr;
  auto bytes = unit.context.getTypeSizeInChars(unit.context.getRecordType(out->getParent())).getQuantity();
  return bytes == std::llabs(w.apart) ? out : nullptr;
}

// The fields of a class that a kernel touches at all: in elements that are used whole, nothing is in vain.
class TouchedFields : public Visitor {
 public:
  TouchedFields(const Unit& unit, const clang::RecordDecl& record) : unit_(unit), record_(record) {}
  bool VisitMemberExpr(clang::MemberExpr* e) override {
    auto* field = llvm::dyn_cast<clang::FieldDecl>(e->getMemberDecl());
    if (field && field->getParent()->getCanonicalDecl() == record_.getCanonicalDecl()) fields_.insert(field);
    return true;
  }
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* e) override {
    auto* record = e->getType()->getAsRecordDecl();
    if (!record || record->getCanonicalDecl() != record_.getCanonicalDecl()) return true;
    auto node = clang::DynTypedNode::create<clang::Stmt>(*e);
    for (int i = 0; i < 4; ++i) {
      auto parents = unit_.context.getParents(node);
      if (parents.empty()) return true;
      node = parents[0];
      if (!node.get<clang::ImplicitCastExpr>() && !node.get<clang::ParenExpr>()) break;
    }
    auto* b = node.get<clang::BinaryOperator>();
    isWhole_ |= node.get<clang::CXXConstructExpr>() || node.get<clang::CXXOperatorCallExpr>() ||
                (b && b->isAssignmentOp());
    return true;
  }
  bool isMost(std::int64_t bytes) const {
    std::int64_t touched = 0;
    for (auto* f : fields_) touched += unit_.context.getTypeSizeInChars(f->getType()).getQuantity();
    return isWhole_ || 2 * touched >= bytes;
  }

 private:
  const Unit& unit_;
  const clang::RecordDecl& record_;
  std::set<const clang::FieldDecl*> fields_;
  bool isWhole_ = false;  // copied as one
};

std::string nameOf(const clang::RecordDecl& record) {
  if (record.getIdentifier()) return record.getNameAsString();
  auto* alias = record.getTypedefNameForAnonDecl();
  return alias ? alias->getNameAsString() : "element";
}

// Four words of each lane, or eight, one after the other in a loop that is unrolled.
bool isQuarterOfVector(const Unit& unit, const WarpAccess& w) {
  std::int64_t apart = std::llabs(w.apart);
  if (w.lane == 0 || (apart != kVectorBytes * w.lane && apart != 2 * kVectorBytes * w.lane)) return false;
  auto loops = loopsAround(unit, w.access.lvalue);
  return std::any_of(loops.begin(), loops.end(),
                     [&](auto& l) { return constantTurns(unit, l.whole).value_or(0) >= kFewestTurns; });
}

}  // namespace

void uncoalescedAccess(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel) || doesOtherWork(*kernel)) continue;
    auto all = accessesIn(analyses, *kernel, Space::Global);
    std::optional<Swap> swap;
    std::optional<bool> isOnceLittle;
    auto isFault = [&](const WarpAccess& w) {
      return isWasteful(w) && !isUsedByNeighbours(analyses, *kernel, w, all) && !fieldOfElement(unit, w);
    };
    for (auto& w : all) {
      if (!isFault(w)) continue;
      if (!isOnceLittle) isOnceLittle = copiesInAssembly(*kernel) || hasGoodLongLoops(unit, all, isFault);
      if (*isOnceLittle && isOnce(unit, w)) continue;
      if (isOfOpenTemplate(*kernel, w)) continue;
      if (w.isMadeUp && (mayBeOne(analyses, *kernel, w) || isSample(unit, w))) continue;
      if (isAskedFor(analyses, *kernel, w) || isEdgeOfTile(unit, w, all)) continue;
      if (!swap) swap = swapOf(analyses, *kernel, all);
      if (swap->helps && analyses.launchesOf(*kernel).empty()) continue;  // for blocks of one column, perhaps
      Site site =
          siteOf(unit, w, *kernel,
                 lanesOf(w) + " of a warp " + (w.access.isWrite ? "write" : "read") + " elements " +
                     distanceOf(w) + (w.isMadeUp ? ": up to " : ": at least ") + std::to_string(w.sectors) +
                     " sectors of 32 bytes instead of " + std::to_string(w.fewestSectors) +
                     (swap->helps ? "; with threadIdx.x and threadIdx.y exchanged they lie together" : ""));
      site.price = trafficPrice(unit, w);
      site.fixes = std::exchange(swap->fixes, {});
      findings.add(page, std::move(site));
    }
  }
}

void arrayOfStructures(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel) || doesOtherWork(*kernel)) continue;
    auto all = accessesIn(analyses, *kernel, Space::Global);
    for (auto& w : all) {
      auto field = fieldOfElement(unit, w);
      if (!field || !isWasteful(w) || isUsedByNeighbours(analyses, *kernel, w, all)) continue;
      TouchedFields touched(unit, *field->getParent());
      touched.TraverseStmt(kernel->getBody());
      if (isBesideLoops(unit, w, all)) continue;
      if (touched.isMost(std::llabs(w.apart))) continue;
      std::string bytes = std::to_string(std::llabs(w.apart));
      Site site = siteOf(unit, w, *kernel,
                         "each lane " + std::string(w.access.isWrite ? "writes " : "reads ") +
                             std::to_string(w.access.bytes) + " of the " + bytes + " bytes of its " +
                             nameOf(*field->getParent()) + ": " + std::to_string(w.sectors) +
                             " sectors of 32 bytes instead of " + std::to_string(w.fewestSectors));
      if (unit.sources.isInMainFile(unit.sources.getExpansionLoc(field->getLocation()))) {
        site.related.push_back(placeOf(unit, field->getSourceRange()));
        site.related.back().note = "the field";
      }
      site.price = trafficPrice(unit, w);
      findings.add(page, std::move(site));
    }
  }
}

void bankConflict(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel)) continue;
    auto all = accessesIn(analyses, *kernel, Space::Shared);
    for (auto& w : all) {
      // All words of one element: the compiler takes them in one wide access.
      bool isWide = walks(analyses, *kernel, w) || isUsedByNeighbours(analyses, *kernel, w, all) ||
                    isQuarterOfVector(unit, w) || isFieldOfVector(unit, w.access);
      if (w.turns < kFewestTurns || (w.turns == kFewestTurns && isWide)) continue;
      if (w.turns <= kFewTurnsOnce && isBesideLoops(unit, w, all)) continue;
      Site site = siteOf(unit, w, *kernel,
                         lanesOf(w) + " of a warp " + (w.access.isWrite ? "write" : "read") +
                             " shared words of one bank, " + distanceOf(w) + ": " + std::to_string(w.turns) +
                             " turns instead of one");
      site.price = turnsPrice(w);
      if (auto fix = paddingOf(unit, *kernel, w.base)) site.fixes.push_back(std::move(*fix));
      findings.add(page, std::move(site));
    }
  }
}

void divergentConstant(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel)) continue;
    for (auto& w : accessesIn(analyses, *kernel, Space::Constant)) {
      if (w.places < kFewestTurns) continue;
      auto& courses = analyses.coursesOf(w.path.function ? *w.path.function : *kernel);
      if (isKeptInShared(unit, courses, w)) continue;
      Site site =
          siteOf(unit, w, *kernel,
                 lanesOf(w) + " of a warp read different places of " + w.base->getNameAsString() +
                     ", which is __constant__: " + std::to_string(w.places) + " places, one after another");
      site.price = constantPrice(w);
      findings.add(page, std::move(site));
    }
  }
}

}  // namespace kadvise::source
