// What the GPU did, as compact records: a name and a launch shape are kept once, so that a million launches
// take 56 MB and not 400. Standard library only; cupti.cpp fills it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kadvise {

enum class Activity : std::uint8_t { Kernel, Copy, Fill, Synchronisation, Memory, Overhead };

// What launches of one kernel share.
struct LaunchShape {
  std::array<std::int32_t, 3> grid{}, block{};
  std::int32_t registers = 0, sharedBytes = 0, cluster = 0;
  auto operator<=>(const LaunchShape&) const = default;
};

struct ActivityRecord {
  std::uint64_t startNs = 0, endNs = 0;
  std::uint64_t bytes = 0;        // of copies, fills and memory
  std::uint32_t correlation = 0;  // with the call that started it
  std::uint32_t name = 0, shape = 0;
  std::uint32_t stream = 0;
  std::uint32_t graphNode = 0;  // index of the node in the captured graph
  std::uint32_t site = 0;       // the operator that it belongs to; 0: not known
  bool inGraph = false;
  Activity kind = Activity::Kernel;
};
static_assert(sizeof(ActivityRecord) <= 56);

class ActivityRecords {
 public:
  ActivityRecords() = default;
  ActivityRecords(ActivityRecords&&) = default;  // not copied: the names are looked up where they lie
  ActivityRecords& operator=(ActivityRecords&&) = default;

  std::uint32_t nameId(std::string_view);
  std::uint32_t shapeId(const LaunchShape&);
  void add(const ActivityRecord& r) { records_.push_back(r); }
  // The operator that the call with this correlation belongs to.
  void addSite(std::uint32_t correlation, std::uint32_t site) { sites_.push_back({correlation, site}); }

  // By start, and with their sites. To be called once all have come.
  void finish();
  void clear();

  const std::vector<ActivityRecord>& all() const { return records_; }
  std::vector<ActivityRecord>& all() { return records_; }
  const std::string& name(std::uint32_t id) const { return names_[id]; }
  const LaunchShape& shape(std::uint32_t id) const { return shapes_[id]; }

  std::size_t dropped = 0;  // by CUPTI, for want of buffers

 private:
  struct CallSite {
    std::uint32_t correlation, site;
  };
  std::vector<ActivityRecord> records_;
  std::vector<CallSite> sites_;
  std::deque<std::string> names_;  // never moves, so that the map can look into it
  std::unordered_map<std::string_view, std::uint32_t> nameIds_;
  std::vector<LaunchShape> shapes_;
  std::map<LaunchShape, std::uint32_t> shapeIds_;
};

// Kernels, copies and fills: what keeps the GPU busy.
inline bool occupiesGpu(const ActivityRecord& r) {
  return r.kind == Activity::Kernel || r.kind == Activity::Copy || r.kind == Activity::Fill;
}

}  // namespace kadvise
