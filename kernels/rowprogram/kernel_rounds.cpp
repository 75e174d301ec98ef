// Rounds: two reductions of which one measures from the other, joined at once (rounds.h).
//
// Names: l7 what a thread (of a maximum, a warp) measures from, m7 and a7 its two results, g7 both together;
// `held` the elements that the thread (in a cluster, the block) has.
#include "kernels/rowprogram/kernel.h"

#include <algorithm>

namespace kadvise::rowprogram {
namespace {

bool has(const std::vector<int>& round, int stage) {
  return std::find(round.begin(), round.end(), stage) != round.end();
}

}  // namespace

std::vector<Partial> Kernel::roundPartials(const std::vector<int>& round) const {
  std::vector<Partial> all;
  for (const int stage : round)
    for (const Partial& p : partials(stage))
      if (plan.jointOf(p.statement) == nullptr) all.push_back(p);
  for (const Joint& joint : plan.joints) {
    if (!has(round, plan.reduceStage(joint.second))) continue;
    const bool peak = joint.kind == Joint::Kind::Peak;
    all.push_back({joint.second, false, cat("g", joint.second), "Joint", peak ? "Peak" : "Moments",
                   peak ? "Peak{-INF, 0.f}" : "Moments{0.f, 0.f, 0.f}"});
  }
  return all;
}

void Kernel::localReferences(int stage, int lanes) {
  for (const Joint& joint : plan.joints) {
    const int var = joint.second, most = joint.first;
    if (joint.kind == Joint::Kind::Moments && plan.reduceStage(var) - 1 == stage)
      line("  const float u", var, " = __fmul_rn(m", var, ", share(held));");
    if (joint.kind != Joint::Kind::Peak || plan.reduceStage(most) != stage) continue;
    if (lanes > 1) line("  a", most, " = across_lanes<Max, ", lanes, ">(a", most, ");");
    line("  const float l", most, " = a", most, " == -INF ? 0.f : a", most, ";");  // -inf - -inf is no number
  }
}

bool Kernel::declareLocal(int stage) {
  bool any = false;
  for (const Joint& joint : plan.joints) {
    if (joint.kind != Joint::Kind::Peak || plan.reduceStage(joint.second) != stage) continue;
    line("  const float v", joint.first, " = l", joint.first, ";");
    any = true;
  }
  return any;
}

void Kernel::packJoints(const std::vector<int>& round, int lanes, const std::string& prefix) {
  for (const Joint& joint : plan.joints) {
    const int second = joint.second;
    if (!has(round, plan.reduceStage(second))) continue;
    if (joint.kind == Joint::Kind::Moments) {
      line("  Moments ", prefix, second, " = {held, m", second, ", a", second, "};");
      continue;
    }
    if (lanes > 1) line("  a", second, " = across_lanes<Sum, ", lanes, ">(a", second, ");");
    line("  Peak ", prefix, second, " = {a", joint.first, ", a", second, "};");
  }
}

void Kernel::heldByBlock(bool exact) {
  const bool counts = std::any_of(plan.joints.begin(), plan.joints.end(),
                                  [](const Joint& j) { return j.kind == Joint::Kind::Moments; });
  if (!counts) return;
  const Schedule& s = plan.schedule;
  const std::int64_t most = static_cast<std::int64_t>(s.vectors) * s.threads * plan.vector;
  if (exact) {
    line("  const float held = ", most, ".f;");
    return;
  }
  const std::string begin = cat("(i64)part * ", most, plan.ragged ? " - lead" : "");
  line("  const float held = (float)larger((i64)0, smaller((i64)columns, ", begin, " + ", most,
       ") - larger((i64)0, ", begin, "));");
}

// Blocks of a cluster join their variances: each measures from its own mean.
std::vector<Partial> Kernel::momentsOf(int stage) const {
  std::vector<Partial> all = partials(stage);
  std::erase_if(all, [&](const Partial& p) {
    const Joint* joint = plan.jointOf(p.statement);
    return joint == nullptr || joint->kind != Joint::Kind::Moments;
  });
  return all;
}

std::string Kernel::heldElements(const std::string& c) const {
  if (!plan.ragged) return cat(c, " < columns ? ", plan.vector, ".f : 0.f");
  return cat("(float)(int)larger((i64)0, smaller((i64)", c, " + ", plan.vector,
             ", (i64)columns) - larger((i64)", c, ", (i64)0))");
}

void Kernel::finishRound(const std::vector<int>& round, const std::string& count) {
  for (const int stage : round) finishPartials(stage, count);
  for (const Joint& joint : plan.joints) {
    const int first = joint.first, second = joint.second;
    if (!has(round, plan.reduceStage(second))) continue;
    const std::string g = cat("g", second);
    if (joint.kind == Joint::Kind::Moments) {
      line("  const float v", second, " = __fdiv_rn(", g, ".far, ", count, ");");
      if (first >= 0) line("  const float v", first, " = __fdiv_rn(", g, ".sum, ", count, ");");
      continue;
    }
    line("  const float v", first, " = ", g, ".most;");
    line("  const float v", second, " = ", g, ".most == -INF ? NOT_A_NUMBER : ", g, ".sum;");
  }
}

}  // namespace kadvise::rowprogram
