#include "profiler/counters.h"

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <cstdint>
#include <deque>

#include "profiler/driver_api.h"

namespace kadvise {
namespace {

constexpr const char* kWhat = "hardware counters";
constexpr int kMostPasses = 40;

// CUPTI knows the version of a structure by its size.
#define KADVISE_PARAMETERS(type, name) \
  type name{};                         \
  name.structSize = type##_STRUCT_SIZE

struct Refused {
  CuptiRefusal why;
};

void check(CUptiResult result) {
  if (result == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  if (cuptiGetErrorMessage(result, &text) != CUPTI_SUCCESS || !text) text = "no text";
  throw Refused{cuptiRefusal(kWhat, int(result), text)};
}

[[noreturn]] void refuse(const std::string& reason, const std::string& remedy) {
  throw Refused{{reason, remedy}};
}

using Image = std::vector<std::uint8_t>;

// The profiler reads its images after it was disabled: they live as long as the process, which counts and
// ends.
Image& keptImage() {
  static std::deque<Image> images;
  return images.emplace_back();
}

struct Chip {
  CUcontext context = nullptr;
  std::string name;
  Image availability;
};

void checkSupport() {
  KADVISE_PARAMETERS(CUpti_Profiler_DeviceSupported_Params, p);
  p.api = CUPTI_PROFILER_RANGE_PROFILING;
  check(cuptiProfilerDeviceSupported(&p));
  if (p.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return;
  if (p.confidentialCompute != CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
    check(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED);
  if (p.vGpu != CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
    check(CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
  if (p.wsl != CUPTI_PROFILER_CONFIGURATION_SUPPORTED) check(CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED);
  check(CUPTI_ERROR_NOT_SUPPORTED);
}

Chip chipInUse() {
  Chip chip;
  chip.context = currentContext();
  if (!chip.context)
    refuse("no CUDA context is current", "run on a machine with an NVIDIA GPU and its driver");
  KADVISE_PARAMETERS(CUpti_Profiler_Initialize_Params, initialize);
  check(cuptiProfilerInitialize(&initialize));
  checkSupport();
  std::uint32_t device = 0;
  check(cuptiGetDeviceId(chip.context, &device));
  KADVISE_PARAMETERS(CUpti_Device_GetChipName_Params, name);
  name.deviceIndex = device;
  check(cuptiDeviceGetChipName(&name));
  chip.name = name.pChipName;
  KADVISE_PARAMETERS(CUpti_Profiler_GetCounterAvailability_Params, available);
  available.ctx = chip.context;
  check(cuptiProfilerGetCounterAvailability(&available));
  chip.availability.resize(available.counterAvailabilityImageSize);
  available.pCounterAvailabilityImage = chip.availability.data();
  check(cuptiProfilerGetCounterAvailability(&available));
  return chip;
}

// Metrics by name, on the host's side: the plan of a measurement, and later the values.
class Host {
 public:
  explicit Host(const Chip& chip) {
    KADVISE_PARAMETERS(CUpti_Profiler_Host_Initialize_Params, p);
    p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    p.pChipName = chip.name.c_str();
    p.pCounterAvailabilityImage = chip.availability.data();
    check(cuptiProfilerHostInitialize(&p));
    host_ = p.pHostObject;
  }
  ~Host() {
    KADVISE_PARAMETERS(CUpti_Profiler_Host_Deinitialize_Params, p);
    p.pHostObject = host_;
    cuptiProfilerHostDeinitialize(&p);
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  CUptiResult add(std::vector<const char*>& names) {
    KADVISE_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics_Params, p);
    p.pHostObject = host_;
    p.ppMetricNames = names.data();
    p.numMetrics = names.size();
    return cuptiProfilerHostConfigAddMetrics(&p);
  }

  Image& configuration(int& passes) {
    Image& image = keptImage();
    KADVISE_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
    size.pHostObject = host_;
    check(cuptiProfilerHostGetConfigImageSize(&size));
    image.resize(size.configImageSize);
    KADVISE_PARAMETERS(CUpti_Profiler_Host_GetConfigImage_Params, get);
    get.pHostObject = host_;
    get.configImageSize = image.size();
    get.pConfigImage = image.data();
    check(cuptiProfilerHostGetConfigImage(&get));
    KADVISE_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses_Params, count);
    count.configImageSize = image.size();
    count.pConfigImage = image.data();
    check(cuptiProfilerHostGetNumOfPasses(&count));
    passes = static_cast<int>(count.numOfPasses);
    return image;
  }

  std::vector<double> values(const Image& data, std::size_t range, std::vector<const char*>& names) {
    std::vector<double> out(names.size());
    KADVISE_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, p);
    p.pHostObject = host_;
    p.pCounterDataImage = data.data();
    p.counterDataImageSize = data.size();
    p.rangeIndex = range;
    p.ppMetricNames = names.data();
    p.numMetrics = names.size();
    p.pMetricValues = out.data();
    check(cuptiProfilerHostEvaluateToGpuValues(&p));
    return out;
  }

 private:
  CUpti_Profiler_Host_Object* host_ = nullptr;
};

// Enabled for its own life; one configuration for each.
class Target {
 public:
  explicit Target(CUcontext context) {
    KADVISE_PARAMETERS(CUpti_RangeProfiler_Enable_Params, p);
    p.ctx = context;
    check(cuptiRangeProfilerEnable(&p));
    target_ = p.pRangeProfilerObject;
  }
  ~Target() {
    KADVISE_PARAMETERS(CUpti_RangeProfiler_Disable_Params, p);
    p.pRangeProfilerObject = target_;
    cuptiRangeProfilerDisable(&p);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  // A range for each kernel; run is repeated by us, so that a pass costs a run and no saving of memory.
  void configure(Image& plan, Image& data, std::vector<const char*>& names, std::size_t kernels) {
    KADVISE_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = target_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = kernels;
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(kernels);
    check(cuptiRangeProfilerGetCounterDataSize(&size));
    data.resize(size.counterDataSize);
    KADVISE_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, initialize);
    initialize.pRangeProfilerObject = target_;
    initialize.counterDataSize = data.size();
    initialize.pCounterData = data.data();
    check(cuptiRangeProfilerCounterDataImageInitialize(&initialize));
    KADVISE_PARAMETERS(CUpti_RangeProfiler_SetConfig_Params, set);
    set.pRangeProfilerObject = target_;
    set.configSize = plan.size();
    set.pConfig = plan.data();
    set.counterDataImageSize = data.size();
    set.pCounterDataImage = data.data();
    set.range = CUPTI_AutoRange;
    set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = kernels;
    set.numNestingLevels = 1;
    set.minNestingLevel = 1;
    set.passIndex = 0;
    set.targetNestingLevel = 1;
    check(cuptiRangeProfilerSetConfig(&set));
  }

  void collect(const std::function<void()>& run) {
    for (int pass = 0; pass < kMostPasses; ++pass) {
      KADVISE_PARAMETERS(CUpti_RangeProfiler_Start_Params, start);
      start.pRangeProfilerObject = target_;
      check(cuptiRangeProfilerStart(&start));
      run();
      KADVISE_PARAMETERS(CUpti_RangeProfiler_Stop_Params, stop);
      stop.pRangeProfilerObject = target_;
      check(cuptiRangeProfilerStop(&stop));
      if (stop.isAllPassSubmitted) return;
    }
    refuse("the counters wanted more passes than they had announced", "count fewer metrics");
  }

  // How many ranges the data holds.
  std::size_t decode(const Image& data) {
    KADVISE_PARAMETERS(CUpti_RangeProfiler_DecodeData_Params, decode);
    decode.pRangeProfilerObject = target_;
    check(cuptiRangeProfilerDecodeData(&decode));
    if (decode.numOfRangeDropped) refuse("the counters dropped kernels", "profile a smaller batch");
    KADVISE_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = data.data();
    info.counterDataImageSize = data.size();
    check(cuptiRangeProfilerGetCounterDataInfo(&info));
    return info.numTotalRanges;
  }

 private:
  CUpti_RangeProfiler_Object* target_ = nullptr;
};

// The metrics that the chip has; the others are named.
std::vector<const char*> supported(const Chip& chip, const std::vector<std::string>& metrics,
                                   CountedRun& out) {
  std::vector<const char*> names;
  for (const std::string& metric : metrics) {
    std::vector<const char*> one = {metric.c_str()};
    if (Host(chip).add(one) == CUPTI_SUCCESS) names.push_back(metric.c_str());
    else out.unsupported.push_back(metric);
  }
  if (names.empty())
    refuse("this chip has none of the counters", "use a GPU of compute capability 7.5 or later");
  return names;
}

void count(const std::function<void()>& run, std::size_t kernels, const std::vector<std::string>& metrics,
           CountedRun& out) {
  Chip chip = chipInUse();
  auto names = supported(chip, metrics, out);
  Host host(chip);
  check(host.add(names));
  Image& plan = host.configuration(out.passes);
  Image& data = keptImage();
  Target target(chip.context);
  target.configure(plan, data, names, kernels);
  target.collect(run);
  if (auto ranges = target.decode(data); ranges != kernels)
    refuse("the counters saw " + std::to_string(ranges) + " kernels where the records have " +
               std::to_string(kernels),
           "the module launches other kernels from call to call; count a part of it");
  for (std::size_t i = 0; i < kernels; ++i) {
    auto values = host.values(data, i, names);
    CounterValues& of = out.kernels.emplace_back();
    for (std::size_t k = 0; k < names.size(); ++k) of[names[k]] = values[k];
  }
}

}  // namespace

CountedRun countKernels(const std::function<void()>& run, std::size_t kernels,
                        const std::vector<std::string>& metrics) {
  CountedRun out;
  try {
    count(run, kernels, metrics, out);
  } catch (const Refused& r) {
    out.kernels.clear();
    out.refused = r.why;
  }
  return out;
}

CuptiRefusal countersRefusal() {
  try {
    Chip chip = chipInUse();
    Target probe(chip.context);
    return {};
  } catch (const Refused& r) {
    return r.why;
  }
}

}  // namespace kadvise
