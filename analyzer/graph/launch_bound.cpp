#include "analyzer/graph/launch_bound.h"

#include <cstdio>

#include "analyzer/graph/cost.h"
#include "analyzer/graph/region_estimate.h"

namespace kadvise::graph {
namespace {

// What the host spends on one operator of a TorchScript module, from the interpreter to the driver: 8 to 14
// microseconds were measured over whole modules. The least of what is plausible, so that the page is silent
// where it could be wrong.
constexpr double kHostSecondsPerLaunch = 6e-6;
constexpr double kLeastKernelSeconds = 2e-6;  // on the GPU, from start to start, however small it is
constexpr double kFewestKernels = 16;         // fewer are over before anybody has waited
constexpr double kLeastRatio = 2;             // of the host's time to the GPU's

// The estimates of nodes count a launch for each kernel, which is what the host is slow at.
double secondsOnGpu(const GraphCost& cost, const Gpu& gpu) {
  return cost.seconds + cost.total.kernels * (kLeastKernelSeconds - gpu.launchSeconds);
}

std::string microseconds(double seconds) {
  char text[32];
  if (seconds >= 1e-3) std::snprintf(text, sizeof text, "%.3g ms", seconds * 1e3);
  else std::snprintf(text, sizeof text, "%.3g µs", seconds * 1e6);
  return text;
}

std::string remedy(std::size_t captureCuts) {
  if (captureCuts == 0) return "a CUDA graph launches all at once";
  std::string places = captureCuts == 1
                           ? "the place that ends a capture is"
                           : "the " + std::to_string(captureCuts) + " places that end a capture are";
  return "a CUDA graph launches all at once, once " + places + " gone (Readiness)";
}

}  // namespace

CodedResult findLaunchBound(const RulePage& page, const Analysis& analysis) {
  const Gpu& gpu = *analysis.target.gpu;
  auto cost = costOf(analysis.graph, analysis.traced, gpu);
  double host = cost.total.kernels * kHostSecondsPerLaunch, busy = secondsOnGpu(cost, gpu);
  CodedResult out;
  if (cost.nodes.empty()) {
    out.whyNothing = "the sizes of tensors are not known, because the module was not run";
  } else if (cost.total.kernels < kFewestKernels) {
    out.whyNothing =
        "a call launches " + std::to_string(static_cast<int>(cost.total.kernels)) + " kernels only";
  } else if (host < kLeastRatio * busy) {
    out.whyNothing = "the kernels of a call take about " + microseconds(busy) + ", launching them about " +
                     microseconds(host);
  } else {
    CodedFinding f;
    f.node = const_cast<torch::jit::Node*>(cost.nodes.front().node);
    f.message = "the " + std::to_string(static_cast<int>(cost.total.kernels)) +
                " kernels of a call take about " + microseconds(busy) +
                " with these sizes, and the host about " + microseconds(host) +
                " to launch them: " + remedy(analysis.captureCuts);
    f.breaks = page.nodes.breaks;
    f.estimate = Estimate{0, 0, host / busy, basisFor(gpu), (host - busy) * 1e6};
    out.findings.push_back(std::move(f));
  }
  return out;
}

}  // namespace kadvise::graph
