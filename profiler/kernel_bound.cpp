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
constexpr const char* kTensorShare =
    "sm__pipe_tensor_op_hmma_type_hmma_hgmma_qgmma_cycles_active.avg.pct_of_peak_sustained_active";
constexpr const char* kTensorShareOlder = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";
constexpr const char* kTensorInstructions = "sm__inst_executed_pipe_tensor_op_gmma.sum";
constexpr const char* kTensorInstructionsAll = "sm__inst_executed_pipe_tensor.sum";
constexpr const char* kWarps = "sm__warps_active.avg.pct_of_peak_sustained_active";
constexpr const char* kCycles = "sm__cycles_elapsed.max";
constexpr const char* kInstructions = "smsp__inst_executed.sum";
// The second set takes more passes.
constexpr const char* kL2Bytes = "lts__t_bytes.sum";
constexpr const char* kFadd = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum";
constexpr const char* kFmul = "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum";
constexpr const char* kFfma = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";
constexpr const char* kFp16Ops = "sm__ops_path_tensor_src_fp16.sum";
constexpr const char* kBf16Ops = "sm__ops_path_tensor_src_bf16.sum";
constexpr const char* kTf32Ops = "sm__ops_path_tensor_src_tf32.sum";
constexpr const char* kFmaShare = "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active";
constexpr const char* kMemoryStall =
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio";
constexpr const char* kBarrierStall = "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio";
constexpr const char* kIssue = "smsp__issue_active.avg.pct_of_peak_sustained_active";

double valueOf(const CounterValues& values, const char* name) {
  auto at = values.find(name);
  return at == values.end() || !std::isfinite(at->second) ? 0 : at->second;
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
  k.tensorShareOfPeak = kPercent * std::max(valueOf(v, kTensorShare),
                                            v.count(kTensorShare) ? 0 : valueOf(v, kTensorShareOlder));
  k.tensorInstructions =
      v.count(kTensorInstructions) ? valueOf(v, kTensorInstructions) : valueOf(v, kTensorInstructionsAll);
  k.occupancy = kPercent * valueOf(v, kWarps);
  k.tensorFlop = valueOf(v, kFp16Ops) + valueOf(v, kBf16Ops) + valueOf(v, kTf32Ops);
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

const std::vector<std::vector<std::string>>& countedMetrics() {
  static const std::vector<std::vector<std::string>> sets = {
      {kTime, kDramRead, kDramWrite, kDramShare, kTensorShare, kTensorShareOlder, kTensorInstructions,
       kTensorInstructionsAll, kWarps, kCycles, kInstructions},
      {kL2Bytes, kFadd, kFmul, kFfma, kFp16Ops, kBf16Ops, kTf32Ops, kFmaShare, kMemoryStall, kBarrierStall,
       kIssue}};
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
