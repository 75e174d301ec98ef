#include "kernels/rowprogram/cost.h"

#include "kernels/rowprogram/turned.h"

#include <algorithm>
#include <cmath>

namespace kadvise::rowprogram {
namespace {

using Kind = Statement::Kind;

constexpr int kSharedForReductions = 2048;  // bytes, beside what rows take
constexpr int kLoopRegisters = 8;           // of a persistent kernel
constexpr int kMostBlocksPerSm = 32;
constexpr double kClock = 1.6e9, kLanesOfSm = 128;
constexpr double kOfRaggedElement =
    20;  // instructions: vectors that begin anywhere, elements that are not the row's
constexpr double kScattered = 2.5;  // times as long, where a warp's elements lie in as many lines
constexpr double kOfRound = 60;     // of a thread, in joining a row's reductions

bool isExpensive(Pointwise op) {
  return (op >= Pointwise::Exp && op <= Pointwise::Log1p) ||
         (op >= Pointwise::Sin && op <= Pointwise::Logsigmoid) ||
         (op >= Pointwise::Silu && op <= Pointwise::Softsign) || op == Pointwise::Pow || op == Pointwise::Div;
}

}  // namespace

Traffic trafficOf(const Plan& plan) {
  Traffic t;
  const double points =
      static_cast<double>(plan.problem.rows()) * static_cast<double>(plan.problem.columns());
  const auto moved = [&](const Access& a, Reach r) {
    if (r == Reach::Same) t.bytes += static_cast<double>(plan.problem.rows()) * bytesOf(a.element);
    else
      t.bytes += sameForAllRows(a) ? static_cast<double>(plan.problem.columns()) * bytesOf(a.element)
                                   : points * bytesOf(a.element);
  };
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const Access& a = plan.problem.inputs[i];
    if (plan.program.statements[i].kind != Kind::Input) {
      t.bytes += points * bytesOf(a.element);
      continue;
    }
    moved(a, plan.inputs[i]);
    if (plan.inputs[i] == Reach::Same) continue;
    const int words = std::max(1, plan.vector * bytesOf(a.element) / 4);
    if (sameForAllRows(a)) t.rowVectors = true;
    else if (plan.lastUse[i] > plan.stage[i]) t.sharedBytes += std::max(16, 4 * words);
  }
  for (std::size_t o = 0; o < plan.outputs.size(); ++o) moved(plan.problem.outputs[o], plan.outputs[o]);
  if (plan.ragged && !plan.flat()) {
    for (const auto* reaches : {&plan.inputs, &plan.outputs})
      for (const Reach reach : *reaches)
        if (reach == Reach::Vector) t.operations += kOfRaggedElement * plan.vector;
  }
  for (std::size_t s = 0; s < plan.program.statements.size(); ++s) {
    const Statement& statement = plan.program.statements[s];
    if (statement.kind == Kind::Pointwise && !plan.perRow[s])
      t.operations += plan.vector * (isExpensive(statement.pointwise) ? (plan.exact[s] ? 20 : 8) : 1.5);
    else if (!plan.perRow[s]) t.operations += plan.vector;
    if (statement.input >= 0 || !plan.kept(static_cast<int>(s))) continue;
    t.sharedBytes += 4 * plan.vector * (statement.type == Type::Int ? 2 : 1);
  }
  return t;
}

// Columns: what a block's threads join their partial results in.
int joiningBytes(const Plan& plan, const Schedule& s) {
  int bytes = 0;
  for (std::size_t i = 0; i < plan.program.statements.size(); ++i) {
    const Statement& reduce = plan.program.statements[i];
    if (reduce.kind != Kind::Reduce || plan.stage[i] < 0) continue;
    if (const Joint* joint = plan.jointOf(static_cast<int>(i)); joint != nullptr) {
      if (joint->second == static_cast<int>(i)) bytes += 16 * s.block * plan.vector;
      continue;
    }
    const bool finds = reduce.reduction == Reduction::Argmax || reduce.reduction == Reduction::Argmin;
    bytes += (finds                               ? 16
              : reduce.operandType == Type::Float ? 4
                                                  : 8) *
             (reduce.reduction == Reduction::Var ? 2 : 1) * s.block * plan.vector;
  }
  return bytes;
}

std::int64_t vectorsOf(const Plan& plan) {
  const std::int64_t columns = plan.problem.columns(), v = plan.vector;
  return std::max<std::int64_t>(1, plan.ragged ? (columns + 2 * v - 2) / v : (columns + v - 1) / v);
}

// The vectors at hand, and partial results of each row; of a variance also those of the vectors at hand.
int registersOfColumns(const Plan& plan, const Schedule& s) {
  int words = 0, results = 0;
  for (std::size_t i = 0; i < plan.program.statements.size(); ++i) {
    const Statement& statement = plan.program.statements[i];
    if (plan.stage[i] < 0) continue;
    if (statement.kind == Kind::Input && plan.inputs[i] != Reach::Same)
      words += std::max(1, plan.vector * bytesOf(plan.problem.inputs[i].element) / 4);
    if (statement.kind != Kind::Reduce) continue;
    const Joint* joint = plan.jointOf(static_cast<int>(i));
    results += joint == nullptr ? 1 : joint->second == static_cast<int>(i) ? 4 : 0;
  }
  return 24 + s.vectors * words + results * plan.vector;
}

std::int64_t sharedOf(const Schedule& s, const Plan& plan, const Traffic& t) {
  return keepsInShared(plan, s)
             ? static_cast<std::int64_t>(t.sharedBytes) * s.vectors * s.threads + kSharedForReductions
             : 0;
}

