#include "kernels/rowprogram/turned.h"

#include <algorithm>

namespace kadvise::rowprogram {
namespace {

using Kind = Statement::Kind;

constexpr int kAlong = 64;
constexpr std::int64_t kLeastSize = 8;
constexpr std::int64_t kMostShared = 46 << 10;  // bytes: a kernel has 48 without asking for more

}  // namespace

bool isTurned(const Problem& p, int dim, int input) {
  const Access& a = p.inputs[static_cast<std::size_t>(input)];
  const auto d = static_cast<std::size_t>(dim);
  const bool isPlain = p.program->statements[static_cast<std::size_t>(input)].kind == Kind::Input &&
                       !a.isNumber && bytesOf(a.element) <= 4;
  return isPlain && a.inner.size() == 1 && a.inner[0] > 1 && a.outer.size() > d && a.outer[d] == 1;
}

int turnedDimOf(const Problem& p) {
  if (!p.program->reduced.empty() || p.program->takes || p.program->picks || p.inner.size() != 1 ||
      p.inner[0] < kLeastSize)
    return -1;
  for (const Access& out : p.outputs)
    if (out.inner.size() != 1 || out.inner[0] != 1) return -1;
  int best = -1, most = 0;
  for (std::size_t d = 0; d < p.outer.size(); ++d) {
    if (p.outer[d] < kLeastSize) continue;
    int bytes = 0;
    for (int i = 0; i < p.program->inputs; ++i)
      if (isTurned(p, static_cast<int>(d), i))
        bytes += bytesOf(p.inputs[static_cast<std::size_t>(i)].element);
    if (bytes > most) best = static_cast<int>(d), most = bytes;
  }
  return best;
}

Tile tileOf(const Plan& plan) {
  const Schedule& s = plan.schedule;
  return {kAlong, s.block * s.vectors * plan.vector / kAlong};
}

bool runsInTiles(const Plan& plan) {
  const Schedule& s = plan.schedule;
  if (plan.turnedDim < 0 || plan.ragged || s.generic || (s.width != 1 && s.width != 4)) return false;
  const Tile tile = tileOf(plan);
  const auto inputs = std::count(plan.turned.begin(), plan.turned.end(), 1);
  return (tile.deep == 32 || tile.deep == 64) && inputs * tile.deep * pitchOf(tile) * 4 <= kMostShared;
}

}  // namespace kadvise::rowprogram
