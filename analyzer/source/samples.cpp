#include <algorithm>

#include "analyzer/source/device_code.h"
#include "analyzer/source/function_names.h"
#include "analyzer/source/threads.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr int kMostThreads = 1024;

bool isCommon(const Extent& e) { return e[0] && e[1] && e[2]; }

std::vector<Extent> blocksOf(const Unit& unit, const clang::FunctionDecl& kernel,
                             const std::vector<LaunchSite>& launches) {
  std::vector<Extent> out;
  auto* written = asWritten(&kernel)->getCanonicalDecl();
  for (auto& l : launches)
    if (l.kernel && l.kernel->getCanonicalDecl() == written) out.push_back(l.blockExtent);
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

class UsedAxes : public Visitor {
 public:
  bool VisitPseudoObjectExpr(clang::PseudoObjectExpr* e) override {
    auto index = builtinIndexOf(e);
    if (index && index->kind == BuiltinIndex::Kind::Thread && index->axis > 0) isFlat = false;
    return true;
  }
  bool isFlat = true;  // only threadIdx.x counts
};

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
  if (auto block = blockOf(blocksOf(unit, kernel, launches)))
    return {{*block, 1, 0, false}, {*block, 2, 1, true}, {*block, 3, 3, false}};
  UsedAxes axes;
  axes.TraverseStmt(kernel.getBody());
  if (axes.isFlat) return {{{256, 1, 1}, 1, 0, false}, {{128, 1, 1}, 2, 1, true}, {{512, 1, 1}, 3, 3, false}};
  return {{{32, 8, 1}, 1, 0, false}, {{32, 32, 1}, 2, 1, true}, {{64, 4, 1}, 3, 3, false}};
}

}  // namespace kadvise::source
