#include "kernels/rowprogram/turned.h"

#include <algorithm>

namespace kadvise::rowprogram {
namespace {

using Kind = Statement::Kind;

constexpr int kAlong = 64;
constexpr std::int64_t kLeastSize = 8;
constexpr std::int64_t kMostShared = 46 << 10;  // bytes: a kernel has 48 without asking for more

// Whether the elements lie beside each other along that dimension, and not along the columns.
bool isTurned(const Access& a, int dim) {
  const auto d = static_cast<std::size_t>(dim);
  return bytesOf(a.element) <= 4 && a.inner.size() == 1 && a.inner[0] > 1 && a.outer.size() > d &&
         a.outer[d] == 1;
}

int pointsOf(const Schedule& s, const Plan& plan) { return s.block * s.vectors * plan.vector; }

bool isTurnedInput(const Problem& p, int dim, int input) {
  const auto i = static_cast<std::size_t>(input);
  return p.program->statements[i].kind == Kind::Input && !p.inputs[i].isNumber && isTurned(p.inputs[i], dim);
}

}  // namespace

int turnedDimOf(const Problem& p) {
  if (!p.program->reduced.empty() || p.program->takes || p.program->picks || p.inner.size() != 1 ||
      p.inner[0] < kLeastSize)
    return -1;
  const auto isAlongColumns = [](const Access& out) { return out.inner.size() == 1 && out.inner[0] == 1; };
  if (std::none_of(p.outputs.begin(), p.outputs.end(), isAlongColumns)) return -1;
  int best = -1, most = 0;
  for (int d = 0; d < static_cast<int>(p.outer.size()); ++d) {
    if (p.outer[static_cast<std::size_t>(d)] < kLeastSize) continue;
    int bytes = 0;
    for (int i = 0; i < p.program->inputs; ++i)
      if (isTurnedInput(p, d, i)) bytes += bytesOf(p.inputs[static_cast<std::size_t>(i)].element);
    bool servesAll = true;
    for (const Access& out : p.outputs) {
      if (isAlongColumns(out)) continue;
      servesAll = servesAll && isTurned(out, d);
      bytes += bytesOf(out.element);
    }
    if (servesAll && bytes > most) best = d, most = bytes;
  }
  return best;
}

void settleTurned(Plan& plan) {
  plan.turned.assign(plan.inputs.size(), 0);
  plan.turnedOut.assign(plan.outputs.size(), 0);
  if (plan.schedule.form != Form::Tiles) return;
  plan.turnedDim = turnedDimOf(plan.problem);
  if (plan.turnedDim < 0) return;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    plan.turned[i] = isTurnedInput(plan.problem, plan.turnedDim, static_cast<int>(i));
  for (std::size_t i = 0; i < plan.outputs.size(); ++i)
    plan.turnedOut[i] = isTurned(plan.problem.outputs[i], plan.turnedDim);
}

// No wider than the columns and no deeper than the turned dimension, where the other has room: what lies
// beyond them is idle. Images of few channels have the one in one direction and the other in the other.
Tile tileOf(const Plan& plan) {
  const std::int64_t columns = plan.problem.columns(),
                     depth = plan.problem.outer[static_cast<std::size_t>(plan.turnedDim)];
  Tile tile{kAlong, pointsOf(plan.schedule, plan) / kAlong};
  while (tile.along / 2 >= std::max(columns, kLeastSize) && 2 * tile.deep <= depth)
    tile = {tile.along / 2, 2 * tile.deep};
  while (tile.deep / 2 >= std::max(depth, kLeastSize) && 2 * tile.along <= columns)
    tile = {2 * tile.along, tile.deep / 2};
  return tile;
}

bool runsInTiles(const Plan& plan) {
  const Schedule& s = plan.schedule;
  if (plan.turnedDim < 0 || plan.ragged || s.generic || (s.width != 1 && s.width != 4)) return false;
  const int points = pointsOf(s, plan);
  if (points != 32 * kAlong && points != 64 * kAlong) return false;
  const Tile tile = tileOf(plan);
  const auto held = std::count(plan.turned.begin(), plan.turned.end(), 1) +
                    std::count(plan.turnedOut.begin(), plan.turnedOut.end(), 1);
  return held * tile.deep * pitchOf(tile) * 4 <= kMostShared;
}

}  // namespace kadvise::rowprogram