int blocksPerSm(const Schedule& s, const Plan& plan, const Traffic& t, const Gpu& gpu) {
  if (s.blocks > 0) return s.blocks;
  const bool held = s.form != Form::Split && s.form != Form::Columns && !keepsInShared(plan, s);
  const int needed = held                      ? std::max(32, registersOf(plan, s))
                     : s.form == Form::Columns ? registersOfColumns(plan, s)
                                               : 48,
            registers = std::min(255, (needed + (s.persistent ? kLoopRegisters : 0) + 7) / 8 * 8);
  std::int64_t blocks = std::min(gpu.threadsPerSm / s.block, 65536 / (registers * s.block));
  if (const auto shared = sharedOf(s, plan, t); shared > 0)
    blocks = std::min(blocks, gpu.sharedBytesPerBlock / shared);
  return static_cast<int>(std::clamp<std::int64_t>(blocks, 1, kMostBlocksPerSm));
}

namespace {

// Over memory, where nothing is kept from one to the next.
int passesOf(const Plan& plan) {
  const auto reads = [&](int stage) {
    const std::vector<char> need = plan.needed(stage, true);
    return std::any_of(need.begin(), need.end(), [](char n) { return n; });
  };
  return static_cast<int>(std::count_if(
      plan.rounds.begin(), plan.rounds.end(),
      [&](const std::vector<int>& round) { return std::any_of(round.begin(), round.end(), reads); }));
}

// Seconds of so many operations for each vector, with all lanes at work.
double arithmeticOf(double operations, const Plan& plan, const Gpu& gpu) {
  const double rows = static_cast<double>(plan.problem.rows()),
               columns = static_cast<double>(plan.problem.columns());
  return operations * rows * columns / plan.vector / (kLanesOfSm * kClock * gpu.sms);
}

// Seconds of Columns: memory or arithmetic, as far as there are enough threads for either, and the kernels
// that join parts.
double estimateColumns(const Schedule& s, const Plan& plan, const Traffic& t, const Gpu& gpu) {
  const double lanes = static_cast<double>(s.block) / s.threads;
  const double blocks = std::ceil(static_cast<double>(plan.problem.rows()) / (lanes * plan.vector)) * s.parts;
  const double ofSm = blocks / gpu.sms, resident = std::min<double>(ofSm, blocksPerSm(s, plan, t, gpu));
  const double uneven = ofSm > 1 ? std::ceil(ofSm) / ofSm : 1;  // some have a block more than others
  const double inFlight = resident * s.block * s.vectors * 16;
  const double rate = gpu.bytesPerSecond * std::min(1.0, inFlight / gpu.bytesInFlightPerSm);
  const double busy = std::min(1.0, resident * s.block / gpu.threadsPerSm);
  const double arithmetic = arithmeticOf(t.operations, plan, gpu) / busy;
  const double passes = keepsColumns(plan, s) ? 1 : passesOf(plan);
  const double join = 0.15e-6 * std::log2(2.0 * s.threads), merge = s.parts > 1 ? 2e-6 + 4e-9 * s.parts : 0;
  return passes * (std::max(t.bytes / rate, arithmetic) * uneven + join + merge) + 0.9e-6;
}

}  // namespace

// Seconds.
double estimate(const Schedule& s, const Plan& plan, const Traffic& t, const Gpu& gpu) {
  if (s.form == Form::Columns) return estimateColumns(s, plan, t, gpu);
  const double rows = static_cast<double>(plan.problem.rows()),
               columns = static_cast<double>(plan.problem.columns());
  const double perSm = blocksPerSm(s, plan, t, gpu);
  double blocks = 0, passes = 1;
  const bool isFlat = s.form == Form::Flat || s.form == Form::Tiles;
  if (isFlat) {
    blocks = rows * columns / (static_cast<double>(s.block) * s.vectors * plan.vector);
  } else {
    const double rowsOfBlock =
        s.form == Form::Lanes ? static_cast<double>(s.block) / s.threads : 1.0 / s.parts;
    blocks = rows / rowsOfBlock;
    passes = static_cast<double>(plan.stages);
  }
  const double step = s.form == Form::Lanes || isFlat ? 0.12e-6 : s.form == Form::Cluster ? 1.2e-6 : 0.35e-6;
  const double compute = t.operations * s.vectors / 32 / 4 * (s.block / 32.0) * 32 / kClock;
  const double latency = 0.9e-6 + passes * step + compute * 0.1;
  const double waves = std::ceil(std::max(1.0, blocks) / (perSm * gpu.sms));
  const bool scatters = s.form == Form::Flat && turnedDimOf(plan.problem) >= 0;
  const double bytes = t.bytes * (s.form == Form::Split ? passes / 2 + 0.5 : scatters ? kScattered : 1.0);
  const double ofRow = isFlat ? 0 : kOfRound * (plan.program.phases + 1) / s.vectors;
  const double arithmetic = arithmeticOf(t.operations + ofRow, plan, gpu);
  const double launches = s.form == Form::Split ? (passes / 2 + 0.5) * 2e-6 : 0;
  const double full = std::max(bytes / gpu.bytesPerSecond, arithmetic);
  // Few elements for each thread leave the compiler room; beyond that many, each costs a little.
  const double crowded =
      std::abs(std::log2(s.vectors * plan.vector / 16.0)) * (s.form == Form::Split ? 0.0 : 0.01);
  // Threads that find no vector of the row wait with the others.
  const double held = static_cast<double>(s.threads) * s.vectors * (s.form == Form::Cluster ? s.parts : 1),
               idle = isFlat || s.form == Form::Split
                          ? 0.0
                          : 0.1 * (held / static_cast<double>(vectorsOf(plan)) - 1);
  return (std::max(full, waves * latency) + 0.3 * std::min(full, waves * latency) / waves + launches) *
         (1 + crowded + idle);
}

}  // namespace kadvise::rowprogram
