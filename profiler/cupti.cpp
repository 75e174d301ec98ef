#include "profiler/cupti.h"

#include <cupti.h>
#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>

namespace kadvise {
namespace {

constexpr std::size_t kBufferBytes = 4u << 20;

// CUPTI's callbacks carry no argument of ours, so what they collect has to be reachable by name.
struct Collected {
  std::mutex mutex;
  ActivityRecords records;
};
Collected& collected() {
  static Collected c;
  return c;
}

std::string demangled(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 && text ? text : name;
  std::free(text);
  return out;
}

void addKernel(ActivityRecords& to, const CUpti_ActivityKernel10& k) {
  ActivityRecord r{k.start, k.end};
  r.correlation = k.correlationId;
  r.name = to.nameId(k.name ? k.name : "?");
  r.shape = to.shapeId({{k.gridX, k.gridY, k.gridZ},
                        {k.blockX, k.blockY, k.blockZ},
                        k.registersPerThread,
                        k.staticSharedMemory + k.dynamicSharedMemory,
                        static_cast<std::int32_t>(k.clusterX * k.clusterY * k.clusterZ)});
  r.stream = k.streamId;
  r.inGraph = k.graphNodeId != 0;
  // The high word names the executable graph; the low one is the place in the graph that was captured.
  r.graphNode = static_cast<std::uint32_t>(k.graphNodeId);
  to.add(r);
}

template <class Record>
void addTransfer(ActivityRecords& to, const Record& t, Activity kind, const char* name) {
  ActivityRecord r{t.start, t.end};
  r.kind = kind;
  r.bytes = t.bytes;
  r.correlation = t.correlationId;
  r.name = to.nameId(name);
  r.shape = to.shapeId({});
  r.stream = t.streamId;
  r.inGraph = t.graphNodeId != 0;
  r.graphNode = static_cast<std::uint32_t>(t.graphNodeId);
  to.add(r);
}

void addOther(ActivityRecords& to, Activity kind, const char* name, std::uint64_t startNs,
              std::uint64_t endNs, std::uint32_t correlation, std::uint64_t bytes = 0) {
  ActivityRecord r{startNs, endNs};
  r.kind = kind;
  r.bytes = bytes;
  r.correlation = correlation;
  r.name = to.nameId(name);
  r.shape = to.shapeId({});
  to.add(r);
}

void addRecord(ActivityRecords& to, const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return addKernel(to, *reinterpret_cast<const CUpti_ActivityKernel10*>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return addTransfer(to, *reinterpret_cast<const CUpti_ActivityMemcpy6*>(record), Activity::Copy,
                         "memcpy");
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return addTransfer(to, *reinterpret_cast<const CUpti_ActivityMemset4*>(record), Activity::Fill,
                         "memset");
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: {
      auto& s = *reinterpret_cast<const CUpti_ActivitySynchronization2*>(record);
      return addOther(to, Activity::Synchronisation, "synchronisation", s.start, s.end, s.correlationId);
    }
    case CUPTI_ACTIVITY_KIND_MEMORY2: {
      auto& m = *reinterpret_cast<const CUpti_ActivityMemory4*>(record);
      return addOther(to, Activity::Memory, "memory", m.timestamp, m.timestamp, m.correlationId, m.bytes);
    }
    case CUPTI_ACTIVITY_KIND_OVERHEAD: {
      auto& o = *reinterpret_cast<const CUpti_ActivityOverhead3*>(record);
      return addOther(to, Activity::Overhead, "profiler", o.start, o.end, o.correlationId);
    }
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      auto& e = *reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(record);
      return to.addSite(e.correlationId, static_cast<std::uint32_t>(e.externalId));
    }
    default:
      return;
  }
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
    while (valid > 0 && cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
      addRecord(c.records, record);
    std::size_t dropped = 0;
    if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS)
      c.records.dropped += dropped;
  }
  std::free(buffer);
}

