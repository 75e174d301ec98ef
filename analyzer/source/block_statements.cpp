#include <algorithm>

#include "analyzer/source/block_simulator.h"

namespace kadvise::source {
namespace {

using Kind = BlockValue::Kind;

constexpr std::int64_t kMostSteps = 4'000'000;  // threads times statements and expressions: some 50 ms
constexpr std::size_t kLeastOfStep = 32;        // what a step costs even where the block is a thread

void add(Mask& to, const Mask& who) {
  for (std::size_t i = 0; i < to.size(); ++i)
    if (who[i] == Runs::Yes || (who[i] == Runs::Loose && to[i] == Runs::No)) to[i] = who[i];
}

}  // namespace

BlockSimulator::BlockSimulator(const Unit& unit, const clang::FunctionDecl& kernel,
                               const BlockSetting& setting)
    : unit_(unit),
      kernel_(kernel),
      setting_(setting),
      threads_(static_cast<std::size_t>(setting.block[0] * setting.block[1] * setting.block[2])),
      log_(threads_),
      everyone_(threads_, Runs::Yes),
      returnedBy_(threads_, nullptr) {
  Mask nobody(threads_, Runs::No);
  flow_ = {nobody, nobody, nobody, std::vector<const clang::Stmt*>(threads_), all({})};
  out_.setting = setting;
  out_.turns.push_back({});
  inside_.push_back(&kernel);
}

BlockRun BlockSimulator::run() {
  execute(kernel_.getBody(), everyone_);
  out_.fits = stop_ != Stop::LeftArray && stop_ != Stop::Broken;
  out_.conflicts = log_.conflicts();
  return std::move(out_);
}

bool BlockSimulator::isTired() {
  steps_ += static_cast<std::int64_t>(std::max(threads_, kLeastOfStep));
  if (steps_ > kMostSteps && stop_ == Stop::No) stop_ = Stop::Tired;
  return stop_ != Stop::No;
}

std::int64_t BlockSimulator::numberOf(const void* what) {
  if (!what) return 0;
  // Mixed, or it would look like the small numbers that kernels know.
  auto next = mixed(6, static_cast<std::int64_t>(numbers_.size()));
  return numbers_.try_emplace(what, next).first->second;
}

Mask BlockSimulator::left(const Mask& mask) const {
  Mask out = mask;
  for (std::size_t i = 0; i < threads_; ++i)
    for (auto* gone : {&flow_.returned, &flow_.broken, &flow_.continued}) {
      if ((*gone)[i] == Runs::Yes) out[i] = Runs::No;
      if ((*gone)[i] == Runs::Loose && out[i] == Runs::Yes) out[i] = Runs::Loose;
    }
  return out;
}

bool BlockSimulator::isGuess(const Lanes& condition, const Mask& mask) const {
  for (std::size_t i = 0; i < threads_; ++i)
    if (mask[i] != Runs::No && (condition[i].kind != Kind::Known || condition[i].isMadeUp)) return true;
  return false;
}

// An unknown condition that all share goes one way; where threads differ in it, both ways are walked.
std::pair<Mask, Mask> BlockSimulator::split(const Lanes& c, const Mask& mask) {
  Mask yes(threads_, Runs::No), no(threads_, Runs::No);
  const BlockValue* unknown = nullptr;
  bool isOne = true;
  for (std::size_t i = 0; i < threads_; ++i) {
    if (mask[i] == Runs::No || c[i].kind == Kind::Known) continue;
    if (!unknown) unknown = &c[i];
    isOne &= c[i].number == unknown->number;
  }
  out_.hasMadeUp |= unknown != nullptr;
  bool chosen = unknown && mixed(unknown->number, setting_.seed) % 3 != 0;
  for (std::size_t i = 0; i < threads_; ++i) {
    if (mask[i] == Runs::No) continue;
    bool isKnown = c[i].kind == Kind::Known;
    bool isTrue = isKnown ? c[i].base || c[i].number : chosen;
    if (isKnown || isOne) (isTrue ? yes : no)[i] = mask[i];
    else yes[i] = no[i] = Runs::Loose;
  }
  return {yes, no};
}

std::pair<Mask, Mask> BlockSimulator::splitOn(const clang::Expr* condition, const Mask& mask) {
  auto out = split(evaluate(condition, mask), mask);
  guards_.push_back({condition, runsAny(out.first) && runsAny(out.second)});
  return out;
}

void BlockSimulator::execute(const clang::Stmt* s, const Mask& around) {
  if (!s || stop_ != Stop::No || isTired()) return;
  Mask mask = left(around);
  if (!runsAny(mask)) return;
  if (auto* block = llvm::dyn_cast<clang::CompoundStmt>(s)) {
    for (auto* one : block->body()) execute(one, around);
  } else if (auto* e = llvm::dyn_cast<clang::Expr>(s)) {
    evaluate(e, mask);
  } else if (auto* declaration = llvm::dyn_cast<clang::DeclStmt>(s)) {
    for (auto* d : declaration->decls())
      if (auto* v = llvm::dyn_cast<clang::VarDecl>(d)) declare(*v, mask);
  } else if (auto* branch = llvm::dyn_cast<clang::IfStmt>(s)) {
    executeIf(*branch, mask);
  } else if (auto* loop = llvm::dyn_cast<clang::ForStmt>(s)) {
    execute(loop->getInit(), mask);
    executeLoop(*loop, loop->getCond(), loop->getInc(), loop->getBody(), mask, true);
  } else if (auto* loop = llvm::dyn_cast<clang::WhileStmt>(s)) {
    executeLoop(*loop, loop->getCond(), nullptr, loop->getBody(), mask, true);
  } else if (auto* loop = llvm::dyn_cast<clang::DoStmt>(s)) {
    executeLoop(*loop, loop->getCond(), nullptr, loop->getBody(), mask, false);
  } else if (auto* loop = llvm::dyn_cast<clang::CXXForRangeStmt>(s)) {
    executeRange(*loop, mask);
  } else if (auto* chosen = llvm::dyn_cast<clang::SwitchStmt>(s)) {
    executeSwitch(*chosen, mask);
  } else if (auto* r = llvm::dyn_cast<clang::ReturnStmt>(s)) {
    executeReturn(*r, mask);
  } else if (llvm::isa<clang::BreakStmt>(s)) {
    leave(*s, flow_.broken, mask);
  } else if (llvm::isa<clang::ContinueStmt>(s)) {
    leave(*s, flow_.continued, mask);
  } else if (auto* label = llvm::dyn_cast<clang::SwitchCase>(s)) {
    execute(label->getSubStmt(), around);
  } else if (auto* attributed = llvm::dyn_cast<clang::AttributedStmt>(s)) {
    execute(attributed->getSubStmt(), around);
  } else if (auto* assembly = llvm::dyn_cast<clang::GCCAsmStmt>(s)) {
    std::string text = assembly->getAsmString()->getString().str();
    bool orders = text.find("bar") != std::string::npos || text.find("wait") != std::string::npos;
    if (orders) opaqueBarrier();
    for (unsigned i = 0; i < assembly->getNumOutputs(); ++i)
      store(assembly->getOutputExpr(i), murky(assembly), mask);
  } else if (!llvm::isa<clang::NullStmt>(s)) {
    stop_ = Stop::Unsupported;  // goto, try
  }
}

void BlockSimulator::executeReturn(const clang::ReturnStmt& r, const Mask& mask) {
  if (r.getRetValue()) {
    Lanes value = evaluate(r.getRetValue(), mask);
    for (std::size_t i = 0; i < threads_; ++i) {
      if (isExact(mask[i], flow_.region)) flow_.result[i] = value[i];
      else if (mask[i] == Runs::Loose) flow_.result[i].kind = Kind::Murky;
    }
  }
  for (std::size_t i = 0; i < threads_; ++i)
    if (mask[i] != Runs::No && inside_.size() == 1) returnedBy_[i] = &r;
  leave(r, flow_.returned, mask);
}

void BlockSimulator::leave(const clang::Stmt& exit, Mask& leavers, const Mask& mask) {
  for (std::size_t i = 0; i < threads_; ++i)
    if (mask[i] != Runs::No) flow_.exits[i] = &exit;
  add(leavers, mask);
  // Who is still there behind it are others than before.
  if (std::find(mask.begin(), mask.end(), Runs::Loose) != mask.end()) ++regions_.leavings, enterRegion();
}

void BlockSimulator::comeBackTo(const Regions& before) {
  if (regions_.leavings == before.leavings) regions_.now = before.now;
  else enterRegion();
}

bool BlockSimulator::isExact(Runs runs, int since) const {
  return runs == Runs::Yes || (runs == Runs::Loose && since == regions_.now);
}

void BlockSimulator::comeBack(Mask& leavers) {
  for (std::size_t i = 0; i < threads_; ++i)
    if (leavers[i] != Runs::No) flow_.exits[i] = nullptr;
  leavers = Mask(threads_, Runs::No);
}

void BlockSimulator::declare(const clang::VarDecl& v, const Mask& mask) {
  if (v.hasAttr<clang::CUDASharedAttr>() || v.isStaticLocal()) return;
  if (v.getType()->isReferenceType()) {
    if (!v.getInit()) return;
    auto* of = plainVariable(v.getInit());
    references_[&v] = of ? Reference{of, {}} : Reference{nullptr, place(v.getInit(), mask)};
    return;
  }
  if (v.getType()->isArrayType()) {
    if (v.getInit()) evaluate(v.getInit(), mask);
    return;
  }
  Lanes value = v.getInit() ? evaluate(v.getInit(), mask) : shared(numberOf(&v));
  declaredIn_[&v] = regions_.now;
  auto [known, isNew] = variables_.try_emplace(&v, value);
  for (std::size_t i = 0; !isNew && i < threads_; ++i)
    if (mask[i] != Runs::No) known->second[i] = value[i];
}

BlockRun simulate(const Unit& unit, const clang::FunctionDecl& kernel, const BlockSetting& setting) {
  return BlockSimulator(unit, kernel, setting).run();
}

bool BlockRun::hasNoDynamicBytes() const {
  return overrun && setting.dynamicBytes == 0 && overrun->array->getType()->isIncompleteArrayType();
}

bool BlockRun::isOverBackEdge(const Conflict& c) const {
  auto &a = turns[c.first.turns], &b = turns[c.second.turns];
  for (std::size_t i = 0; i < std::min(a.size(), b.size()) && a[i].loop == b[i].loop; ++i)
    if (a[i].number != b[i].number) return true;
  return false;
}

}  // namespace kadvise::source
