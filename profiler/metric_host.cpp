#include "profiler/metric_host.h"

#include <deque>

#include "profiler/driver_api.h"

namespace kadvise::cupti {
namespace {

constexpr const char* kWhat = "hardware counters";

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

}  // namespace

void check(CUptiResult result) {
  if (result == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  if (cuptiGetErrorMessage(result, &text) != CUPTI_SUCCESS || !text) text = "no text";
  throw Refused{cuptiRefusal(kWhat, int(result), text)};
}

void refuse(const std::string& reason, const std::string& remedy) { throw Refused{{reason, remedy}}; }

Image& keptImage() {
  static std::deque<Image> images;
  return images.emplace_back();
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

Host::Host(const Chip& chip) {
  KADVISE_PARAMETERS(CUpti_Profiler_Host_Initialize_Params, p);
  p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  p.pChipName = chip.name.c_str();
  p.pCounterAvailabilityImage = chip.availability.empty() ? nullptr : chip.availability.data();
  check(cuptiProfilerHostInitialize(&p));
  host_ = p.pHostObject;
}

Host::~Host() {
  KADVISE_PARAMETERS(CUpti_Profiler_Host_Deinitialize_Params, p);
  p.pHostObject = host_;
  cuptiProfilerHostDeinitialize(&p);
}

CUptiResult Host::add(std::vector<const char*>& names) {
  KADVISE_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics_Params, p);
  p.pHostObject = host_;
  p.ppMetricNames = names.data();
  p.numMetrics = names.size();
  return cuptiProfilerHostConfigAddMetrics(&p);
}

Image& Host::configuration(int& passes) {
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

std::vector<double> Host::values(const Image& data, std::size_t range, std::vector<const char*>& names) {
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

bool has(const Chip& chip, const std::string& metric) {
  std::vector<const char*> one = {metric.c_str()};
  return Host(chip).add(one) == CUPTI_SUCCESS;
}

}  // namespace kadvise::cupti
