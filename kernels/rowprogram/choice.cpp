// Which schedules are worth trying. The model is Little's law: blocks that fit on the GPU at once make a wave, a
// wave takes as long as its bytes need at full rate, but no less than the way of one row through its passes.
#include "kernels/rowprogram/plan.h"

#include <algorithm>
#include <cmath>

namespace kadvise::rowprogram {
namespace {

using Kind = Statement::Kind;

constexpr std::size_t kMostCandidates = 8;
constexpr int kSpare = 24;                 // registers for addresses and partial results
constexpr int kSharedForReductions = 2048; // bytes, beside what rows take
constexpr double kClock = 1.6e9, kLanesOfSm = 128;

struct Traffic {
  double bytes = 0;         // of all rows
  int registers = 0;        // words of a vector that stay with a thread
  int sharedBytes = 0;      // of a vector, where rows lie in shared memory
  double operations = 0;    // of a vector, in instructions
  bool rowVectors = false;  // something that all rows read alike
};

bool isExpensive(Pointwise op) {
  return (op >= Pointwise::Exp && op <= Pointwise::Log1p) || (op >= Pointwise::Sin && op <= Pointwise::Logsigmoid) ||
         (op >= Pointwise::Silu && op <= Pointwise::Softsign) || op == Pointwise::Pow || op == Pointwise::Div;
}

Traffic trafficOf(const Plan& plan) {
  Traffic t;
  const double points = static_cast<double>(plan.problem.rows()) * static_cast<double>(plan.problem.columns());
  const auto moved = [&](const Access& a, Reach r) {
    if (r == Reach::Same) t.bytes += static_cast<double>(plan.problem.rows()) * bytesOf(a.element);
    else t.bytes += sameForAllRows(a) ? static_cast<double>(plan.problem.columns()) * bytesOf(a.element) : points * bytesOf(a.element);
  };
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const Access& a = plan.problem.inputs[i];
    if (plan.program.statements[i].kind == Kind::Table) { t.bytes += points * bytesOf(a.element); continue; }
    moved(a, plan.inputs[i]);
    if (plan.inputs[i] == Reach::Same) continue;
    const int words = std::max(1, plan.vector * bytesOf(a.element) / 4);
    t.registers += words;
    if (sameForAllRows(a)) t.rowVectors = true;
    else if (plan.lastUse[i] > plan.stage[i]) t.sharedBytes += std::max(16, 4 * words);
  }
  for (std::size_t o = 0; o < plan.outputs.size(); ++o) moved(plan.problem.outputs[o], plan.outputs[o]);
  for (std::size_t s = 0; s < plan.program.statements.size(); ++s) {
    const Statement& statement = plan.program.statements[s];
    if (statement.kind == Kind::Pointwise && !plan.perRow[s])
      t.operations += plan.vector * (isExpensive(statement.pointwise) ? (plan.exact[s] ? 20 : 8) : 1.5);
    else if (!plan.perRow[s]) t.operations += plan.vector;
    if (statement.kind == Kind::Input || statement.kind == Kind::Table || !plan.kept(static_cast<int>(s))) continue;
    t.registers += plan.vector * (statement.type == Type::Int ? 2 : 1);
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
    const bool finds = reduce.reduction == Reduction::Argmax || reduce.reduction == Reduction::Argmin;
    bytes += (finds ? 16 : reduce.operandType == Type::Float ? 4 : 8) * (reduce.reduction == Reduction::Var ? 2 : 1) * s.block * plan.vector;
  }
  return bytes;
}

std::int64_t vectorsOf(const Plan& plan) {
  const std::int64_t columns = plan.problem.columns(), v = plan.vector;
  return std::max<std::int64_t>(1, plan.ragged ? (columns + 2 * v - 2) / v : (columns + v - 1) / v);
}

bool inRegisters(const Schedule& s) { return s.form == Form::Flat || s.form == Form::Lanes || s.form == Form::Block; }

int registersOf(const Schedule& s, const Traffic& t) { return s.vectors * t.registers + kSpare; }

std::int64_t sharedOf(const Schedule& s, const Traffic& t) {
  const bool keeps = s.form == Form::Shared || s.form == Form::Cluster;
  return keeps ? static_cast<std::int64_t>(t.sharedBytes) * s.vectors * s.threads + kSharedForReductions : 0;
}

// Seconds.
double estimate(const Schedule& s, const Plan& plan, const Traffic& t, const Gpu& gpu) {
  const double rows = static_cast<double>(plan.problem.rows()), columns = static_cast<double>(plan.problem.columns());
  const int registers = inRegisters(s) ? std::max(32, registersOf(s, t)) : 48;
  double perSm = std::min(2048.0 / s.block, 65536.0 / (registers * s.block));
  if (const auto shared = sharedOf(s, t); shared > 0) perSm = std::min(perSm, static_cast<double>(gpu.sharedBytesPerBlock) / static_cast<double>(shared));
  perSm = std::max(1.0, std::floor(perSm));
  double blocks = 0, passes = 1;
  if (s.form == Form::Flat) {
    blocks = rows * columns / (static_cast<double>(s.block) * s.vectors * plan.vector);
  } else {
    const double rowsOfBlock = s.form == Form::Lanes ? static_cast<double>(s.block) / s.threads : 1.0 / s.parts;
    blocks = rows / rowsOfBlock;
    passes = static_cast<double>(plan.stages);
  }
  const double step = s.form == Form::Lanes || s.form == Form::Flat ? 0.12e-6 : s.form == Form::Cluster ? 1.2e-6 : 0.35e-6;
  const double compute = t.operations * s.vectors / 32 / 4 * (s.block / 32.0) * 32 / kClock;
  const double latency = 0.9e-6 + passes * step + compute * 0.1;
  const double waves = std::ceil(std::max(1.0, blocks) / (perSm * gpu.sms));
  const double bytes = t.bytes * (s.form == Form::Split ? passes / 2 + 0.5 : 1.0);
  const double arithmetic = t.operations * rows * columns / plan.vector / (kLanesOfSm * kClock * gpu.sms);
  const double launches = s.form == Form::Split ? (passes / 2 + 0.5) * 2e-6 : 0;
  const double full = std::max(bytes / gpu.bytesPerSecond, arithmetic) * (s.persistent ? 0.995 : 1.0);
  return std::max(full, waves * latency) + 0.3 * std::min(full, waves * latency) / waves + launches;
}

// ---- the forms' candidates

using Candidates = std::vector<Schedule>;

std::int64_t ceilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

void flatCandidates(Candidates& all) {
  for (const auto [block, vectors] : {std::pair{128, 1}, {128, 2}, {256, 1}, {128, 4}, {256, 4}, {128, 8}})
    all.push_back({.form = Form::Flat, .threads = block, .vectors = vectors, .block = block});
}

void rowCandidates(Candidates& all, const Plan& plan, const Traffic& t) {
  const std::int64_t n = vectorsOf(plan);
  const auto fits = [&](Schedule s) {
    if (s.vectors * plan.vector <= 64 && registersOf(s, t) <= std::min(200, 65536 / s.block - 8)) all.push_back(s);
  };
  for (int threads = 1; threads <= 32; threads *= 2) {
    const std::int64_t k = ceilDiv(n, threads);
    if (k > 16 || (threads > 1 && n * 2 <= threads)) continue;
    for (int block : {128, 256}) fits({.form = Form::Lanes, .threads = threads, .vectors = static_cast<int>(k), .block = block});
  }
  for (int threads : {64, 96, 128, 192, 256, 384, 512, 768, 1024}) {
    const std::int64_t k = ceilDiv(n, threads);
    if (k > 16 || n * 2 <= threads) continue;
    fits({.form = Form::Block, .threads = threads, .vectors = static_cast<int>(k), .block = threads});
  }
  if (!t.rowVectors || plan.ragged) return;
  for (std::size_t i = 0, count = all.size(); i < count; ++i) {
    if (plan.problem.rows() < 4096) break;
    Schedule s = all[i];
    s.persistent = true;
    all.push_back(s);
  }
}

void longRowCandidates(Candidates& all, const Plan& plan, const Traffic& t, const Gpu& gpu) {
  const std::int64_t n = vectorsOf(plan);
  for (int threads : {256, 512, 1024}) {
    Schedule s{.form = Form::Shared, .threads = threads, .vectors = static_cast<int>(std::min<std::int64_t>(ceilDiv(n, threads), 1 << 16)), .block = threads};
    if (n >= 2 * threads && sharedOf(s, t) <= gpu.sharedBytesPerBlock) all.push_back(s);
  }
  for (int parts : {2, 4, 8}) {
    for (int threads : {256, 512, 1024}) {
      if (!gpu.clusters || n < 2ll * threads * parts) continue;
      Schedule s{.form = Form::Cluster, .threads = threads, .vectors = static_cast<int>(std::min<std::int64_t>(ceilDiv(n, static_cast<std::int64_t>(threads) * parts), 1 << 16)),
                 .block = threads, .parts = parts};
      if (sharedOf(s, t) <= gpu.sharedBytesPerBlock && plan.problem.rows() * parts < INT32_MAX) all.push_back(s);
    }
  }
}

bool alongColumns(const Problem& p) {
  if (p.program->reduced.empty() || p.outer.empty() || p.columns() < 2) return false;
  double beside = 0, along = 0;  // bytes that lie beside each other along rows and along columns
  for (const auto* list : {&p.inputs, &p.outputs})
    for (const Access& a : *list) {
      if (a.outer.size() != p.outer.size() || a.inner.size() != p.inner.size() || sameForAllRows(a) || sameAlongRow(a)) continue;
      (a.outer.back() == 1 && p.outer.back() > 1 ? along : a.inner.back() == 1 ? beside : along) += bytesOf(a.element);
    }
  return along > beside && !p.program->takes;
}

void splitCandidates(Candidates& all, const Plan& plan, const Gpu& gpu) {
  const std::int64_t n = vectorsOf(plan), rows = plan.problem.rows();
  if (plan.problem.columns() < 8192 || plan.program.takes || rows > 65535) return;
  for (int vectors : {2, 4}) {
    for (int wave : {2, 8}) {
      const std::int64_t most = ceilDiv(n, 256ll * vectors), wanted = ceilDiv(static_cast<std::int64_t>(wave) * gpu.sms, rows);
      const auto parts = static_cast<int>(std::clamp<std::int64_t>(std::min(most, wanted), 1, 1024));
      if (parts > 1) all.push_back({.form = Form::Split, .threads = 256, .vectors = vectors, .block = 256, .parts = parts});
    }
  }
}

void columnCandidates(Candidates& all, const Plan& plan, const Gpu& gpu) {
  const std::int64_t columns = plan.problem.columns(), rows = plan.problem.rows();
  for (int lanes : {8, 16, 32}) {
    for (int block : {128, 256, 512}) {
      Schedule s{.form = Form::Columns, .threads = block / lanes, .vectors = 4, .block = block};
      if (s.threads > columns * 2) continue;
      const std::int64_t blocks = ceilDiv(rows, static_cast<std::int64_t>(lanes) * plan.vector);
      all.push_back(s);
      if (blocks < gpu.sms && columns >= 64 * s.threads) {
        s.parts = static_cast<int>(std::clamp<std::int64_t>(ceilDiv(2ll * gpu.sms, blocks), 2, std::min<std::int64_t>(ceilDiv(columns, 16ll * s.threads), 256)));
        all.push_back(s);
      }
    }
  }
}

}  // namespace

