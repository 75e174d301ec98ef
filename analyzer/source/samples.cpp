#include <algorithm>

#include "analyzer/source/device_code.h"
#include "analyzer/source/function_names.h"
#include "analyzer/source/threads.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr int kMostThreads = 1024, kUsualThreads = 128;

bool isCommon(const Extent& e) { return e[0] && e[1] && e[2]; }

std::vector<Extent> blocksOf(const Unit& unit, const clang::FunctionDecl& kernel,
                             const std::vector<LaunchSite>& launches) {
  std::vector<Extent> out;
  auto* written = asWritten(&kernel)->getCanonicalDecl();
  // Of this very instance, where launches name it.
  auto isInstance = [&](const LaunchSite& l) {
    return l.instance && l.instance->getCanonicalDecl() == kernel.getCanonicalDecl();
  };
  bool ofInstance = std::any_of(launches.begin(), launches.end(), isInstance);
  for (auto& l : launches)
    if (ofInstance ? isInstance(l) : l.kernel && l.kernel->getCanonicalDecl() == written)
      out.push_back(l.blockExtent);
  if (!unit.surroundings) return out;
  FunctionName name = nameForOthers(unit, *written);
  for (auto& l : unit.surroundings->launches)
    if (isSame(l.launch.kernel, name)) out.push_back(l.launch.block);
  return out;
}

// The constant block that all launches of the kernel agree on.
std::optional<std::array<int, 3>> blockOf(const std::vector<Extent>& blocks) {
  std::optional<std::array<int, 3>> out;
  for (auto& extent : blocks) {
    if (!isCommon(extent)) return std::nullopt;
    std::array<int, 3> block{};
    for (std::size_t i = 0; i < 3; ++i)
      block[i] =
          static_cast<int>(std::min<std::int64_t>(std::max<std::int64_t>(*extent[i], 1), kMostThreads));
    if (out && *out != block) return std::nullopt;
    out = block;
  }
  if (out && (*out)[0] * (*out)[1] * (*out)[2] > kMostThreads) return std::nullopt;
  return out;
}

// Usual blocks, but for what all launches agree on along an axis.
Sample agreeing(Sample s, const std::vector<Extent>& blocks) {
  if (blocks.empty()) return s;
  bool isOpen[3] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    auto& known = blocks[0][i];
    isOpen[i] = !known || std::any_of(blocks.begin(), blocks.end(), [&](auto& b) { return b[i] != known; });
    if (!isOpen[i]) s.block[i] = static_cast<int>(std::clamp<std::int64_t>(*known, 1, kMostThreads));
  }
  auto threads = [&] { return s.block[0] * s.block[1] * s.block[2]; };
  for (std::size_t i = 0; i < 3; ++i) {
    while (isOpen[i] && s.block[i] > 1 && threads() > kMostThreads) s.block[i] /= 2;
    while (isOpen[i] && threads() < kUsualThreads) s.block[i] *= 2;
  }
  return s;
}

class UsedAxes : public Visitor {
 public:
  bool VisitPseudoObjectExpr(clang::PseudoObjectExpr* e) override {
    auto index = builtinIndexOf(e);
    if (index && index->kind == BuiltinIndex::Kind::Thread && index->axis > 0) isFlat = false;
    return true;
  }
  bool isFlat = true;  // only threadIdx.x counts
};

// Given to a function that launches it, with a block that only that function sees.
class HandedOn : public Visitor {
 public:
  explicit HandedOn(const clang::FunctionDecl& kernel) : kernel_(kernel) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    auto* f = llvm::dyn_cast<clang::FunctionDecl>(e->getDecl());
    found |= f && asWritten(f)->getCanonicalDecl() == kernel_.getCanonicalDecl();
    return !found;
  }
  bool VisitOverloadExpr(clang::OverloadExpr* e) override {
    found |= e->getName() == kernel_.getDeclName();
    return !found;
  }
  bool found = false;

 private:
  const clang::FunctionDecl& kernel_;
};

bool isHandedOn(const Unit& unit, const clang::FunctionDecl& kernel) {
  HandedOn handed(*asWritten(&kernel));
  for (auto* d : unit.declarations) handed.TraverseDecl(d);
  return handed.found;
}

}  // namespace

std::vector<Thread> threadsOf(const Sample& s) {
  std::vector<Thread> out;
  for (int z = 0; z < s.block[2]; ++z)
    for (int y = 0; y < s.block[1]; ++y)
      for (int x = 0; x < s.block[0]; ++x) out.push_back({{x, y, z}});
  return out;
}

std::vector<Sample> samplesFor(const Unit& unit, const clang::FunctionDecl& kernel,
                               const std::vector<LaunchSite>& launches) {
  auto blocks = blocksOf(unit, kernel, launches);
  if (auto block = blockOf(blocks))
    return {{*block, 1, 0, false}, {*block, 2, 1, true}, {*block, 3, 3, false}};
  UsedAxes axes;
  axes.TraverseStmt(kernel.getBody());
  if (axes.isFlat) return {{{256, 1, 1}, 1, 0, false}, {{128, 1, 1}, 2, 1, true}, {{512, 1, 1}, 3, 3, false}};
  std::vector<Sample> out = {{{32, 8, 1}, 1, 0, false}, {{32, 32, 1}, 2, 1, true}, {{64, 4, 1}, 3, 3, false}};
  if (blocks.empty() && isHandedOn(unit, kernel)) out.push_back({{1, 256, 1}, 1, 0, false});
  for (auto& s : out) s = agreeing(s, blocks);
  return out;
}

}  // namespace kadvise::source
