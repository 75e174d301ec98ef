#include "profiler/kernel_bound.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kadvise {
namespace {

constexpr double kPercent = 0.01;
constexpr double kBoundFrom = 0.6;     // of a unit's peak: more of it is what the kernel waits for
constexpr double kStalledFrom = 0.35;  // of issue slots
constexpr double kFewBlocks =
    0.75;  // for each multiprocessor: with fewer, part of the device has nothing to do

// From the first set, in one pass on an H200.
constexpr const char* kTime = "gpu__time_duration.sum";
constexpr const char* kDramRead = "dram__bytes_read.sum";
constexpr const char* kDramWrite = "dram__bytes_write.sum";
constexpr const char* kDramShare = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kWarps = "sm__warps_active.avg.pct_of_peak_sustained_active";
constexpr const char* kCycles = "sm__cycles_elapsed.max";
constexpr const char* kInstructions = "smsp__inst_executed.sum";
// The second set takes more passes.
constexpr const char* kL2Bytes = "lts__t_bytes.sum";
constexpr const char* kFadd = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum";
constexpr const char* kFmul = "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum";
constexpr const char* kFfma = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";
constexpr const char* kFmaShare = "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active";
constexpr const char* kMemoryStall =
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio";
constexpr const char* kBarrierStall = "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio";
constexpr const char* kIssue = "smsp__issue_active.avg.pct_of_peak_sustained_active";

double valueOf(const CounterValues& values, const char* name) {
  auto at = values.find(name);
  return at == values.end() || !std::isfinite(at->second) ? 0 : at->second;
}

// The names that were counted are those that the chip has.
double valueOf(const CounterValues& values, const MetricChoice& choice) {
  const auto* names = chosen(choice, [&](const std::string& name) { return values.contains(name); });
  double sum = 0;
  if (names)
    for (const char* name : *names) sum += valueOf(values, name);
  return sum;
}

template <class... Arguments>
std::string text(const char* form, Arguments... arguments) {
  char out[240];
  std::snprintf(out, sizeof out, form, arguments...);
  return out;
}

void fillFigures(CountedKernel& k, const CounterValues& v, double us) {
  k.us = us;
  k.dramReadBytes = valueOf(v, kDramRead);
  k.dramWriteBytes = valueOf(v, kDramWrite);
  k.dramShareOfPeak = kPercent * valueOf(v, kDramShare);
  k.tensorShareOfPeak = kPercent * valueOf(v, tensorPipeShare());
  k.tensorInstructions = valueOf(v, tensorInstructions());
  k.occupancy = kPercent * valueOf(v, kWarps);
  k.tensorFlop = 0;
  for (const MetricChoice& operations : tensorOperations()) k.tensorFlop += valueOf(v, operations);
  // A kernel's additions may be fused multiply-adds: the three belong together.
  k.fp32Flop = valueOf(v, kFadd) + valueOf(v, kFmul) + 2 * valueOf(v, kFfma);
  if (us <= 0) return;
  k.dramBytesPerSecond = (k.dramReadBytes + k.dramWriteBytes) / us * 1e6;
  k.flopPerSecond = (k.tensorFlop + k.fp32Flop) / us * 1e6;
}

struct Judgement {
  const char* bound;
  std::string why;
};

Judgement judge(const CountedKernel& k, const CounterValues& v, const KernelSetting& s) {
  double compute = std::max(k.tensorShareOfPeak, kPercent * valueOf(v, kFmaShare));
  const char* pipe = compute > k.tensorShareOfPeak ? "fp32" : "tensor";
  if (s.launchEveryUs > s.us)
    return {"launch",
            text("it runs %.1f us, and the host launches a kernel every %.1f us", s.us, s.launchEveryUs)};
  if (k.dramShareOfPeak >= kBoundFrom && k.dramShareOfPeak >= compute)
    return {"memory", text("DRAM moves %.0f%% of what it can, the %s pipe is active %.0f%%",
                           100 * k.dramShareOfPeak, pipe, 100 * compute)};
  if (compute >= kBoundFrom)
    return {"compute", text("the %s pipe is active %.0f%% of the time, DRAM moves %.0f%% of what it can",
                            pipe, 100 * compute, 100 * k.dramShareOfPeak)};
  if (s.blocks > 0 && s.sms > 0 && s.blocks < kFewBlocks * s.sms)
    return {
        "latency",
        text("%.0f blocks leave %.0f of %.0f multiprocessors idle; DRAM is at %.0f%%, the %s pipe at %.0f%%",
             s.blocks, s.sms - s.blocks, s.sms, 100 * k.dramShareOfPeak, pipe, 100 * compute)};
  if (double stalled = valueOf(v, kMemoryStall);
      stalled > 1 && kPercent * valueOf(v, kIssue) < 1 - kStalledFrom)
    return {"latency", text("%.1f warps wait for memory at each instruction issued; DRAM is at %.0f%%, the "
                            "%s pipe at %.0f%%",
                            stalled, 100 * k.dramShareOfPeak, pipe, 100 * compute)};
  return {"latency", text("neither DRAM (%.0f%% of peak) nor the %s pipe (%.0f%%) is near its limit; %.0f "
                          "%% of the warps are there",
                          100 * k.dramShareOfPeak, pipe, 100 * compute, 100 * k.occupancy)};
}

}  // namespace

std::vector<std::vector<std::string>> countedMetrics(const HasMetric& has) {
  std::vector<std::vector<std::string>> sets = {
      {kTime, kDramRead, kDramWrite, kDramShare, kWarps, kCycles, kInstructions},
      {kL2Bytes, kFadd, kFmul, kFfma, kFmaShare, kMemoryStall, kBarrierStall, kIssue}};
  auto add = [&](std::vector<std::string>& set, const MetricChoice& choice) {
    if (const auto* names = chosen(choice, has)) set.insert(set.end(), names->begin(), names->end());
  };
  add(sets[0], tensorPipeShare());
  add(sets[0], tensorInstructions());
  for (const MetricChoice& operations : tensorOperations()) add(sets[1], operations);
  return sets;
}

void judgeKernel(CountedKernel& kernel, const CounterValues& values, const KernelSetting& setting) {
  for (auto& [name, value] : values)
    if (std::isfinite(value)) kernel.metrics[name] = value;
  fillFigures(kernel, values, setting.us);
  Judgement j = judge(kernel, values, setting);
  kernel.bound = j.bound;
  kernel.why = j.why;
}

}  // namespace kadvise
