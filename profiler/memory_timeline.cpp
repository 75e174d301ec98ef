#include "profiler/memory_timeline.h"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <unordered_map>

#include "profiler/timing.h"

namespace kadvise {
namespace {

constexpr std::size_t kMostPoints = 200, kMostAtPeak = 10;

class Watcher : public c10::MemoryReportingInfoBase {
 public:
  Watcher(c10::DeviceType device, const OperatorSites& sites)
      : device_(device), sites_(sites), originUs_(steadyUs()) {}
  void reportMemoryUsage(void* block, std::int64_t bytes, std::size_t, std::size_t,
                         c10::Device device) override {
    if (device.type() != device_) return;
    events_.push_back({steadyUs() - originUs_, block, static_cast<double>(bytes), sites_.current()});
  }
  bool memoryProfilingEnabled() const override { return true; }
  const std::vector<AllocatorEvent>& events() const { return events_; }

 private:
  c10::DeviceType device_;
  const OperatorSites& sites_;
  double originUs_;
  std::vector<AllocatorEvent> events_;
};

// The highest point of each interval: a peak must not vanish.
std::vector<MemoryPoint> thinned(const std::vector<MemoryPoint>& points) {
  if (points.size() <= kMostPoints) return points;
  std::vector<MemoryPoint> out;
  for (std::size_t i = 0; i < kMostPoints; ++i) {
    auto from = points.begin() + static_cast<std::ptrdiff_t>(i * points.size() / kMostPoints);
    auto to = points.begin() + static_cast<std::ptrdiff_t>((i + 1) * points.size() / kMostPoints);
    out.push_back(*std::max_element(from, to, [](auto& a, auto& b) { return a.bytes < b.bytes; }));
  }
  return out;
}

}  // namespace

Holding holdingOf(const std::vector<AllocatorEvent>& events) {
  Holding out;
  MemoryTimeline& t = out.timeline;
  std::unordered_map<const void*, HeldBlock> held;
  std::vector<MemoryPoint> points;
  double bytes = 0;
  for (const AllocatorEvent& e : events) {
    bytes += e.bytes;
    if (e.bytes > 0) {
      held[e.block] = {e.bytes, e.site};
      ++t.allocations;
      t.allocatedBytes += e.bytes;
    } else {
      held.erase(e.block);
    }
    points.push_back({e.us, bytes});
    if (bytes <= t.peakBytes) continue;
    t.peakBytes = bytes;
    t.peakUs = e.us;
  }
  // A second pass, so that the blocks are listed once and not at every new height.
  held.clear();
  for (const AllocatorEvent& e : events) {
    if (e.us > t.peakUs) break;
    if (e.bytes > 0) held[e.block] = {e.bytes, e.site};
    else held.erase(e.block);
  }
  for (auto& [block, what] : held) out.atPeak.push_back(what);
  std::sort(out.atPeak.begin(), out.atPeak.end(), [](const HeldBlock& a, const HeldBlock& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.site < b.site;
  });
  t.points = thinned(points);
  return out;
}

MemoryTimeline memoryTimelineOf(const Device& device, OperatorSites& sites,
                                const std::function<void()>& run) {
  synchronize(device);
  auto watcher = std::make_shared<Watcher>(device.torch.type(), sites);
  {
    auto watching = sites.watch();
    c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, watcher);
    run();
  }
  synchronize(device);
  Holding holding = holdingOf(watcher->events());
  MemoryTimeline t = std::move(holding.timeline);
  for (std::size_t i = 0; i < std::min(kMostAtPeak, holding.atPeak.size()); ++i) {
    const HeldBlock& block = holding.atPeak[i];
    HeldAllocation a{block.bytes, "", {}};
    if (auto* place = sites.find(block.site)) a.op = place->op, a.where = place->where;
    t.atPeak.push_back(std::move(a));
  }
  return t;
}

}  // namespace kadvise
