#include "analyzer/source/race_rules.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "analyzer/source/block_run.h"
#include "analyzer/source/constants.h"
#include "analyzer/source/control.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/page_edit.h"
#include "analyzer/source/place.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

enum class Sort { Barrier, InLoop, SameElement };

Sort sortOf(const BlockRun& run, const Conflict& c) {
  bool areWrites = c.first.kind != TouchKind::Read && c.second.kind != TouchKind::Read;
  // A copy that arrives over what was written is a matter of waiting; two plain writes are one of who may
  // write.
  if (areWrites && !c.isCopy && c.first.site == c.second.site && !run.isOverBackEdge(c))
    return Sort::SameElement;
  return run.isOverBackEdge(c) && !c.isCopy ? Sort::InLoop : Sort::Barrier;
}

std::string verb(const Touch& t) {
  return t.kind == TouchKind::Read ? "reads" : t.kind == TouchKind::Write ? "writes" : "updates";
}

std::string past(const Touch& t) {
  return t.kind == TouchKind::Read ? "reads" : t.kind == TouchKind::Write ? "wrote" : "updated";
}

// What stands in a header is shown where the kernel calls it.
const clang::Expr* placeInFile(const Unit& unit, const Touch& t, const clang::Expr* e) {
  return !t.outermost || offsetOf(unit, e->getBeginLoc()) ? e : t.outermost;
}

// What is in order only if a barrier comes behind it: the wait for a copy, else the touch itself.
const clang::Expr* placeOfTouch(const Unit& unit, const Touch& t) {
  return placeInFile(unit, t, t.wait ? t.wait : t.site);
}

std::string threadOf(const BlockRun& run, int number) {
  auto& b = run.setting.block;
  int x = number % b[0], y = number / b[0] % b[1], z = number / b[0] / b[1];
  if (b[2] > 1)
    return "thread (" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
  if (b[1] > 1) return "thread (" + std::to_string(x) + ", " + std::to_string(y) + ")";
  return "thread " + std::to_string(x);
}

std::string messageOf(const Unit& unit, const BlockRun& run, const Conflict& c, Sort sort) {
  // Of an atomic the site is the address.
  auto* address = llvm::dyn_cast<clang::UnaryOperator>(c.second.site->IgnoreParenImpCasts());
  bool isTaken = address && address->getOpcode() == clang::UO_AddrOf;
  auto* element = isTaken ? address->getSubExpr() : c.second.site;
  std::string text = brief(textOf(unit, element->getSourceRange()));
  std::string what = "`" + (text.empty() ? c.base->getNameAsString() : text) + "`";
  std::string later = threadOf(run, c.second.thread), earlier = threadOf(run, c.first.thread);
  auto* before = placeInFile(unit, c.first, c.first.site);
  std::string line = std::to_string(placeOf(unit, before->getSourceRange()).line);
  bool isWarp = c.first.thread / 32 == c.second.thread / 32;
  std::string nothing = isWarp ? "neither a barrier nor __syncwarp() is between" : "no barrier is between";
  if (c.isCopy)
    return later + " " + verb(c.second) + " " + what + " while the copy of line " + line +
           " to it may still be under way: nobody waited for it";
  if (c.first.wait)
    return later + " " + verb(c.second) + " " + what + ", which " + earlier +
           " copied, and waited for in line " +
           std::to_string(placeOf(unit, placeOfTouch(unit, c.first)->getSourceRange()).line) +
           ": no barrier is between that wait and this";
  if (sort == Sort::SameElement)
    return earlier + " and " + later + " write " + what +
           " at once, each its own value: which one stays is chance";
  if (c.isAnyElement)
    return later + " " + verb(c.second) + " " + what + ", any element of " + c.base->getNameAsString() +
           ", and " + earlier + " " + (c.first.kind == TouchKind::Read ? "reads" : "writes") +
           " it in line " + line + ": " + nothing;
  std::string after = sort == Sort::InLoop ? " in the turn before" : "";
  if (c.first.kind == TouchKind::Read)
    return later + " " + verb(c.second) + " " + what + ", which " + earlier +
           " may still have to read in line " + line + after + ": " + nothing;
  return later + " " + verb(c.second) + " " + what + ", which " + earlier + " " + past(c.first) +
         " in line " + line + after + ": " + nothing;
}

