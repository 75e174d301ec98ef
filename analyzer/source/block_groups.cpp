#include <algorithm>

#include "analyzer/source/block_simulator.h"

namespace kadvise::source {
namespace {

using Kind = BlockValue::Kind;

constexpr int kLanes = 32;

const clang::CXXRecordDecl* classOf(const clang::Expr* e) {
  auto type = e->IgnoreParenImpCasts()->getType().getNonReferenceType();
  if (type->isPointerType()) type = type->getPointeeType();
  return type->getAsCXXRecordDecl();
}

// How many threads a group of cooperative_groups has that lies within a warp; 0 for what is no such group.
int lanesOf(const clang::CXXRecordDecl& group) {
  if (!group.getIdentifier()) return 0;
  if (group.getName() == "coalesced_group") return 1;
  auto* tile = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&group);
  if (group.getName() != "thread_block_tile" || !tile || tile->getTemplateArgs().size() == 0) return 0;
  auto& size = tile->getTemplateArgs()[0];
  return size.getKind() == clang::TemplateArgument::Integral
             ? static_cast<int>(size.getAsIntegral().getExtValue())
             : 0;
}

bool isBlockGroup(const clang::CXXRecordDecl& group) {
  return group.getIdentifier() && (group.getName() == "thread_block" || group.getName() == "grid_group" ||
                                   group.getName() == "cluster_group");
}

// What a group tells of where a block stands among others, which is one answer for all of its threads.
bool isOfWholeBlock(llvm::StringRef name) {
  constexpr llvm::StringRef kNames[] = {"block_rank",   "num_blocks",   "block_index", "dim_blocks",
                                        "cluster_rank", "num_clusters", "is_valid",    "cluster_index",
                                        "dim_clusters", "group_index",  "group_dim",   "dim_threads"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace

// What cooperative_groups declares.
std::optional<Lanes> BlockSimulator::callOfGroup(const clang::CallExpr& c, llvm::StringRef name,
                                                 const Mask& mask) {
  // CUDA's own header makes them static functions of the group's class.
  auto* member = llvm::dyn_cast<clang::MemberExpr>(c.getCallee()->IgnoreParenImpCasts());
  if (!member && name != "sync" && name != "wait" && name != "reduce") return std::nullopt;
  const clang::Expr* object = member ? member->getBase() : c.getNumArgs() ? c.getArg(0) : nullptr;
  auto* group = object ? classOf(object) : nullptr;
  int lanes = group ? lanesOf(*group) : 0;
  bool isBlock = group && isBlockGroup(*group);
  if (!isBlock && lanes == 0) return std::nullopt;
  for (auto* a : c.arguments()) evaluate(a, mask);
  auto size = static_cast<std::size_t>(std::max(lanes, 1));
  Lanes out = murky(&c);
  if (name == "thread_rank" || name == "meta_group_rank") {
    bool isRank = name == "thread_rank";
    if (lanes == 1 || (group->getName() != "thread_block" && isBlock)) return out;
    for (std::size_t i = 0; i < threads_; ++i)
      out[i] = {Kind::Known, false,
                static_cast<std::int64_t>(isBlock  ? i
                                          : isRank ? i % size
                                                   : i / size),
                nullptr};
    return out;
  }
  if (name == "size" || name == "num_threads") {
    if (isBlock && group->getName() != "thread_block") return shared(mixed(5, numberOf(group)));
    if (lanes == 1) return out;
    return known(isBlock ? static_cast<std::int64_t>(threads_) : lanes);
  }
  if (name == "meta_group_size" && lanes > 1) return known(static_cast<std::int64_t>(threads_ / size));
  if (name == "thread_index") return out;
  if (isBlock && isOfWholeBlock(name))
    return shared(mixed(numberOf(group), numberOf(member->getMemberDecl())));
  if (name == "wait") log_.endCopies(0, &c);
  bool isBarrier = name == "sync" || name == "wait" || name == "barrier_wait" || name == "barrier_arrive";
  if (isBlock && isBarrier) atBlockBarrier(c, mask);
  else if (isBlock || lanes > kLanes) opaqueBarrier();
  else {
    atWarpBarrier(c, lanes, lanes > 1, mask);
    bool isShared = name == "any" || name == "all" || name == "ballot" || name == "reduce" || name == "shfl";
    if (isShared && lanes > 1) return ofWarps(c, lanes);
  }
  return out;
}

}  // namespace kadvise::source
