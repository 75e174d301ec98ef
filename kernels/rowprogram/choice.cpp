// Which schedules are worth trying: those of each form that can run, the likely best first.
#include "kernels/common/ceil_div.h"
#include "kernels/rowprogram/cost.h"
#include "kernels/rowprogram/turned.h"

#include <algorithm>
#include <map>

namespace kadvise::rowprogram {
namespace {

// ---- the forms' candidates

using Candidates = std::vector<Schedule>;

void flatCandidates(Candidates& all) {
  for (const auto [block, vectors] : {std::pair{128, 1}, {128, 2}, {256, 1}, {512, 1}, {128, 4}, {256, 4}})
    all.push_back({.form = Form::Flat, .threads = block, .vectors = vectors, .block = block});
}

// Vectors of 8 or 16 bytes; of one element where rows do not end with a vector.
void tileCandidates(Candidates& all, const Plan& plan) {
  const int width = plan.problem.columns() % 4 == 0 ? 4 : 1;
  for (const int deep : {32, 64})
    all.push_back(
        {.form = Form::Tiles, .threads = 256, .vectors = deep / 4 / width, .width = width, .block = 256});
}

void rowCandidates(Candidates& all, const Plan& plan, const Traffic& t, const Gpu& gpu) {
  const std::int64_t n = vectorsOf(plan);
  const auto fits = [&](Schedule s) {
    if (s.vectors * plan.vector <= 64 && fitsRegisters(plan, s)) all.push_back(s);
  };
  for (int threads = 1; threads <= 32; threads *= 2) {
    const std::int64_t k = ceilDiv(n, threads);
    if (k > 16 || (threads > 1 && n * 2 <= threads)) continue;
    const bool few = plan.problem.rows() * threads <= 256ll * gpu.sms;  // one warp a block then starts sooner
    fits({.form = Form::Lanes, .threads = threads, .vectors = static_cast<int>(k), .block = few ? 32 : 128});
  }
  for (int threads : {64, 96, 128, 160, 192, 256, 320, 384, 512, 768, 1024}) {
    const std::int64_t k = ceilDiv(n, threads);
    if (k > 16 || n * 2 <= threads) continue;
    Schedule s{.form = Form::Block, .threads = threads, .vectors = static_cast<int>(k), .block = threads};
    fits(s);
    // As many as have room for what a thread holds.
    for (const int atOnce : {gpu.threadsPerSm, gpu.threadsPerSm * 3 / 4, gpu.threadsPerSm / 2}) {
      s.blocks = atOnce / threads;
      const bool many = plan.problem.rows() > static_cast<std::int64_t>(gpu.sms) * s.blocks;
      if (plan.ragged || !many || s.blocks * threads != atOnce || s.blocks > 32 || !fitsRegisters(plan, s))
        continue;
      fits(s);
      break;
    }
  }
  // One element at a time needs no more than one access where rows begin within vectors.
  for (int threads : {32, 64, 128, 256, 512}) {
    const std::int64_t k = ceilDiv(plan.problem.columns(), threads);
    const bool alone = threads == 32;
    if (!plan.ragged || k > (alone ? 32 : 16) || k < 2) continue;
    Schedule s{.form = alone ? Form::Lanes : Form::Block,
               .threads = threads,
               .vectors = static_cast<int>(k),
               .width = 1,
               .block = threads};
    if (fitsRegisters(Plan(plan.problem, s), s)) all.push_back(s);
  }
  if (!t.rowVectors || plan.ragged) return;
  for (std::size_t i = 0, count = all.size(); i < count; ++i) {
    if (plan.problem.rows() < 4096 || plan.problem.columns() > 8192) break;
    Schedule s = all[i];
    if (s.blocks > 0) continue;
    s.persistent = true;
    all.push_back(s);
  }
}

void longRowCandidates(Candidates& all, const Plan& plan, const Traffic& t, const Gpu& gpu) {
  const std::int64_t n = vectorsOf(plan);
  for (int threads : {128, 256, 512, 1024}) {
    Schedule s{.form = Form::Shared,
               .threads = threads,
               .vectors = static_cast<int>(std::min<std::int64_t>(ceilDiv(n, threads), 1 << 16)),
               .block = threads};
    if (n >= 2 * threads && sharedOf(s, plan, t) <= gpu.sharedBytesPerBlock) all.push_back(s);
  }
  const auto addCluster = [&](int parts, int threads, bool persistent) {
    const std::int64_t ofCluster = static_cast<std::int64_t>(threads) * parts;
    if (!gpu.clusters || n < 2 * ofCluster) return;
    const Schedule s{.form = Form::Cluster,
                     .threads = threads,
                     .vectors = static_cast<int>(std::min<std::int64_t>(ceilDiv(n, ofCluster), 1 << 16)),
                     .block = threads,
                     .parts = parts,
                     .persistent = persistent};
    if (sharedOf(s, plan, t) <= gpu.sharedBytesPerBlock && plan.problem.rows() * parts < INT32_MAX)
      all.push_back(s);
  };
  for (int parts : {2, 4, 8})
    for (int threads : {256, 512, 1024}) addCluster(parts, threads, false);
  // Small blocks of large clusters that go on to the next row at once: the only ones of which that was
  // faster.
  if (t.rowVectors && !plan.ragged && plan.problem.rows() * 8 >= 2ll * gpu.sms) addCluster(8, 256, true);
}

bool alongColumns(const Problem& p) {
  if (p.program->reduced.empty() || p.outer.empty() || p.columns() < 2) return false;
  double beside = 0, along = 0;  // bytes that lie beside each other along rows and along columns
  for (const auto* list : {&p.inputs, &p.outputs})
    for (const Access& a : *list) {
      if (a.outer.size() != p.outer.size() || a.inner.size() != p.inner.size() || sameForAllRows(a) ||
          sameAlongRow(a))
        continue;
      (a.outer.back() == 1 && p.outer.back() > 1 ? along
       : a.inner.back() == 1                     ? beside
                                                 : along) += bytesOf(a.element);
    }
  return along > beside && !p.program->takes && !p.program->picks;
}

void splitCandidates(Candidates& all, const Plan& plan, const Gpu& gpu) {
  const std::int64_t n = vectorsOf(plan), rows = plan.problem.rows();
  if (plan.problem.columns() < 8192 || plan.program.takes || rows > 65535) return;
  for (int vectors : {2, 4}) {
    for (int wave : {2, 8}) {
      const std::int64_t most = ceilDiv(n, 256ll * vectors),
                         wanted = ceilDiv(static_cast<std::int64_t>(wave) * gpu.sms, rows);
      const auto parts = static_cast<int>(std::clamp<std::int64_t>(std::min(most, wanted), 1, 1024));
      if (parts > 1)
        all.push_back(
            {.form = Form::Split, .threads = 256, .vectors = vectors, .block = 256, .parts = parts});
    }
  }
}

// Threads of an SM, and vectors for each of them, that ask memory for enough at once; beyond that, few parts,
// because they are joined. Where arithmetic takes longer than memory, many more let none of them idle.
struct ColumnLoad {
  int threads, vectors;
  bool even;  // no more parts than there is room for at once, of as many tiles each
};
constexpr ColumnLoad kColumnLoads[] = {
    {512, 4, false}, {1536, 4, false}, {8192, 4, false}, {1024, 4, true}, {512, 8, true}};

int partsOfColumns(const ColumnLoad& load, const Schedule& s, std::int64_t columns, std::int64_t blocks,
                   const Gpu& gpu) {
  const std::int64_t threads = static_cast<std::int64_t>(gpu.sms) * load.threads, ofPart = s.block * blocks;
  if (columns < 64 * s.threads) return 1;
  if (!load.even) {
    const std::int64_t most = std::min<std::int64_t>(ceilDiv(columns, 16ll * s.threads), 256);
    return static_cast<int>(std::min(ceilDiv(threads, ofPart), most));
  }
  const std::int64_t tiles = ceilDiv(columns, static_cast<std::int64_t>(s.threads) * s.vectors),
                     wanted = std::min<std::int64_t>(threads / ofPart, 256);
  return wanted < 2 ? 1 : static_cast<int>(ceilDiv(tiles, ceilDiv(tiles, wanted)));
}

void columnCandidates(Candidates& all, const Plan& plan, const Gpu& gpu) {
  const std::int64_t columns = plan.problem.columns();
  for (int lanes : {8, 16, 32}) {
    for (int block : {128, 256, 512}) {
      const std::int64_t blocks =
          ceilDiv(plan.problem.rows(), static_cast<std::int64_t>(lanes) * plan.vector);
      Schedule s{.form = Form::Columns, .threads = block / lanes, .block = block};
      if (s.threads > columns * 2) continue;
      for (s.vectors = 4; s.vectors <= 8; s.vectors += 4) {
        if (s.vectors > 4 && columns <= static_cast<std::int64_t>(s.threads) * s.vectors) continue;
        s.parts = 1;
        all.push_back(s);
        for (const ColumnLoad& load : kColumnLoads) {
          if (load.vectors != s.vectors) continue;
          const int parts = partsOfColumns(load, s, columns, blocks, gpu);
          if (parts == 1 || parts == s.parts) continue;
          s.parts = parts;
          all.push_back(s);
        }
      }
    }
  }
}

// The best of each form before the many of one, and then those in their order.
Candidates assorted(const std::vector<std::pair<double, Schedule>>& rated) {
  Candidates best;
  std::map<std::pair<Form, int>, int> taken;
  for (const auto& [seconds, schedule] : rated) {
    const bool isDeep = schedule.form == Form::Columns && schedule.vectors > 4;
    const int kind = schedule.persistent   ? 1
                     : schedule.blocks > 0 ? 2
                     : schedule.width > 0  ? 3
                     : isDeep              ? 4
                                           : 0;
    const int most = schedule.persistent ? 1 : rated.front().second.form == schedule.form ? 3 : 2;
    if (best.size() < kMostCandidates && taken[{schedule.form, kind}]++ < most) best.push_back(schedule);
  }
  for (const auto& [seconds, schedule] : rated) {
    const auto same = [&](const Schedule& s) { return toText(s) == toText(schedule); };
    if (best.size() < kMostCandidates && std::none_of(best.begin(), best.end(), same))
      best.push_back(schedule);
  }
  return best;
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
  if (flat) {
    flatCandidates(all);
    if (turnedDimOf(problem) >= 0) tileCandidates(all, plan);
  } else if (alongColumns(problem)) columnCandidates(all, Plan(problem, {.form = Form::Columns}), gpu);
  else {
    rowCandidates(all, plan, traffic, gpu);
    if (problem.columns() >= 2048) longRowCandidates(all, plan, traffic, gpu);
    splitCandidates(all, plan, gpu);
  }
  std::vector<std::pair<double, Schedule>> rated;
  for (const Schedule& s : all) {
    if (!runs(s, problem, gpu)) continue;
    const Plan own(problem, s);
    rated.emplace_back(s.width > 0 || s.form == Form::Columns ? estimate(s, own, trafficOf(own), gpu)
                                                              : estimate(s, plan, traffic, gpu),
                       s);
  }
  std::stable_sort(rated.begin(), rated.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (rated.empty() && whyNot) *whyNot = "no form holds rows as long as these";
  return assorted(rated);
}

bool runs(const Schedule& s, const Problem& problem, const Gpu& gpu) {
  if (!whyNotServed(problem).empty()) return false;
  const bool flat = problem.program->reduced.empty();
  if (flat != (s.form == Form::Flat || s.form == Form::Tiles) || s.block < 32 || s.block > 1024 ||
      s.block % 32 || s.vectors < 1)
    return false;
  const Plan plan(problem, s);
  const Traffic traffic = trafficOf(plan);
  const bool registersOnly = s.form == Form::Lanes || s.form == Form::Block;
  if (s.form != Form::Tiles && s.width != 0 && (s.width != 1 || !registersOnly || s.generic)) return false;
  if (s.blocks > 0 &&
      (s.form != Form::Block || s.blocks * s.block > gpu.threadsPerSm || !fitsRegisters(plan, s)))
    return false;
  const std::int64_t held = static_cast<std::int64_t>(s.threads) * s.vectors * plan.vector *
                            (s.form == Form::Cluster ? s.parts : 1);
  const std::int64_t needed = vectorsOf(plan) * plan.vector;
  switch (s.form) {
    case Form::Flat:
      return s.vectors <= 32;
    case Form::Lanes:
      return s.threads <= 32 && (s.threads & (s.threads - 1)) == 0 && held >= needed;
    case Form::Block:
      return s.threads == s.block && held >= needed;
    case Form::Shared:
      return s.threads == s.block && held >= needed && sharedOf(s, plan, traffic) <= gpu.sharedBytesPerBlock;
    case Form::Cluster:
      return gpu.clusters && s.threads == s.block && s.parts > 1 && s.parts <= 8 && held >= needed &&
             sharedOf(s, plan, traffic) <= gpu.sharedBytesPerBlock;
    case Form::Split:
      return s.threads == s.block && s.parts >= 1 && !problem.program->takes && problem.rows() <= 65535;
    case Form::Tiles:
      return runsInTiles(plan);
    case Form::Columns:
      return alongColumns(problem) && s.block % s.threads == 0 && joiningBytes(plan, s) <= 46 << 10;
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