CuptiRefusal refusalOf(CUptiResult result) {
  const char* text = nullptr;
  if (cuptiGetErrorMessage(result, &text) != CUPTI_SUCCESS || !text) text = "no text";
  return cuptiRefusal("kernel records", int(result), text);
}

// Attribution needs the API records of both interfaces: ATen launches through the runtime, cuBLAS and cuDNN
// through the driver. GRAPH_TRACE is not among them: it ends the process in the next launch of a graph
// (CUPTI 13.0).
std::vector<CUpti_ActivityKind> kindsFor(Sites sites) {
  std::vector<CUpti_ActivityKind> kinds = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                           CUPTI_ACTIVITY_KIND_MEMSET};
  if (sites == Sites::Recorded)
    kinds.insert(kinds.end(), {CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER,
                               CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                               CUPTI_ACTIVITY_KIND_MEMORY2, CUPTI_ACTIVITY_KIND_OVERHEAD});
  return kinds;
}

// What the pass can do without.
bool isExtra(CUpti_ActivityKind kind) {
  return kind == CUPTI_ACTIVITY_KIND_SYNCHRONIZATION || kind == CUPTI_ACTIVITY_KIND_MEMORY2 ||
         kind == CUPTI_ACTIVITY_KIND_OVERHEAD;
}

// Enabled for its own life only.
class Recording {
 public:
  explicit Recording(Sites sites) {
    static const CUptiResult registered = cuptiActivityRegisterCallbacks(requestBuffer, takeBuffer);
    if (registered != CUPTI_SUCCESS) {
      refused_ = refusalOf(registered);
      return;
    }
    for (CUpti_ActivityKind kind : kindsFor(sites)) {
      CUptiResult r = cuptiActivityEnable(kind);
      if (r == CUPTI_SUCCESS) {
        enabled_.push_back(kind);
      } else if (!isExtra(kind)) {
        refused_ = refusalOf(r);
        return;
      }
    }
  }
  ~Recording() {
    cuptiActivityFlushAll(0);
    for (CUpti_ActivityKind kind : enabled_) cuptiActivityDisable(kind);
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  const CuptiRefusal& refused() const { return refused_; }

 private:
  std::vector<CUpti_ActivityKind> enabled_;
  CuptiRefusal refused_;
};

}  // namespace

CuptiRefusal kernelRecordsRefusal() {
  Recording probe(Sites::Ignored);
  return probe.refused();
}

std::string kernelRecordsRefused() {
  CuptiRefusal refused = kernelRecordsRefusal();
  return refused ? refused.reason + "; " + refused.remedy : "";
}

RecordedRun recordRun(const std::function<void()>& run, Sites sites) {
  RecordedRun out;
  Collected& c = collected();
  {
    std::lock_guard<std::mutex> lock(c.mutex);
    c.records.clear();
  }
  {
    Recording recording(sites);
    out.refused = recording.refused();
    if (out.refused) return out;
    run();
  }
  std::lock_guard<std::mutex> lock(c.mutex);
  out.records = std::move(c.records);
  c.records.clear();
  out.records.finish();
  return out;
}

std::uint64_t recordClockNs() {
  std::uint64_t now = 0;
  return cuptiGetTimestamp(&now) == CUPTI_SUCCESS ? now : 0;
}

void pushSite(std::uint64_t id) {
  cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, id);
}

void popSite() {
  std::uint64_t last = 0;
  cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
}

KernelRecord kernelRecordOf(const ActivityRecords& records, const ActivityRecord& r, std::uint64_t originNs) {
  KernelRecord k;
  k.name = demangled(records.name(r.name));
  k.startUs = static_cast<double>(static_cast<std::int64_t>(r.startNs - originNs)) / 1000;
  k.durationUs = static_cast<double>(r.endNs - r.startNs) / 1000;
  const LaunchShape& shape = records.shape(r.shape);
  std::copy(shape.grid.begin(), shape.grid.end(), k.grid.begin());
  std::copy(shape.block.begin(), shape.block.end(), k.block.begin());
  k.bytes = r.bytes;
  return k;
}

}  // namespace kadvise