// The pointer of the kernel that an element is counted from.
const clang::VarDecl* pointerOf(const clang::Expr* e) {
  for (int i = 0; e && i < 8; ++i) {
    e = e->IgnoreParenCasts();
    if (auto* s = llvm::dyn_cast<clang::ArraySubscriptExpr>(e)) e = s->getBase();
    else if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(e)) e = u->getSubExpr();
    else if (auto* b = llvm::dyn_cast<clang::BinaryOperator>(e)) e = b->getLHS();
    else break;
  }
  auto* name = llvm::dyn_cast_or_null<clang::DeclRefExpr>(e);
  auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return v && v->isLocalVarDecl() && v->getType()->isPointerType() && v->getInit() ? v : nullptr;
}

// "float *a = all, *b = all + n;": who shares out one array that way keeps within the parts, whatever number
// stands in here for n or an index.
bool areParts(const Unit& unit, const BlockRun& run, const Conflict& c) {
  if (run.isLaunched && !run.hasMadeUp) return false;
  auto *a = pointerOf(c.first.site), *b = pointerOf(c.second.site);
  return a && b && a != b &&
         textOf(unit, a->getInit()->getSourceRange()) != textOf(unit, b->getInit()->getSourceRange());
}

// "group * squared + row * width": sizes that are made up one by one may be bound to each other, and then
// the places lie apart. Those that meet whatever the sizes are meet all the same; tiny ones, for which blocks
// are cut off, do not count.
bool meetBySizes(const std::vector<BlockRun>& runs, const Conflict& c) {
  if (std::popcount(c.first.sizes | c.second.sizes) < 2) return false;
  return !std::all_of(runs.begin(), runs.end(), [&](auto& run) {
    return run.setting.isTiny || std::any_of(run.conflicts.begin(), run.conflicts.end(), [&](auto& other) {
             return other.first.site == c.first.site && other.second.site == c.second.site;
           });
  });
}

// By "if (threadIdx.x == 0)" one thread is meant where the block has one row; nobody here launches another
// one.
bool isFineInOneRow(const BlockRun& run, const Conflict& c) {
  int width = run.setting.block[0];
  return c.first.thread % width == c.second.thread % width;
}

// By what an index is divided, "i >> 2" or "i / 4", also where a local holds it; none for any other.
std::optional<std::int64_t> quotientOf(const Unit& unit, const clang::Expr* index) {
  index = index->IgnoreParenImpCasts();
  if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(index)) {
    auto* v = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (!v || !v->isLocalVarDecl() || !v->getInit()) return std::nullopt;
    index = v->getInit()->IgnoreParenImpCasts();
  }
  auto* b = llvm::dyn_cast<clang::BinaryOperator>(index);
  auto by = b ? constantOf(unit, b->getRHS()) : std::nullopt;
  if (!by || *by < 1) return std::nullopt;
  if (b->getOpcode() == clang::BO_Div) return by;
  return b->getOpcode() == clang::BO_Shr && *by < 31 ? std::optional(std::int64_t{1} << *by) : std::nullopt;
}

// "s[i >> 2] = x[(first + i) >> 2]": threads of one element mean one value, and have it where the size behind
// first is a multiple; a number that stands in here for it need not be one.
bool meansOneValue(const Unit& unit, const Conflict& c) {
  auto* to = llvm::dyn_cast<clang::ArraySubscriptExpr>(c.second.site->IgnoreParenImpCasts());
  auto parents = unit.context.getParents(*c.second.site);
  if (!to || parents.empty()) return false;
  const clang::Expr* value = nullptr;
  if (auto* b = parents[0].get<clang::BinaryOperator>(); b && b->getOpcode() == clang::BO_Assign)
    value = b->getRHS();
  else if (auto* call = parents[0].get<clang::CXXOperatorCallExpr>(); call && call->getNumArgs() == 2)
    value = call->getArg(1);
  auto* from = value ? llvm::dyn_cast<clang::ArraySubscriptExpr>(value->IgnoreParenImpCasts()) : nullptr;
  if (!from) return false;
  auto by = quotientOf(unit, to->getIdx());
  return by && by == quotientOf(unit, from->getIdx());
}

