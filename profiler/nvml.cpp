#include "profiler/nvml.h"

#include <dlfcn.h>

namespace kadvise {
namespace {

// Of nvml.h, which the toolkit's parts that we build with do not bring.
constexpr int kSuccess = 0;
constexpr unsigned kClockOfSms = 1, kTemperatureOfGpu = 0;
using Handle = void*;

struct Reason {
  unsigned long long bit;
  const char* name;
};
// Those that come and go. Idleness, a power cap and clocks that someone has set are as they are for both
// sides.
constexpr Reason kReasons[] = {{0x08, "the hardware's slow-down"},
                               {0x20, "heat"},
                               {0x40, "heat, by the hardware"},
                               {0x80, "the power supply's brake"}};

std::string namesOf(unsigned long long bits) {
  std::string out;
  for (auto& r : kReasons)
    if (bits & r.bit) out += (out.empty() ? "" : ", ") + std::string(r.name);
  return out;
}

}  // namespace

struct Nvml::Library {
  void* handle = nullptr;
  Handle gpu = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*errorText)(int) = nullptr;
  int (*gpuAt)(const char*, Handle*) = nullptr;
  int (*clock)(Handle, unsigned, unsigned*) = nullptr;
  int (*power)(Handle, unsigned*) = nullptr;
  int (*temperature)(Handle, unsigned, unsigned*) = nullptr;
  int (*reasons)(Handle, unsigned long long*) = nullptr;
  bool started = false;

  ~Library() {
    if (started) shutdown();
    if (handle) ::dlclose(handle);
  }

  template <class Function>
  bool find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(handle, name));
    return function != nullptr;
  }

  // Why it cannot be used, or "".
  std::string open(const std::string& busId) {
    handle = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return "libnvidia-ml.so.1 is not there; it comes with the driver";
    bool complete = find(init, "nvmlInit_v2") && find(shutdown, "nvmlShutdown") &&
                    find(errorText, "nvmlErrorString") && find(gpuAt, "nvmlDeviceGetHandleByPciBusId_v2") &&
                    find(clock, "nvmlDeviceGetClockInfo") && find(power, "nvmlDeviceGetPowerUsage") &&
                    find(temperature, "nvmlDeviceGetTemperature") &&
                    (find(reasons, "nvmlDeviceGetCurrentClocksEventReasons") ||
                     find(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons"));
    if (!complete) return "the driver's libnvidia-ml.so.1 is too old";
    if (int error = init(); error != kSuccess) return errorText(error);
    started = true;
    if (int error = gpuAt(busId.c_str(), &gpu); error != kSuccess) return errorText(error);
    unsigned mhz = 0;
    if (int error = clock(gpu, kClockOfSms, &mhz); error != kSuccess) return errorText(error);
    return "";
  }
};

Nvml::Nvml(const std::string& busId) : library_(std::make_unique<Library>()) {
  refused_ = library_->open(busId);
}

Nvml::~Nvml() = default;

ClockReading Nvml::clock() const {
  if (!refused_.empty()) return {};
  unsigned mhz = 0;
  unsigned long long bits = 0;
  library_->clock(library_->gpu, kClockOfSms, &mhz);
  library_->reasons(library_->gpu, &bits);
  return {static_cast<double>(mhz), !namesOf(bits).empty()};
}

GpuCondition Nvml::condition() const {
  GpuCondition out;
  if (!refused_.empty()) return out;
  out.clock = clock();
  unsigned milliwatts = 0, degrees = 0;
  unsigned long long bits = 0;
  if (library_->power(library_->gpu, &milliwatts) == kSuccess) out.powerW = milliwatts / 1000.0;
  if (library_->temperature(library_->gpu, kTemperatureOfGpu, &degrees) == kSuccess)
    out.temperatureC = degrees;
  if (library_->reasons(library_->gpu, &bits) == kSuccess) out.heldBackBy = namesOf(bits);
  return out;
}

}  // namespace kadvise
