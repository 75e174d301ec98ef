// What waits, in the simulation, and who does not come.
#include <algorithm>

#include "analyzer/source/block_simulator.h"
#include "analyzer/source/device_code.h"

namespace kadvise::source {
namespace {

using Kind = BlockValue::Kind;

constexpr std::size_t kLanes = 32;

}  // namespace

Lanes BlockSimulator::ofWarps(const clang::Expr& e, int lanes) {
  Lanes out(threads_);
  for (std::size_t i = 0; i < threads_; ++i) {
    auto group = static_cast<std::int64_t>(i / static_cast<std::size_t>(lanes));
    out[i] = {Kind::Loaded, false, mixed(mixed(numberOf(&e), steps_), group), nullptr};
  }
  return out;
}

// Warps that give the same, lane for lane, get the same: the last step of a sum over the block, after which
// all threads have it.
Lanes BlockSimulator::exchanged(const clang::CallExpr& shuffle, const std::vector<Lanes>& arguments) {
  Lanes out = murky(&shuffle);
  bool areAlike = arguments.size() >= 2;
  for (std::size_t i = 0; areAlike && i < threads_; ++i) {
    auto &own = arguments[1][i], &first = arguments[1][i % kLanes];
    areAlike = (own.mayBeEqual && first.mayBeEqual) || own.number == first.number;
  }
  for (auto& v : out) v.mayBeEqual = areAlike;
  return out;
}

// A loop with a barrier in each turn has as many turns for all threads, or that barrier is wrong anyway.
bool BlockSimulator::keepsTogether(const Lanes& condition, const clang::Stmt& body, const Mask& mask) const {
  for (std::size_t i = 0; i < threads_; ++i)
    if (mask[i] != Runs::No && !condition[i].mayBeEqual) return false;
  auto* block = llvm::dyn_cast<clang::CompoundStmt>(&body);
  return block && std::any_of(block->body_begin(), block->body_end(),
                              [](auto* s) { return isCallOf(s, {"__syncthreads"}); });
}

void BlockSimulator::opaqueBarrier() {
  log_.endCopies(0, nullptr);
  log_.blockBarrier();
}

void BlockSimulator::atBlockBarrier(const clang::Expr& barrier, const Mask& mask) {
  if (stop_ != Stop::No) return;
  bool isJudged = std::none_of(mask.begin(), mask.end(), [](auto r) { return r == Runs::Loose; });
  auto absent = std::find(mask.begin(), mask.end(), Runs::No);
  if (!isJudged || absent == mask.end()) return log_.blockBarrier();
  Parting p;
  p.barrier = &barrier, p.outermost = outermost_;
  auto who = static_cast<std::size_t>(absent - mask.begin());
  p.exit = returnedBy_[who] ? returnedBy_[who] : flow_.exits[who];
  auto guard = std::find_if(guards_.rbegin(), guards_.rend(), [](auto& g) { return g.parts; });
  if (!p.exit && guard != guards_.rend()) p.condition = guard->condition;
  out_.partings.push_back(p);
  stop_ = Stop::Parted;
}

// Lanes that have returned are not waited for.
void BlockSimulator::atWarpBarrier(const clang::Expr& barrier, int lanes, bool isForAll, const Mask& mask) {
  for (std::size_t from = 0; from < threads_; from += kLanes) {
    auto first = mask.begin() + static_cast<std::ptrdiff_t>(from);
    auto last = mask.begin() + static_cast<std::ptrdiff_t>(std::min(from + kLanes, threads_));
    if (std::any_of(first, last, [](auto r) { return r != Runs::No; }))
      log_.warpBarrier(static_cast<int>(from));
  }
  auto size = static_cast<std::size_t>(lanes);
  for (std::size_t from = 0; isForAll && from < threads_; from += size) {
    bool comes = false, stays = false, isOpen = false;
    for (std::size_t i = from; i < std::min(from + size, threads_); ++i) {
      comes |= mask[i] == Runs::Yes, isOpen |= mask[i] == Runs::Loose;
      stays |= mask[i] == Runs::No && !returnedBy_[i];
    }
    if (!comes || !stays || isOpen) continue;
    Parting p;
    p.barrier = &barrier, p.outermost = outermost_, p.isOfWarp = true;
    auto guard = std::find_if(guards_.rbegin(), guards_.rend(), [](auto& g) { return g.parts; });
    if (guard != guards_.rend()) p.condition = guard->condition;
    out_.partings.push_back(p);
    return;
  }
}

}  // namespace kadvise::source
