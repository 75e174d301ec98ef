#include "profiler/launches.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <map>

#include "profiler/statistics.h"
#include "profiler/tables.h"

namespace kadvise {
namespace {

constexpr std::size_t kMostLaunches = 4096, kMostSlices = 50'000;
constexpr int kRecordedBlocks = 5, kMostRecordedCalls = 100;
constexpr double kRecordedBlockUs = 20'000, kLongCallUs = 200'000;
constexpr double kClocksRiseUs = 40'000;  // from where they fall to while CUPTI is set up and nothing runs

// Indices of what occupies the GPU, by start.
std::vector<std::size_t> launchesOf(const ActivityRecords& records) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < records.all().size(); ++i)
    if (occupiesGpu(records.all()[i])) out.push_back(i);
  return out;
}

std::vector<std::size_t> partOf(const std::vector<std::size_t>& launches, std::size_t call,
                                std::size_t perCall) {
  auto from = launches.begin() + static_cast<std::ptrdiff_t>(call * perCall);
  return {from, from + static_cast<std::ptrdiff_t>(perCall)};
}

// k-th launch and k-th launch are of the same kernel.
bool isSameSequence(const ActivityRecords& records, const std::vector<std::size_t>& a,
                    const std::vector<std::size_t>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](std::size_t i, std::size_t j) {
    return records.all()[i].name == records.all()[j].name;
  });
}

KernelRow rowOf(const Launch& launch, const KernelRecord& k, const SmLimits& sm) {
  const LaunchShape& shape = launch.records->shape(launch.record().shape);
  KernelRow row;
  row.name = k.name;
  row.grid = k.grid, row.block = k.block;
  row.registers = shape.registers, row.cluster = shape.cluster;
  row.sharedBytes = shape.sharedBytes;
  row.bytes = static_cast<double>(k.bytes);
  if (launch.record().kind == Activity::Kernel) row.occupancy = occupancyAtBest(shape, sm);
  return row;
}

Json placeArguments(const Place* place) {
  if (!place) return Json::object();
  Json out = {{"operator", place->op}, {"module", place->where.scope}};
  if (!place->where.file.empty()) out["line"] = place->where.file + ":" + std::to_string(place->where.line);
  return out;
}

TraceTrack& trackOfStream(std::vector<TraceTrack>& tracks, std::uint32_t stream) {
  std::string name = "stream " + std::to_string(stream);
  for (TraceTrack& t : tracks)
    if (t.name == name) return t;
  tracks.push_back({"GPU", name, {}});
  return tracks.back();
}

const char* categoryOf(Activity kind) {
  if (kind == Activity::Copy) return "copy";
  return kind == Activity::Fill ? "fill" : "kernel";
}

}  // namespace

TraceTrack operatorTrack(const OperatorSites& sites) {
  TraceTrack track{"host", "operators", {}};
  for (const auto& s : sites.seen()) {
    if (track.slices.size() == kMostSlices) break;
    auto number = static_cast<std::uint32_t>(track.slices.size() + 1);
    track.slices.push_back(
        {s.place->op, "operator", s.startUs, s.endUs - s.startUs, number, placeArguments(s.place)});
  }
  return track;
}

double usOf(const ActivityRecord& r) { return static_cast<double>(r.endNs - r.startNs) / 1000; }

SmLimits limitsOf(const Device& device) {
  cudaDeviceProp p{};
  if (cudaGetDeviceProperties(&p, device.torch.index()) != cudaSuccess) return {};
  return {p.multiProcessorCount,
          p.maxThreadsPerMultiProcessor,
          p.maxBlocksPerMultiProcessor,
          p.regsPerMultiprocessor,
          p.warpSize,
          static_cast<int>(p.sharedMemPerMultiprocessor),
          static_cast<int>(p.reservedSharedMemPerBlock)};
}

