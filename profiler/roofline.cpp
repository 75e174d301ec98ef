#include "profiler/roofline.h"

#include <ATen/record_function.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>

#include "profiler/values.h"

namespace kadvise {
namespace {

// The vendor's figures are for a boost clock that a cool GPU exceeds.
constexpr double kTolerance = 0.8;

// The observer is a plain function; one recording at a time on one thread.
thread_local double* t_seconds = nullptr;
thread_local const Gpu* t_gpu = nullptr;

struct Product {
  const char* name;
  std::size_t left, right;  // places of the two matrices among the arguments
};
constexpr Product kProducts[] = {{"aten::mm", 0, 1},
                                 {"aten::bmm", 0, 1},
                                 {"aten::addmm", 1, 2},
                                 {"aten::baddbmm", 1, 2},
                                 {"aten::_addmm_activation", 1, 2}};

// 0 for a dtype whose peak is not known. fp32 may run on tensor cores in pieces, fp64 on those of its own.
double flopPerSecond(c10::ScalarType dtype, const Gpu& gpu) {
  switch (dtype) {
    case at::kHalf:
    case at::kBFloat16:
      return gpu.fp16FlopPerSecond;
    case at::kFloat:
      return std::max(gpu.tf32FlopPerSecond, gpu.fp32FlopPerSecond);
    case at::kDouble:
      return 2 * gpu.fp64FlopPerSecond;
    default:
      return 0;
  }
}

double secondsOf(const at::Tensor& a, const at::Tensor& b, const Gpu& gpu) {
  if (a.dim() < 2 || b.dim() < 2 || a.layout() != c10::kStrided) return 0;
  double rate = flopPerSecond(a.scalar_type(), gpu);
  return rate > 0 ? 2.0 * static_cast<double>(a.numel()) * static_cast<double>(b.size(-1)) / rate : 0;
}

std::unique_ptr<at::ObserverContext> onCall(const at::RecordFunction& function) {
  if (!t_seconds) return nullptr;
  for (auto& p : kProducts) {
    if (std::strcmp(function.name(), p.name) != 0) continue;
    auto inputs = function.inputs();
    if (inputs.size() > p.right && inputs[p.left].isTensor() && inputs[p.right].isTensor())
      *t_seconds += secondsOf(inputs[p.left].toTensor(), inputs[p.right].toTensor(), *t_gpu);
  }
  return nullptr;
}

struct Recording {
  at::CallbackHandle handle;
  explicit Recording(double& seconds, const Gpu& gpu) {
    t_seconds = &seconds;
    t_gpu = &gpu;
    handle = at::addThreadLocalCallback(
        at::RecordFunctionCallback(onCall).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
  }
  ~Recording() {
    at::removeCallback(handle);
    t_seconds = nullptr;
  }
};

std::set<const void*> memoryOf(const c10::IValue& value) {
  std::set<const void*> out;
  for (auto& leaf : leavesOf(value, ""))
    if (leaf.value.isTensor() && leaf.value.toTensor().has_storage())
      out.insert(leaf.value.toTensor().storage().data());
  return out;
}

// Of each piece of memory once, and no more than the values in it: results may be expanded or share it.
double bytesOf(const c10::IValue& results, std::set<const void*> seen) {
  double bytes = 0;
  for (auto& leaf : leavesOf(results, "")) {
    if (!leaf.value.isTensor()) continue;
    const auto& t = leaf.value.toTensor();
    if (!t.has_storage() || !t.is_non_overlapping_and_dense() || !seen.insert(t.storage().data()).second)
      continue;
    bytes += static_cast<double>(t.nbytes());
  }
  return bytes;
}

}  // namespace

LeastWork leastWorkOf(const std::function<c10::IValue()>& run, const std::vector<c10::IValue>& inputs,
                      const Gpu& gpu) {
  LeastWork out;
  c10::IValue results;
  {
    Recording recording(out.tensorSeconds, gpu);
    results = run();
  }
  out.writtenBytes = bytesOf(results, memoryOf(c10::ivalue::Tuple::create(inputs)));
  return out;
}

double leastUs(const LeastWork& work, const Gpu& gpu) {
  // What the last run has left in the L2 cache need not reach memory before the next overwrites it there.
  double writing = std::max(0.0, work.writtenBytes - gpu.l2Bytes) / gpu.dramBytesPerSecond;
  return 1e6 * kTolerance * std::max(work.tensorSeconds, writing);
}

std::string implausible(double us, const LeastWork& work, const Gpu& gpu) {
  double least = leastUs(work, gpu);
  if (us >= least) return "";
  char text[200];
  std::snprintf(text, sizeof text,
                "beyond the roofline: %.3g us, where %s could not do it in less than %.3g us; a fault of the "
                "measurement is likelier",
                us, gpu.name, least);
  return text;
}

}  // namespace kadvise