std::vector<Schedule> schedulesFor(const Problem& problem, const Gpu& gpu, std::string* whyNot) {
  if (std::string reason = whyNotServed(problem); !reason.empty()) {
    if (whyNot) *whyNot = reason;
    return {};
  }
  Candidates all;
  const bool flat = problem.program->reduced.empty();
  const Plan plan(problem, {.form = flat ? Form::Flat : Form::Block});
  const Traffic traffic = trafficOf(plan);
  if (flat) flatCandidates(all);
  else if (alongColumns(problem)) columnCandidates(all, Plan(problem, {.form = Form::Columns}), gpu);
  else {
    rowCandidates(all, plan, traffic);
    if (problem.columns() >= 2048) longRowCandidates(all, plan, traffic, gpu);
    splitCandidates(all, plan, gpu);
  }
  std::vector<std::pair<double, Schedule>> rated;
  for (const Schedule& s : all)
    if (runs(s, problem, gpu)) rated.emplace_back(estimate(s, plan, traffic, gpu), s);
  std::stable_sort(rated.begin(), rated.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (rated.size() > kMostCandidates) rated.resize(kMostCandidates);
  if (rated.empty() && whyNot) *whyNot = "no form holds rows as long as these";
  Candidates best;
  for (const auto& [seconds, schedule] : rated) best.push_back(schedule);
  return best;
}

bool runs(const Schedule& s, const Problem& problem, const Gpu& gpu) {
  if (!whyNotServed(problem).empty()) return false;
  const bool flat = problem.program->reduced.empty();
  if (flat != (s.form == Form::Flat) || s.block < 32 || s.block > 1024 || s.block % 32 || s.vectors < 1) return false;
  const Plan plan(problem, s);
  const Traffic traffic = trafficOf(plan);
  const std::int64_t held = static_cast<std::int64_t>(s.threads) * s.vectors * plan.vector * (s.form == Form::Cluster ? s.parts : 1);
  const std::int64_t needed = vectorsOf(plan) * plan.vector;
  switch (s.form) {
    case Form::Flat: return s.vectors <= 32;
    case Form::Lanes: return s.threads <= 32 && (s.threads & (s.threads - 1)) == 0 && held >= needed;
    case Form::Block: return s.threads == s.block && held >= needed;
    case Form::Shared: return s.threads == s.block && held >= needed && sharedOf(s, traffic) <= gpu.sharedBytesPerBlock;
    case Form::Cluster:
      return gpu.clusters && s.threads == s.block && s.parts > 1 && s.parts <= 8 && held >= needed &&
             sharedOf(s, traffic) <= gpu.sharedBytesPerBlock;
    case Form::Split: return s.threads == s.block && s.parts >= 1 && !problem.program->takes && problem.rows() <= 65535;
    case Form::Columns: return alongColumns(problem) && s.block % s.threads == 0 && joiningBytes(plan, s) <= 46 << 10;
  }
  return false;
}

std::optional<Schedule> genericFor(const Problem& problem, const Gpu& gpu) {
  for (Schedule s : schedulesFor(problem, gpu)) {
    s.generic = true;
    s.persistent = false;
    if (s.form == Form::Flat) return s;
    if (s.form != Form::Lanes && s.form != Form::Block && s.form != Form::Shared) continue;
    const Plan plan(problem, s);
    std::int64_t capacity = 32;
    while (capacity < vectorsOf(plan)) capacity *= 2;
    s.threads = s.form == Form::Lanes ? 32 : s.threads >= 512 ? 512 : 256;
    if (s.form == Form::Lanes && capacity > 256) continue;
    if (s.form != Form::Lanes) s.block = s.threads;
    s.vectors = static_cast<int>(std::max<std::int64_t>(1, capacity / s.threads));
    if (runs(s, problem, gpu)) return s;
  }
  return std::nullopt;
}

}  // namespace kadvise::rowprogram
