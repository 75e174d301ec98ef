#include "profiler/doctor.h"

#include <ATen/Parallel.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <torch/version.h>

#include "analyzer/core/health.h"
#include "profiler/counters.h"
#include "profiler/cupti.h"
#include "profiler/nvml.h"

namespace kadvise {
namespace {

constexpr const char* kGpuRemedy =
    "run on a machine with an NVIDIA GPU; in a container, start it with the GPU (--gpus all)";

std::string cudaVersion(int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); }

HealthLine torchLine() {
  return {"LibTorch", "ok",
          std::string(TORCH_VERSION) + ", " + std::to_string(at::get_num_threads()) +
              (at::get_num_threads() == 1 ? " thread" : " threads"),
          ""};
}

// Without one the line of the driver has the remedy, for all that a GPU is missing for.
bool isDriverThere() {
  int driver = 0;
  return cudaDriverGetVersion(&driver) == cudaSuccess && driver != 0;
}

HealthLine driverLine() {
  int driver = 0, runtime = 0;
  cudaRuntimeGetVersion(&runtime);
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
    return {
        "driver", "lost",
        "no NVIDIA driver is loaded: nothing runs or is timed on a GPU; all is checked and timed on the CPU",
        kGpuRemedy};
  std::string what =
      "for CUDA " + cudaVersion(driver) + ", this kadvise is built for " + cudaVersion(runtime);
  if (driver / 1000 < runtime / 1000)
    return {"driver", "problem", what + ": the driver is too old",
            "install a driver for CUDA " + cudaVersion(runtime) + " or later"};
  return {"driver", "ok", what, ""};
}

HealthLine gpuLine(const Device& device) {
  if (device.isCuda()) return {"GPU", "ok", device.label() + ", sm_" + std::to_string(device.arch), ""};
  if (!device.note.empty())
    return {"GPU", "problem", device.note, "install torch with CUDA, or use --device cpu"};
  int count = 0;
  cudaError_t found = cudaGetDeviceCount(&count);
  return {"GPU", "lost",
          std::string("none answers (") + cudaGetErrorString(found) +
              "): figures are of the CPU and say nothing about a GPU",
          isDriverThere() ? kGpuRemedy : ""};
}

// What a refusal costs, in the words of the command that would have used it.
HealthLine recordsLine(const Device& device, const char* name, const char* lost, CuptiRefusal (*ask)()) {
  if (!device.isCuda()) return {name, "lost", std::string(lost) + "; " + noDeviceRefusal().reason, ""};
  CuptiRefusal why = ask();
  if (!why) return {name, "ok", "available", ""};
  return {name, "problem", std::string(lost) + "; " + why.reason, why.remedy};
}

// The session has asked for its GPU's clock already; without a GPU the library says itself what it lacks.
HealthLine clocksLine(const Session& session) {
  constexpr const char* kName = "clocks (NVML)";
  constexpr const char* kLost = "clocks, power and throttling are not watched while something is timed";
  auto nvml = session.nvml ? session.nvml : std::make_shared<const Nvml>("");
  if (!nvml->refused().empty())
    return {kName, session.device.isCuda() ? "problem" : "lost", std::string(kLost) + ": " + nvml->refused(),
            session.device.isCuda()
                ? "check that nvidia-smi works here; a container needs the driver's libraries"
                : ""};
  auto megahertz = static_cast<int>(nvml->clock().mhz);
  return {kName, "ok", "multiprocessors at " + std::to_string(megahertz) + " MHz now", ""};
}

HealthLine kernelsLine(const Device& device) {
  constexpr const char* kName = "kernels on the GPU";
  auto* problemOf =
      reinterpret_cast<const char* (*)()>(::dlsym(RTLD_DEFAULT, "kadvise_kernels_cuda_problem"));
  if (!device.isCuda())
    return {kName, "lost", "there is no GPU to run them; their CPU versions are used to check", ""};
  if (!problemOf)
    return {kName, "lost", "the kernel library is not loaded", "./dev build, or install kadvise whole"};
  const char* problem = problemOf();
  if (problem) return {kName, "problem", problem, "./dev build on a machine with nvcc"};
  return {kName, "ok", "available", ""};
}

}  // namespace

Json doctor(Session& session, const Json&, const Replies& replies) {
  const Device& device = session.device;
  replies.progress("looking at the machine");
  std::vector<HealthLine> lines = {torchLine(), driverLine(), gpuLine(device), kernelsLine(device)};
  lines.push_back(
      recordsLine(device, "kernel records (CUPTI)",
                  "profile has no kernel times, gaps and launch-bound share, and advise no kernel counts",
                  kernelRecordsRefusal));
  lines.push_back(recordsLine(device, "hardware counters (CUPTI)",
                              "profile --counters cannot say what bounds a kernel", countersRefusal));
  if (device.isCuda() && !countersRefusal())
    lines.push_back({"tensor counters", "ok", choicesInWords(metricsOfChip()), ""});
  lines.push_back(clocksLine(session));
  return {{"health", lines}};
}

}  // namespace kadvise
