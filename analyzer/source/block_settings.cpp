// Which blocks a kernel is simulated for.
#include <llvm/ADT/SetVector.h>

#include <algorithm>
#include <set>

#include "analyzer/source/block_run.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/function_names.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

using Block = std::array<int, 3>;

constexpr int kMostThreads = 1024, kMostTries = 8, kFewThreads = 64;

// What in a kernel, and in the functions of the file that it calls, may concern more than one thread.
class Concerns : public Visitor {
 public:
  bool VisitVarDecl(clang::VarDecl* v) override { return take(v); }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    auto* v = llvm::dyn_cast<clang::VarDecl>(e->getDecl());
    return v ? take(v) : true;
  }
  bool VisitPseudoObjectExpr(clang::PseudoObjectExpr* e) override {
    auto index = builtinIndexOf(e);
    if (index && index->kind == BuiltinIndex::Kind::Thread) axes = std::max(axes, index->axis);
    return true;
  }
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* e) override {
    auto* index = llvm::dyn_cast<clang::BinaryOperator>(e->getIdx()->IgnoreParenImpCasts());
    auto* array = llvm::dyn_cast<clang::DeclRefExpr>(e->getBase()->IgnoreParenImpCasts());
    if (index && index->getOpcode() == clang::BO_Rem && array) rings.insert(array->getDecl());
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* c) override {
    auto* f = c->getDirectCallee();
    if (!f) return true;
    std::string name = f->getIdentifier() ? f->getName().str() : "";
    waits |= name.find("sync") != std::string::npos;
    const clang::FunctionDecl* whole = nullptr;
    if (f->hasBody(whole) && whole && seen_.size() < 64 && seen_.insert(whole).second)
      TraverseStmt(whole->getBody());
    return true;
  }

  llvm::SetVector<const clang::VarDecl*> shared;
  std::set<const clang::ValueDecl*> rings;  // "rows[(i + threadIdx.y) % 16]": of more rows than the block
  bool waits = false;
  int axes = 0;

 private:
  bool take(clang::VarDecl* v) {
    if (v->hasAttr<clang::CUDASharedAttr>()) shared.insert(v);
    return true;
  }
  std::set<const clang::FunctionDecl*> seen_;
};

bool isBlock(const Block& b) {
  return b[0] > 0 && b[1] > 0 && b[2] > 0 && std::int64_t{b[0]} * b[1] * b[2] <= kMostThreads;
}

struct Given {
  std::vector<Extent> blocks;
  std::vector<std::optional<std::int64_t>> dynamicBytes;
};

// By the launches of this very instance, in this file and in others.
Given givenTo(const Unit& unit, const clang::FunctionDecl& kernel, const std::vector<LaunchSite>& launches) {
  auto* written = asWritten(&kernel)->getCanonicalDecl();
  auto isInstance = [&](const LaunchSite& l) {
    return l.instance && l.instance->getCanonicalDecl() == kernel.getCanonicalDecl();
  };
  bool ofInstance = std::any_of(launches.begin(), launches.end(), isInstance);
  Given out;
  auto add = [&](const Extent& block, std::optional<std::int64_t> bytes) {
    out.blocks.push_back(block), out.dynamicBytes.push_back(bytes);
  };
  for (auto& l : launches)
    if (ofInstance ? isInstance(l) : l.kernel && l.kernel->getCanonicalDecl() == written)
      add(l.blockExtent, l.constantSharedBytes);
  if (unit.surroundings) {
    FunctionName name = nameForOthers(unit, *written);
    for (auto& l : unit.surroundings->launches)
      if (isSame(l.launch.kernel, name)) add(l.launch.block, l.launch.sharedBytes);
  }
  return out;
}

