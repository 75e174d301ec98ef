#include "profiler/operator_bench.h"

#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "analyzer/core/bench.h"
#include "analyzer/core/error.h"
#include "analyzer/core/nearest.h"
#include "profiler/failure.h"
#include "profiler/operator_arguments.h"
#include "profiler/values.h"
#include "profiler/wall_time.h"

namespace kadvise {
namespace {

constexpr double kBlockUs = 5000, kMostBytes = 8.0 * (1u << 30);
constexpr std::int64_t kCopyElementsOnGpu = 64 << 20, kCopyElementsOnCpu = 8 << 20;
const std::vector<std::string> kGpuSweep = {"256x4096", "4096x4096", "16384x4096", "65536x4096"};
const std::vector<std::string> kCpuSweep = {"64x1024", "1024x1024", "4096x1024"};

using Overload = std::shared_ptr<torch::jit::Operator>;

constexpr const char* kOwn = "kadvise::";

std::set<std::string> knownOperators() {
  std::set<std::string> out;
  for (const Overload& o : torch::jit::getAllOperators()) out.insert(o->schema().name());
  return out;
}

std::string ownOperators() {
  std::string out;
  for (auto& name : knownOperators())
    if (name.starts_with(kOwn)) out += (out.empty() ? "" : ", ") + name;
  return out.empty() ? "" : "kadvise's own are " + out;
}

// "did you mean kadvise::rms_norm?"; without a name that is close, kadvise's own.
std::string remedyFor(const std::string& op) {
  auto known = knownOperators();
  for (const char* library : {kOwn, "aten::"})
    if (known.contains(library + op)) return "did you mean " + (library + op) + "?";
  std::vector<std::string> own, names(known.begin(), known.end());
  for (auto& name : names)
    if (name.starts_with(kOwn)) own.push_back(name.substr(std::string(kOwn).size()));
  if (op.find("::") == std::string::npos) {
    auto nearest = nearestOf(op, own);
    return nearest.empty() ? ownOperators() : "did you mean " + (kOwn + nearest) + "?";
  }
  auto nearest = nearestOf(op, names);
  return nearest.empty() ? ownOperators() : "did you mean " + nearest + "?";
}

std::string withRemedy(const std::string& what, const std::string& remedy) {
  return remedy.empty() ? what : what + "; " + remedy;
}

// Those that make their own result; "out" variants want one.
std::vector<Overload> overloadsOf(const std::string& op) {
  if (op.empty())
    throw Error("bench", withRemedy("needs an operator, such as aten::softmax", ownOperators()));
  if (op.find("::") == std::string::npos)
    throw Error(op, withRemedy("is not an operator's name such as aten::softmax", remedyFor(op)));
  std::vector<Overload> out;
  for (const Overload& o : torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(op))) {
    auto& overload = o->schema().overload_name();
    if (overload.find("out") == std::string::npos) out.push_back(o);
  }
  if (out.empty())
    throw Error(
        op, withRemedy("is no operator of LibTorch, the kernel library or a library named by --op-library",
                       remedyFor(op)));
  return out;
}

double bytesOf(const std::vector<c10::IValue>& values) {
  double bytes = 0;
  for (const auto& leaf : leavesOf(values, "value"))
    if (leaf.value.isTensor() && leaf.value.toTensor().defined())
      bytes += double(leaf.value.toTensor().nbytes());
  return bytes;
}

struct Call {
  std::string schema;
  std::vector<c10::IValue> arguments;
  mutable torch::jit::Operation operation;
  std::vector<c10::IValue> operator()() const {
    auto stack = arguments;
    operation(stack);
    return stack;
  }
};

// The first overload whose arguments can be made and that runs.
Call callOf(const std::vector<Overload>& overloads, const ArgumentPlan& plan, const Device& device) {
  std::string why;
  for (const Overload& o : overloads) {
    try {
      Call call{c10::toString(o->schema()), argumentsFor(o->schema(), plan), o->getOperation()};
      call();
      synchronize(device);
      return call;
    } catch (const std::exception& e) {
      if (why.empty()) why = reasonOf(e);
    }
  }
  throw Error("bench", why);
}

WallTime timeOf(const std::function<void()>& once, const Device& device, double budgetSeconds, Pulse& pulse) {
  TimedRun run{once, [&] { synchronize(device); }};
  FirstCalls warm = firstCalls(run, budgetSeconds / 4);
  return wallTimeOf(run, warm.settledUs, kBlockUs, budgetSeconds, pulse);
}

void addCopy(Bench& bench, const Device& device, double budgetSeconds, Pulse& pulse) {
  pulse.step("timing a copy");
  auto from = at::randn({device.isCuda() ? kCopyElementsOnGpu : kCopyElementsOnCpu},
                        at::TensorOptions().device(device.torch));
  auto to = at::empty_like(from);
  WallTime wall = timeOf([&] { to.copy_(from); }, device, budgetSeconds, pulse);
  bench.copyBytes = double(from.nbytes());
  bench.copyBytesPerSecond = 2 * bench.copyBytes / wall.us.mid * 1e6;
}

BenchRow rowOf(const std::vector<Overload>& overloads, const ArgumentPlan& plan, const Bench& bench,
               const Device& device, double budgetSeconds, Pulse& pulse) {
  BenchRow row;
  double elements = std::accumulate(plan.shape.begin(), plan.shape.end(), 1.0,
                                    [](double a, auto b) { return a * double(b); });
  if (elements * double(c10::elementSize(plan.dtype)) > kMostBytes)
    throw Error("bench", "the tensor would take over 8 GiB");
  Call call = callOf(overloads, plan, device);
  row.schema = call.schema;
  row.inputs = argumentWords(call.arguments);
  row.bytes = bytesOf(call.arguments) + bytesOf(call());
  row.us = timeOf([&] { call(); }, device, budgetSeconds, pulse).us;
  row.bytesPerSecond = row.bytes / row.us.mid * 1e6;
  row.shareOfCopy = bench.copyBytesPerSecond > 0 ? row.bytesPerSecond / bench.copyBytesPerSecond : 0;
  return row;
}

}  // namespace

Json bench(Session& session, const Json& arguments, const Replies& replies) {
  Pulse pulse(replies);
  const Device& device = session.device;
  Bench out;
  out.op = arguments.at("op");
  auto overloads = overloadsOf(out.op);
  auto shapes = arguments.at("shapes").get<std::vector<std::string>>();
  if (shapes.empty()) shapes = device.isCuda() ? kGpuSweep : kCpuSweep;
  std::string dtype = arguments.at("dtype");
  c10::InferenceMode inference;
  seedAll(device, session.seed);
  double each = arguments.at("budgetSeconds").get<double>() / double(shapes.size() + 1);
  addCopy(out, device, each, pulse);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    pulse.step("timing " + out.op + " at " + shapes[i] + " (" + std::to_string(i + 1) + " of " +
               std::to_string(shapes.size()) + ")");
    ArgumentPlan plan{shapeFrom(shapes[i]), dtypeFrom(dtype), device.torch};
    try {
      out.rows.push_back(rowOf(overloads, plan, out, device, each, pulse));
    } catch (const std::exception& e) {
      BenchRow refused;
      refused.inputs = dtype + "[" + shapes[i] + "]";
      refused.refused = reasonOf(e);
      out.rows.push_back(std::move(refused));
    }
  }
  out.notes.push_back(
      "the share of a copy says how close a memory-bound operator comes; one that computes more is below it "
      "by right");
  return {{"bench", out}};
}

}  // namespace kadvise
