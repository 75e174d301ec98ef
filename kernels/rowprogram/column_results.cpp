#include "kernels/rowprogram/column_results.h"

#include <algorithm>
#include <bit>

namespace kadvise::rowprogram {

std::vector<int> ColumnResults::variancesOf(const Round& round) const {
  std::vector<int> all;
  for (const Joint& joint : plan_.joints)
    if (std::find(round.begin(), round.end(), plan_.reduceStage(joint.second)) != round.end())
      all.push_back(joint.second);
  return all;
}

// ---- a pass

void ColumnResults::declare(Kernel& k, const Round& round) const {
  for (const Partial& p : k.roundPartials(round))
    if (!isJoint(p))
      k.line("  ", p.type, " joined_", p.name, "[", vector_, "];\n", vectors_.overRows(), " joined_", p.name,
             "[j] = ", p.none, "; }");
  const std::vector<int> variances = variancesOf(round);
  for (const int v : variances)
    k.line("  float sum_", v, "[", vector_, "], far_", v, "[", vector_, "];\n", vectors_.overRows(), " sum_",
           v, "[j] = far_", v, "[j] = 0.f; }");
  if (!variances.empty()) k.line("  float seen = 0.f;");
}

void ColumnResults::beginVectors(Kernel& k, const Round& round, bool all) const {
  const std::vector<int> variances = variancesOf(round);
  if (variances.empty()) return;
  if (all) k.line("  const float held = ", s_.vectors, ".f;");
  else
    k.line("  float held = 0.f;\n#pragma unroll\n  for (int k = 0; k < ", s_.vectors,
           "; ++k) held += c0 + k * ", s_.threads, " < end ? 1.f : 0.f;");
  k.line("  const float part = share(held);");
  for (const int v : variances)
    k.line("  float near_m", v, "[", vector_, "], near_a", v, "[", vector_, "];\n", vectors_.overRows(),
           " near_m", v, "[j] = near_a", v, "[j] = 0.f; }");
}

// Where var measures from, if the program has no mean of its own, is of the vectors at hand or of the pass
// before.
void ColumnResults::nameHere(Kernel& k, int stage) const {
  for (const Partial& p : k.partials(stage))
    k.line("  ", p.type, "& ", p.name, " = ", isJoint(p) ? "near_" : "joined_", p.name, "[j];");
  if (stage == 0) return;
  for (const Partial& p : k.partials(stage - 1)) {
    if (!p.mean) continue;
    const std::string mean = cat("  const float u", p.statement, " = ");
    if (isJoint(p)) k.line(mean, "__fmul_rn(near_m", p.statement, "[j], part);");
    else k.line(mean, "means_", p.statement, "[j];");
  }
}

void ColumnResults::endVectors(Kernel& k, const Round& round) const {
  const std::vector<int> variances = variancesOf(round);
  if (variances.empty()) return;
  k.line(
      "  const float both = seen + held, before = share(seen), weight = __fmul_rn(__fmul_rn(seen, held), "
      "share(both));\n  seen = both;");
  for (const int v : variances)
    k.line(vectors_.overRows(), " const float d = __fmaf_rn(sum_", v, "[j], before, -__fmul_rn(near_m", v,
           "[j], part)); far_", v, "[j] = __fmaf_rn(__fmul_rn(d, weight), d, __fadd_rn(far_", v,
           "[j], near_a", v, "[j])); sum_", v, "[j] += near_m", v, "[j]; }");
}

void ColumnResults::gather(Kernel& k, const Round& round) const {
  for (const int v : variancesOf(round))
    k.line("  Moments joined_g", v, "[", vector_, "];\n", vectors_.overRows(), " joined_g", v,
           "[j] = Moments{seen, sum_", v, "[j], far_", v, "[j]}; }");
}

// ---- across threads and parts

// The threads of a block that share rows, in the order of their columns.
void ColumnResults::join(Kernel& k, const Round& round) const {
  const int lanes = s_.block / s_.threads;
  for (const Partial& p : k.roundPartials(round)) {
    if (s_.threads == 1) continue;
    const std::string shared = cat("shared_", p.name, "_", round.front());
    k.line("  {\n  SHARED ", p.type, " ", shared, "[", s_.threads, "][", vector_, "][", lanes, "];\n",
           vectors_.overRows(), " ", shared, "[y][j][lane] = joined_", p.name, "[j]; }\n  __syncthreads();");
    for (unsigned half = std::bit_ceil(static_cast<unsigned>(s_.threads)) / 2; half > 0; half /= 2)
      k.line("  if (y < ", half, " && y + ", half, " < ", s_.threads, ")\n", vectors_.overRows(), " ", shared,
             "[y][j][lane] = ", p.op, "::join(", shared, "[y][j][lane], ", shared, "[y + ", half,
             "][j][lane]); }\n  __syncthreads();");
    k.line(vectors_.overRows(), " joined_", p.name, "[j] = ", shared, "[0][j][lane]; }\n  }");
  }
  if (s_.parts == 1) finish(k, round);
}

void ColumnResults::finish(Kernel& k, const Round& round) const {
  const auto partials = k.roundPartials(round);
  if (partials.empty()) return;
  for (const Partial& p : partials)
    if (p.mean) k.line("  float means_", p.statement, "[", vector_, "];");
  k.line(vectors_.overRows());
  for (const Partial& p : partials) k.line("  const ", p.type, " ", p.name, " = joined_", p.name, "[j];");
  k.finishRound(round, "(float)columns");
  for (const Partial& p : partials) {
    k.line(p.mean ? cat("  means_", p.statement, "[j] = u", p.statement, ";")
                  : cat("  s", p.statement, "[j] = v", p.statement, ";"));
    const Joint* joint = plan_.jointOf(p.statement);
    if (joint != nullptr && joint->first >= 0 && plan_.stage[joint->first] >= 0)
      k.line("  s", joint->first, "[j] = v", joint->first, ";");
  }
  k.line("  }");
}

void ColumnResults::layOutScratch(std::int64_t groups, const std::string& groupsName) {
  groups_ = groupsName;
  parts_ = numbers_.given(s_.parts);
  const Kernel kernel(plan_, numbers_);
  for (const Round& round : plan_.rounds)
    for (const Partial& p : kernel.roundPartials(round)) {
      places_[p.name] = numbers_.given(static_cast<std::int64_t>(scratchBytes_));
      scratchBytes_ += static_cast<std::size_t>(groups * vector_ * s_.parts * 16);
    }
}

std::string ColumnResults::slot(const Partial& p, const std::string& part) const {
  return cat("(", p.type, "*)((char*)scratch + ", places_.at(p.name), ") + (((i64)(", part, ") * (i64)",
             groups_, " + group) * ", vector_, " + j)");
}

void ColumnResults::keep(Kernel& k, const Round& round) const {
  for (const Partial& p : k.roundPartials(round))
    k.line("  if (live && y == 0)\n", vectors_.overRows(), " put(", slot(p, "blockIdx.y"), ", joined_",
           p.name, "[j]); }");
}

void ColumnResults::merge(Kernel& k, const Round& round) const {
  for (const Partial& p : k.roundPartials(round)) {
    k.line("  ", p.type, " joined_", p.name, "[", vector_, "];\n", vectors_.overRows(), " joined_", p.name,
           "[j] = ", p.none, "; }");
    k.line("  for (int i = y; i < (int)", parts_, "; i += ", s_.threads, ")\n", vectors_.overRows(),
           " joined_", p.name, "[j] = ", p.op, "::join(joined_", p.name, "[j], once(", slot(p, "i"), ")); }");
  }
  join(k, round);
  finish(k, round);
}

}  // namespace kadvise::rowprogram
