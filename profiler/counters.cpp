#include "profiler/counters.h"

#include <cupti_range_profiler.h>

#include <cstdint>
#include <memory>

#include "profiler/metric_host.h"

namespace kadvise {
namespace {

using namespace cupti;

constexpr int kMostPasses = 40;

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
    if (has(chip, metric)) names.push_back(metric.c_str());
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

HasMetric metricsOfChip() {
  try {
    auto chip = std::make_shared<Chip>(chipInUse());
    return [chip](const std::string& metric) { return has(*chip, metric); };
  } catch (const Refused&) {
    return [](const std::string&) { return true; };
  }
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
