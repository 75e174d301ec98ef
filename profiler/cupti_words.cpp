#include "profiler/cupti_words.h"

#include <algorithm>
#include <iterator>

namespace kadvise {
namespace {

struct Known {
  int result;
  const char* reason;
  const char* remedy;
};

constexpr const char* kOtherProfiler =
    "end the other profiler (Nsight, torch.profiler, DCGM profiling, CUDA_INJECTION64_PATH in the "
    "environment) and run again";

// Numbers of cupti_result.h, CUDA 13.
constexpr Known kKnown[] = {
    {14, "the driver and this CUPTI do not fit together",
     "use a driver for CUDA 13.0 or later, or the CUPTI of the CUDA that the driver is for"},
    {15, "the driver is not initialised: no GPU answers",
     "check that nvidia-smi lists the GPU in this container"},
    {26, "another process is using the counters of this GPU", kOtherProfiler},
    {27, "this GPU or driver does not offer it",
     "run on a GPU of compute capability 7.5 or later with its full driver"},
    {33, "this virtual GPU does not offer it",
     "ask for profiling to be enabled for the virtual machine, or use a whole GPU"},
    {35, "this user may not read the GPU's performance counters",
     "run as root, give the container CAP_SYS_ADMIN, or load the driver with "
     "NVreg_RestrictProfilingToAdminUsers=0"},
    {36, "an older profiling interface is in use in this process",
     "load no other profiler into kadvise-measure"},
    {39, "another profiler is attached to this process, and CUPTI serves one", kOtherProfiler},
    {40, "profiling is not enabled for this virtual GPU",
     "ask for profiling to be enabled for the virtual machine"},
    {41, "the GPU runs in confidential-computing mode",
     "switch confidential computing off, or use another GPU"},
    {42, "this GPU is a mining model without profiling", "use another GPU"},
    {43, "the GPU is split (MIG), and this part may not be profiled",
     "use a whole GPU, or a MIG part with profiling"},
    {44, "the GPUs are coupled (SLI)", "switch SLI off"},
    {45, "Windows' Linux subsystem does not offer it here", "run on Linux itself"},
};

}  // namespace

CuptiRefusal cuptiRefusal(const std::string& what, int result, const std::string& text) {
  std::string number = " (CUPTI " + std::to_string(result) + ", " + text + ")";
  auto known =
      std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& k) { return k.result == result; });
  if (known == std::end(kKnown))
    return {"CUPTI refuses " + what + number,
            "another profiler may be attached: " + std::string(kOtherProfiler)};
  return {"CUPTI refuses " + what + ": " + known->reason + number, known->remedy};
}

CuptiRefusal noDeviceRefusal() {
  return {"no CUDA device answers on this machine", "run on a machine with an NVIDIA GPU and its driver"};
}

}  // namespace kadvise