void report(Analyses& analyses, const RulePage& page, Findings& findings, Sort wanted) {
  auto& unit = analyses.unit();
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel)) continue;
    bool isOfUnknownBlock = wanted == Sort::SameElement && analyses.launchesOf(*kernel).empty();
    auto& runs = analyses.runsOf(*kernel);
    for (auto& run : runs)
      for (auto& c : run.conflicts) {
        if (sortOf(run, c) != wanted || areParts(unit, run, c) || meetBySizes(runs, c)) continue;
        if (isOfUnknownBlock && isFineInOneRow(run, c)) continue;
        if (wanted == Sort::SameElement && meansOneValue(unit, c)) continue;
        Site site;
        site.range = placeInFile(unit, c.second, c.second.site)->getSourceRange();
        site.function = kernel;
        site.message = messageOf(unit, run, c, wanted);
        site.related.push_back(placeOf(unit, placeOfTouch(unit, c.first)->getSourceRange()));
        site.related.back().note = c.first.wait                      ? "where the copy is waited for"
                                   : c.first.kind == TouchKind::Read ? "where it is read"
                                                                     : "where it is written";
        findings.add(page, std::move(site));
      }
  }
}

// Barriers with nothing between them that another thread could notice, and a barrier as a kernel's last word.
class Barriers : public Visitor {
 public:
  bool VisitCompoundStmt(clang::CompoundStmt* block) override {
    const clang::Stmt* before = nullptr;
    for (auto* s : block->body()) {
      bool isBarrier = isCallOf(s, {"__syncthreads"});
      if (isBarrier && before) doubled.push_back({before, s});
      bool isQuiet = llvm::isa<clang::NullStmt>(s);
      if (!isQuiet) before = isBarrier ? s : nullptr;
    }
    return true;
  }
  std::vector<std::pair<const clang::Stmt*, const clang::Stmt*>> doubled;
};

// Where the next word of the text stands behind a statement and its semicolon: what could not be parsed is no
// statement. None inside a macro.
clang::SourceLocation wordBehind(const Unit& unit, const clang::Stmt* s) {
  if (s->getEndLoc().isMacroID()) return {};
  auto& words = unit.context.getLangOpts();
  auto next = clang::Lexer::findNextToken(s->getEndLoc(), unit.sources, words);
  if (next && next->is(clang::tok::semi))
    next = clang::Lexer::findNextToken(next->getLocation(), unit.sources, words);
  return next ? next->getLocation() : clang::SourceLocation();
}

// Barriers in a branch may be the other half of those in another one.
bool isNothingBetween(const Unit& unit, const clang::Stmt* before, const clang::Stmt* s) {
  auto next = wordBehind(unit, before);
  if (next.isInvalid() || next != s->getBeginLoc()) return false;
  auto guards = guardsOf(unit, s);
  return std::all_of(guards.begin(), guards.end(), [](auto& g) { return g.isLoop; });
}

}  // namespace

void missingBarrier(Analyses& analyses, const RulePage& page, Findings& findings) {
  report(analyses, page, findings, Sort::Barrier);
}

void missingBarrierInLoop(Analyses& analyses, const RulePage& page, Findings& findings) {
  report(analyses, page, findings, Sort::InLoop);
}

void sameElementWritten(Analyses& analyses, const RulePage& page, Findings& findings) {
  report(analyses, page, findings, Sort::SameElement);
}

void redundantBarrier(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* f : unit.deviceFunctions) {
    Barriers barriers;
    barriers.TraverseStmt(f->getBody());
    auto add = [&](const clang::Stmt* s, std::string message) {
      Site site;
      site.range = s->getSourceRange();
      site.function = f;
      site.message = std::move(message);
      if (auto edit = removalOf(unit, s))
        site.fixes.push_back({"take the barrier out", Safety::Unsafe, std::vector<Edit>{*edit}});
      findings.add(page, std::move(site));
    };
    for (auto& [before, s] : barriers.doubled)
      if (isNothingBetween(unit, before, s))
        add(s, "the barrier before it did the same already: nothing stands between the two");
    auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(f->getBody());
    bool endsInOne = isKernel(*f) && body && !body->body_empty() &&
                     isCallOf(body->body_back(), {"__syncthreads"}) &&
                     wordBehind(unit, body->body_back()) == body->getRBracLoc();
    if (endsInOne)
      add(body->body_back(),
          "nothing comes behind the last barrier of the kernel: the threads wait for nothing");
  }
}

}  // namespace kadvise::source