// Of the kernel's parameters those that every launch gives one and the same number.
std::map<const clang::ParmVarDecl*, std::int64_t> sizesOf(const Unit& unit, const clang::FunctionDecl& kernel,
                                                          const std::vector<LaunchSite>& launches) {
  std::map<const clang::ParmVarDecl*, std::int64_t> out;
  auto* written = asWritten(&kernel)->getCanonicalDecl();
  FunctionName name = nameForOthers(unit, *written);
  auto isSaidElsewhere = [&](auto& l) { return isSame(l.launch.kernel, name); };
  if (unit.surroundings &&
      std::any_of(unit.surroundings->launches.begin(), unit.surroundings->launches.end(), isSaidElsewhere))
    return out;
  for (unsigned i = 0; i < kernel.getNumParams(); ++i) {
    auto* p = kernel.getParamDecl(i);
    if (!p->getType()->isIntegerType() || p->getType()->isBooleanType()) continue;
    std::optional<std::int64_t> size;
    bool isOne = true;
    for (auto& l : launches) {
      if (!l.kernel || l.kernel->getCanonicalDecl() != written) continue;
      auto* launch = llvm::dyn_cast<clang::CUDAKernelCallExpr>(l.call);
      auto given = launch && i < launch->getNumArgs() ? constantOf(unit, launch->getArg(i)) : std::nullopt;
      isOne &= given && (!size || size == given);
      size = given;
    }
    if (isOne && size) out.emplace(p, *size);
  }
  return out;
}

// None where no launch says it, or they differ.
std::optional<std::int64_t> agreedOn(const std::vector<std::optional<std::int64_t>>& given) {
  bool isOne =
      !given.empty() && std::all_of(given.begin(), given.end(), [&](auto& g) { return g == given[0]; });
  return isOne ? given[0] : std::nullopt;
}

// None where no launch has a constant block, or they differ.
std::optional<Block> launchedWith(const std::vector<Extent>& extents) {
  std::optional<Block> out;
  for (auto& extent : extents) {
    Block block{};
    for (std::size_t i = 0; i < 3; ++i) {
      if (!extent[i] || *extent[i] > kMostThreads) return std::nullopt;
      block[i] = static_cast<int>(*extent[i]);
    }
    if (!isBlock(block) || (out && *out != block)) return std::nullopt;
    out = block;
  }
  return out;
}

// Arrays are made for the block: their extents are tried first.
struct Guesses {
  std::vector<Block> blocks;
  std::size_t trusted = 0;  // the first so many come from arrays
};

Guesses guesses(const Unit& unit, const Concerns& found) {
  std::vector<Block> out;
  auto add = [&](Block b) {
    if (isBlock(b) && std::find(out.begin(), out.end(), b) == out.end()) out.push_back(b);
  };
  for (auto* v : found.shared) {
    if (v->getType()->isDependentType()) continue;
    std::vector<int> extents;
    auto type = v->getType();
    while (auto* array = unit.context.getAsConstantArrayType(type)) {
      extents.push_back(static_cast<int>(std::min<std::uint64_t>(array->getSize().getZExtValue(), 1 << 20)));
      type = array->getElementType();
    }
    if (extents.empty()) continue;
    bool isSquare = extents.size() >= 2 && found.axes == 1 && !found.rings.count(v);
    if (isSquare) {
      int rows = extents[extents.size() - 2], columns = extents.back();
      add({std::min(rows, columns), std::min(rows, columns), 1});
      for (int width : {columns, columns - 1, columns - 2})
        for (int height : {rows, rows - 1, rows - 2, rows / 4})
          if (width % 8 == 0) add({width, height, 1});
    }
    if (found.axes == 0)
      for (int width : extents)
        if (width % 32 == 0 && width > 32) add({width, 1, 1});
  }
  std::size_t trusted = out.size();
  if (found.axes == 0)
    for (int width : {256, 128, 64, 32}) add({width, 1, 1});
  if (found.axes == 1)
    for (Block b : {Block{16, 16, 1}, Block{32, 8, 1}, Block{32, 4, 1}, Block{8, 8, 1}}) add(b);
  if (found.axes == 2)
    for (Block b : {Block{8, 8, 8}, Block{8, 8, 4}, Block{4, 4, 4}}) add(b);
  if (out.size() > kMostTries) out.resize(kMostTries);
  return {out, trusted};
}

// The same with what all launches agree on along an axis.
Block agreeing(Block b, const std::vector<Extent>& extents) {
  int open = -1;
  for (std::size_t i = 0; i < 3 && !extents.empty(); ++i) {
    auto& n = extents[0][i];
    bool isKnown = n && *n > 0 && *n <= kMostThreads &&
                   std::all_of(extents.begin(), extents.end(), [&](auto& e) { return e[i] == n; });
    if (isKnown) b[i] = static_cast<int>(*n);
    else if (open < 0) open = static_cast<int>(i);
  }
  if (open >= 0 && b[0] * b[1] * b[2] < kFewThreads) b[static_cast<std::size_t>(open)] *= kFewThreads / 8;
  return b;
}

