#include "profiler/cupti.h"

#include <cupti.h>
#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>

namespace kadvise {
namespace {

constexpr std::size_t kMostKernels = 4096;
constexpr std::size_t kBufferBytes = 4u << 20;

struct Span {
  std::uint64_t startNs, endNs;
  std::uint32_t correlation;
  KernelRecord record;
};

// CUPTI's callbacks carry no argument of ours, so what they collect has to be reachable by name.
struct Collected {
  std::mutex mutex;
  std::vector<Span> spans;
  std::map<std::uint32_t, std::uint64_t> siteOf;  // correlation -> site
  std::size_t dropped = 0;
};
Collected& collected() {
  static Collected c;
  return c;
}

std::string demangled(const char* name) {
  if (!name) return "?";
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string out = status == 0 && text ? text : name;
  std::free(text);
  return out;
}

Span spanOf(const CUpti_ActivityKernel10& k) {
  Span s{k.start, k.end, k.correlationId, {}};
  s.record.name = demangled(k.name);
  s.record.grid = {k.gridX, k.gridY, k.gridZ};
  s.record.block = {k.blockX, k.blockY, k.blockZ};
  return s;
}

template <class Record>
Span transferOf(const Record& r, const char* name) {
  Span s{r.start, r.end, r.correlationId, {}};
  s.record.name = name;
  s.record.bytes = r.bytes;
  return s;
}

void CUPTIAPI requestBuffer(std::uint8_t** buffer, std::size_t* size, std::size_t* mostRecords) {
  *size = kBufferBytes;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *mostRecords = 0;
}

// Calls nothing of CUPTI that waits while it holds our lock, except the two readers made for this place.
void CUPTIAPI takeBuffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                         std::size_t valid) {
  Collected& c = collected();
  {
    std::lock_guard<std::mutex> lock(c.mutex);
    CUpti_Activity* record = nullptr;
    while (valid > 0 && cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
      switch (record->kind) {
        case CUPTI_ACTIVITY_KIND_KERNEL:
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
          c.spans.push_back(spanOf(*reinterpret_cast<CUpti_ActivityKernel10*>(record)));
          break;
        case CUPTI_ACTIVITY_KIND_MEMCPY:
          c.spans.push_back(transferOf(*reinterpret_cast<CUpti_ActivityMemcpy6*>(record), "memcpy"));
          break;
        case CUPTI_ACTIVITY_KIND_MEMSET:
          c.spans.push_back(transferOf(*reinterpret_cast<CUpti_ActivityMemset4*>(record), "memset"));
          break;
        case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
          auto& e = *reinterpret_cast<CUpti_ActivityExternalCorrelation*>(record);
          c.siteOf[e.correlationId] = e.externalId;
          break;
        }
        default:
          break;
      }
    }
    std::size_t dropped = 0;
    if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS) c.dropped += dropped;
  }
  std::free(buffer);
}

std::string textOf(CUptiResult result) {
  const char* text = nullptr;
  if (cuptiGetErrorMessage(result, &text) != CUPTI_SUCCESS || !text) text = "no text";
  return "CUPTI refuses kernel records: " + std::string(text) + " (" + std::to_string(int(result)) +
         "); another profiler may be attached";
}

// Kernel attribution needs the API records of both interfaces: ATen launches through the runtime, cuBLAS and
// cuDNN through the driver.
std::vector<CUpti_ActivityKind> kindsFor(Sites sites) {
  std::vector<CUpti_ActivityKind> kinds = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                           CUPTI_ACTIVITY_KIND_MEMSET};
  if (sites == Sites::Recorded)
    kinds.insert(kinds.end(), {CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER,
                               CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION});
  return kinds;
}

// Enabled for its own life only.
class Recording {
 public:
  explicit Recording(Sites sites) {
    static const CUptiResult registered = cuptiActivityRegisterCallbacks(requestBuffer, takeBuffer);
    if (registered != CUPTI_SUCCESS) {
      refused_ = textOf(registered);
      return;
    }
    for (CUpti_ActivityKind kind : kindsFor(sites)) {
      if (CUptiResult r = cuptiActivityEnable(kind); r != CUPTI_SUCCESS) {
        refused_ = textOf(r);
        return;
      }
      enabled_.push_back(kind);
    }
  }
  ~Recording() {
    cuptiActivityFlushAll(0);
    for (CUpti_ActivityKind kind : enabled_) cuptiActivityDisable(kind);
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  const std::string& refused() const { return refused_; }

 private:
  std::vector<CUpti_ActivityKind> enabled_;
  std::string refused_;
};

double busyUsOf(const std::vector<Span>& byStart) {
  std::uint64_t busyNs = 0, coveredTo = 0;
  for (const Span& s : byStart) {
    std::uint64_t from = std::max(s.startNs, coveredTo);
    if (s.endNs > from) busyNs += s.endNs - from;
    coveredTo = std::max(coveredTo, s.endNs);
  }
  return static_cast<double>(busyNs) / 1000;
}

}  // namespace

std::string kernelRecordsRefused() {
  Recording probe(Sites::Ignored);
  return probe.refused();
}

KernelTrace recordKernels(const std::function<void()>& run, Sites sites) {
  KernelTrace trace;
  Collected& c = collected();
  {
    std::lock_guard<std::mutex> lock(c.mutex);
    c.spans.clear();
    c.siteOf.clear();
    c.dropped = 0;
  }
  {
    Recording recording(sites);
    trace.refused = recording.refused();
    if (!trace.refused.empty()) return trace;
    run();
  }
  std::lock_guard<std::mutex> lock(c.mutex);
  std::sort(c.spans.begin(), c.spans.end(),
            [](const Span& a, const Span& b) { return a.startNs < b.startNs; });
  trace.busyUs = busyUsOf(c.spans);
  trace.leftOut = c.dropped + (c.spans.size() > kMostKernels ? c.spans.size() - kMostKernels : 0);
  for (const Span& s : c.spans) {
    if (trace.kernels.size() == kMostKernels) break;
    KernelRecord k = s.record;
    k.startUs = static_cast<double>(s.startNs - c.spans.front().startNs) / 1000;
    k.durationUs = static_cast<double>(s.endNs - s.startNs) / 1000;
    auto site = c.siteOf.find(s.correlation);
    trace.site.push_back(site == c.siteOf.end() ? 0 : site->second);
    trace.kernels.push_back(std::move(k));
  }
  return trace;
}

void pushSite(std::uint64_t id) {
  cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, id);
}

void popSite() {
  std::uint64_t last = 0;
  cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
}

}  // namespace kadvise
