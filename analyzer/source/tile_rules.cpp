#include "analyzer/source/tile_rules.h"

#include <algorithm>
#include <optional>

#include "analyzer/source/device_code.h"
#include "analyzer/source/place.h"
#include "analyzer/source/roots.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr int kFirstWithAsyncCopies = 80;

// What a tile's loop does, in the order of the text.
struct Event {
  enum class Kind { Fill, Read, Barrier } kind;
  const clang::Stmt* at = nullptr;
  const clang::VarDecl* tile = nullptr;
};

struct Tiles {
  const clang::Stmt* loop = nullptr;
  Event fill;
  const clang::Stmt *barrier = nullptr, *read = nullptr;
  bool isOnlyBuffer = false;  // a second barrier keeps the next fill from what is still read
};

// Behind casts that keep the bytes as they are.
const clang::Expr* asLoaded(const clang::Expr* e) {
  while (true) {
    e = e->IgnoreParens();
    auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(e);
    if (!cast || (cast->getCastKind() != clang::CK_LValueToRValue && cast->getCastKind() != clang::CK_NoOp))
      return e;
    e = cast->getSubExpr();
  }
}

class Events : public Visitor {
 public:
  Events(const Unit& unit, const Courses& courses) : unit_(unit), courses_(courses) {}

  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    if (b->getOpcode() != clang::BO_Assign || !isElement(b->getLHS())) return true;
    auto* tile = rootOf(courses_, b->getLHS());
    auto* from = asLoaded(b->getRHS());
    auto bytes = bytesOf(unit_, b->getLHS()->getType());
    bool isWhole = bytes == 4 || bytes == 8 || bytes == 16;  // what an asynchronous copy moves
    if (isShared(tile) && isWhole && isElement(from) && isKernelPointer(rootOf(courses_, from)))
      found.push_back({Event::Kind::Fill, b, tile});
    return true;
  }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* c) override {
    if (c->getCastKind() != clang::CK_LValueToRValue || !isElement(c->getSubExpr())) return true;
    if (auto* tile = rootOf(courses_, c->getSubExpr()); isShared(tile))
      found.push_back({Event::Kind::Read, c, tile});
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* c) override {
    if (isBlockBarrier(c)) found.push_back({Event::Kind::Barrier, c, nullptr});
    return true;
  }
  std::vector<Event> found;

 private:
  static bool isElement(const clang::Expr* e) {
    e = e->IgnoreParens();
    auto* u = llvm::dyn_cast<clang::UnaryOperator>(e);
    return llvm::isa<clang::ArraySubscriptExpr>(e) || (u && u->getOpcode() == clang::UO_Deref);
  }

  const Unit& unit_;
  const Courses& courses_;
};

class Loops : public Visitor {
 public:
  bool VisitForStmt(clang::ForStmt* s) override { return found.push_back(s), true; }
  bool VisitWhileStmt(clang::WhileStmt* s) override { return found.push_back(s), true; }
  std::vector<const clang::Stmt*> found;
};

// fill, barrier, read: the innermost loop that does all three.
std::optional<Tiles> tilesIn(Analyses& analyses, const clang::FunctionDecl& kernel) {
  Loops loops;
  loops.TraverseStmt(kernel.getBody());
  std::reverse(loops.found.begin(), loops.found.end());
  for (auto* loop : loops.found) {
    Events events(analyses.unit(), analyses.coursesOf(kernel));
    events.TraverseStmt(const_cast<clang::Stmt*>(loop));
    auto& all = events.found;
    auto is = [](Event::Kind kind) { return [kind](auto& e) { return e.kind == kind; }; };
    auto fill = std::find_if(all.begin(), all.end(), is(Event::Kind::Fill));
    auto barrier = std::find_if(fill, all.end(), is(Event::Kind::Barrier));
    auto read = std::find_if(barrier, all.end(),
                             [&](auto& e) { return e.kind == Event::Kind::Read && e.tile == fill->tile; });
    if (read == all.end()) continue;
    Tiles out{loop, *fill, barrier->at, read->at, false};
    bool readsBefore = std::any_of(all.begin(), fill, is(Event::Kind::Read));
    auto last = std::find_if(read, all.end(), is(Event::Kind::Barrier));
    bool fillsAgain = std::any_of(barrier, all.end(), is(Event::Kind::Fill));
    out.isOnlyBuffer = last != all.end() && !readsBefore && !fillsAgain;
    return out;
  }
  return std::nullopt;
}

Location noted(const Unit& unit, const clang::Stmt* s, const char* note) {
  Location out = placeOf(unit, s->getSourceRange());
  out.note = note;
  return out;
}

}  // namespace

void copyThroughRegisters(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  if (unit.arch < kFirstWithAsyncCopies) return;
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel)) continue;
    auto tiles = tilesIn(analyses, *kernel);
    if (!tiles) continue;
    Site site;
    site.range = tiles->fill.at->getSourceRange();
    site.function = kernel;
    site.message =
        tiles->fill.tile->getNameAsString() +
        " is filled through registers, and the loop waits for it: from sm_80 on an asynchronous copy "
        "(cuda::memcpy_async, cp.async) needs none and lets the next tile come in meanwhile";
    site.related.push_back(noted(unit, tiles->barrier, "where all wait for it"));
    findings.add(page, std::move(site));
  }
}

void singleBufferedTile(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel)) continue;
    auto tiles = tilesIn(analyses, *kernel);
    if (!tiles || !tiles->isOnlyBuffer) continue;
    Site site;
    site.range = tiles->fill.at->getSourceRange();
    site.function = kernel;
    site.message =
        "the next tile of " + tiles->fill.tile->getNameAsString() +
        " is only loaded when nobody reads this one any more: with two buffers the block loads one "
        "while it computes with the other";
    site.related.push_back(noted(unit, tiles->read, "read here"));
    findings.add(page, std::move(site));
  }
}

}  // namespace kadvise::source