// What is so for another block as well.
void keepCommon(BlockRun& run, const BlockRun& other) {
  auto isIn = [&](const Conflict& c) {
    return std::any_of(other.conflicts.begin(), other.conflicts.end(), [&](auto& o) {
      return o.first.site == c.first.site && o.second.site == c.second.site;
    });
  };
  auto end = std::remove_if(run.conflicts.begin(), run.conflicts.end(), [&](auto& c) { return !isIn(c); });
  run.conflicts.erase(end, run.conflicts.end());
  auto parts = [&](const Parting& p) {
    return std::any_of(other.partings.begin(), other.partings.end(),
                       [&](auto& o) { return o.barrier == p.barrier && o.isOfWarp == p.isOfWarp; });
  };
  auto last = std::remove_if(run.partings.begin(), run.partings.end(), [&](auto& p) { return !parts(p); });
  run.partings.erase(last, run.partings.end());
}

}  // namespace

std::vector<BlockRun> runsOf(const Unit& unit, const clang::FunctionDecl& kernel,
                             const std::vector<LaunchSite>& launches) {
  Concerns found;
  found.TraverseStmt(kernel.getBody());
  if (kernel.isDependentContext() || kernel.isInvalidDecl() || (found.shared.empty() && !found.waits))
    return {};
  auto [extents, bytes] = givenTo(unit, kernel, launches);
  auto dynamicBytes = agreedOn(bytes);
  auto simulated = [&](const Block& block, int seed, bool isTiny, decltype(BlockSetting::sizes) sizes) {
    return simulate(unit, kernel, {block, seed, isTiny, std::move(sizes), dynamicBytes});
  };
  auto launched = launchedWith(extents);
  Guesses tries = launched ? Guesses{{*launched}, 1} : guesses(unit, found);
  if (!launched)
    for (auto& b : tries.blocks)
      if (Block known = agreeing(b, extents); isBlock(known)) b = known;
  std::vector<BlockRun> out;
  for (std::size_t i = 0; i < tries.blocks.size(); ++i) {
    BlockRun first = simulated(tries.blocks[i], 1, false, {});
    first.isLaunched = launched.has_value();
    // A block that nobody launches may be too large for the arrays.
    if (first.overrun && !first.isLaunched && !first.hasNoDynamicBytes()) continue;
    if (!first.fits && first.isLaunched && first.overrun) {
      first.conflicts.clear(), first.partings.clear();
      return {std::move(first)};
    }
    if (!first.fits) continue;
    // A block that is only usual is not enough to say what is wrong: another one has to agree.
    if (!out.empty()) {
      bool isLast = found.axes != 1 || i + 1 == tries.blocks.size();
      if (first.hasMadeUp)
        for (int seed : {2, 3})
          for (auto& p : simulated(tries.blocks[i], seed, seed == 3, {}).partings)
            first.partings.push_back(p);
      for (auto& run : out) keepCommon(run, first);
      if (isLast) return out;
      continue;
    }
    bool isTrusted = i < tries.trusted, isUnsure = first.hasMadeUp;
    out.push_back(std::move(first));
    if (isUnsure) {
      BlockRun second = simulated(tries.blocks[i], 2, false, {});
      BlockRun tiny = simulated(tries.blocks[i], 3, true, {});
      // Sizes below the block may break what the kernel asks of its callers: only who leaves is looked at.
      tiny.conflicts.clear(), tiny.overrun.reset(), second.overrun.reset();
      if (second.fits) out.push_back(std::move(second));
      out.push_back(std::move(tiny));
      // Who leaves is asked of any size: the next caller's may be another one.
      auto sizes = launched ? sizesOf(unit, kernel, launches) : decltype(BlockSetting::sizes){};
      BlockRun exact = sizes.empty() ? BlockRun{} : simulated(tries.blocks[i], 1, false, sizes);
      exact.partings.clear(), exact.overrun.reset();
      exact.isLaunched = true;
      if (!sizes.empty() && exact.fits) out.push_back(std::move(exact));
    }
    bool hasFound = std::any_of(out.begin(), out.end(),
                                [](auto& r) { return !r.conflicts.empty() || !r.partings.empty(); });
    if (isTrusted || !hasFound) return out;
  }
  return out;
}

}  // namespace kadvise::source