RecordedCalls recordCalls(const TimedRun& run, double callUs, Pulse& pulse) {
  RecordedCalls out;
  bool isLong = callUs > kLongCallUs;  // its own launches are enough to look at
  int blocks = isLong ? 1 : kRecordedBlocks;
  double fitting = std::clamp(kRecordedBlockUs / std::max(callUs, 1.0), 2.0, double(kMostRecordedCalls));
  out.calls = isLong ? 1 : static_cast<int>(fitting);
  std::vector<double> times;
  for (int block = 0; block <= blocks; ++block) {
    double us = 0;
    std::uint64_t sinceNs = 0;
    out.run = recordRun([&] {
      double began = steadyUs();
      do {  // sets up what CUPTI keeps for each kernel, too
        for (int k = 0; k < out.calls; ++k) run.once();
        run.synchronize();
      } while (!isLong && steadyUs() - began < kClocksRiseUs);
      sinceNs = recordClockNs();
      double start = steadyUs();
      for (int k = 0; k < out.calls; ++k) run.once();
      run.synchronize();
      us = steadyUs() - start;
    });
    if (out.run.refused) return out;
    std::erase_if(out.run.records.all(), [&](const ActivityRecord& r) { return r.startNs < sinceNs; });
    if (block > 0) times.push_back(us / out.calls);  // the first fills CUPTI's own caches
    pulse.beat("recording kernels", block + 1, blocks + 1);
  }
  out.callUs = median(times);
  return out;
}

std::vector<Launch> launchesOfCall(const ActivityRecords& records, int calls) {
  auto all = launchesOf(records);
  auto perCall = all.size() / static_cast<std::size_t>(calls);
  bool isRegular = perCall * static_cast<std::size_t>(calls) == all.size();
  std::vector<Launch> out;
  if (!isRegular) return out;
  auto first = partOf(all, 0, perCall);
  for (int k = 1; k < calls && isRegular; ++k)
    isRegular = isSameSequence(records, first, partOf(all, static_cast<std::size_t>(k), perCall));
  if (!isRegular) return out;
  for (std::size_t i = 0; i < perCall; ++i) {
    std::vector<double> us;
    for (int k = 0; k < calls; ++k)
      us.push_back(usOf(records.all()[all[static_cast<std::size_t>(k) * perCall + i]]));
    out.push_back({&records, all[i], median(std::move(us)), 0});
  }
  return out;
}

std::vector<Launch> launchesOfFirstCall(const ActivityRecords& records, int calls) {
  auto all = launchesOf(records);
  std::vector<Launch> out;
  for (std::size_t i : partOf(all, 0, all.size() / static_cast<std::size_t>(calls)))
    out.push_back({&records, i, usOf(records.all()[i]), 0});
  return out;
}

bool launchTheSame(const std::vector<Launch>& a, const std::vector<Launch>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Launch& l, const Launch& r) {
    return l.records->name(l.record().name) == r.records->name(r.record().name);
  });
}

void describe(ProfileView& view, const std::vector<Launch>& launches, const OperatorSites& sites,
              const SmLimits& sm) {
  if (launches.empty()) return addTables(view, {});
  std::uint64_t origin = launches.front().record().startNs;
  // A row for each kernel at each size, however often it was launched.
  std::map<std::pair<std::uint32_t, std::uint32_t>, KernelRow> rows;
  std::vector<Spent> spent;
  spent.reserve(launches.size());
  for (const Launch& launch : launches) {
    const ActivityRecord& r = launch.record();
    auto [row, isNew] = rows.try_emplace({r.name, r.shape});
    if (isNew) row->second = rowOf(launch, kernelRecordOf(*launch.records, r, origin), sm);
    spent.push_back({launch.us, sites.find(launch.site), &row->second});
    if (view.launches.size() == kMostLaunches) continue;
    view.launches.push_back(kernelRecordOf(*launch.records, r, origin));
    sites.describe(launch.site, view.launches.back());
  }
  view.leftOut = static_cast<double>(launches.size() - view.launches.size());
  addTables(view, spent);
}

std::vector<TraceTrack> tracksOf(const std::vector<Launch>& launches, const OperatorSites& sites,
                                 std::uint64_t originNs) {
  std::vector<TraceTrack> tracks = {operatorTrack(sites)};
  std::vector<TraceTrack> streams;
  for (std::size_t i = 0; i < std::min(launches.size(), kMostSlices); ++i) {
    const ActivityRecord& r = launches[i].record();
    KernelRecord k = kernelRecordOf(*launches[i].records, r, originNs);
    Json arguments = placeArguments(sites.find(launches[i].site));
    arguments["grid"] = k.grid;
    arguments["block"] = k.block;
    if (k.bytes) arguments["bytes"] = k.bytes;
    trackOfStream(streams, r.stream)
        .slices.push_back(
            {k.name, categoryOf(r.kind), k.startUs, k.durationUs, launches[i].site, std::move(arguments)});
  }
  tracks.insert(tracks.end(), streams.begin(), streams.end());
  return tracks;
}

}  // namespace kadvise
