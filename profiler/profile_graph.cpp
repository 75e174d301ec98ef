#include "profiler/busy_time.h"
#include "profiler/graph_replay.h"
#include "profiler/launches.h"
#include "profiler/profile_view.h"
#include "profiler/tables.h"

namespace kadvise {
namespace {

constexpr double kBlockUs = 20'000;

// Node by node: the record names its place in the captured graph, and the names of kernel and node must
// agree.
bool assignByNode(std::vector<Launch>& launches, const std::vector<GraphNode>& nodes) {
  for (Launch& l : launches) {
    const ActivityRecord& r = l.record();
    if (!r.inGraph || r.graphNode >= nodes.size()) return false;
    const GraphNode& node = nodes[r.graphNode];
    bool isKernel = r.kind == Activity::Kernel;
    if (isKernel ? node.kernel != l.records->name(r.name) : !node.kernel.empty()) return false;
    l.site = node.site;
  }
  return true;
}

// Without ids: the k-th kernel of a replay is the k-th kernel of the graph, as long as all names agree.
bool assignByOrder(std::vector<Launch>& launches, const std::vector<GraphNode>& nodes) {
  std::vector<const GraphNode*> kernels;
  for (const GraphNode& n : nodes)
    if (!n.kernel.empty()) kernels.push_back(&n);
  std::size_t next = 0;
  for (Launch& l : launches) {
    l.site = 0;
    if (l.record().kind != Activity::Kernel) continue;
    if (next >= kernels.size() || kernels[next]->kernel != l.records->name(l.record().name)) return false;
    l.site = kernels[next++]->site;
  }
  return next == kernels.size();
}

void addAttribution(ViewResult& out, std::vector<Launch>& launches, const std::vector<GraphNode>& nodes) {
  out.view.attribution.emplace();
  out.view.attribution->durations = "recorded";
  if (assignByNode(launches, nodes)) return;
  if (assignByOrder(launches, nodes)) {
    out.notes.push_back(
        "the records of the replay name no nodes of the graph: kernels were matched by order and name");
    return;
  }
  for (Launch& l : launches) l.site = 0;
  out.absent.push_back({"time by operator, module and line in the graph replay",
                        "the records of the replay do not agree with the nodes of the graph",
                        "profile without --graph: the kernels are the same"});
}

// The operators ran once, at the capture: a replay has streams only.
std::vector<TraceTrack> replayTracks(const std::vector<Launch>& launches, const OperatorSites& sites) {
  auto tracks = tracksOf(launches, sites, launches.empty() ? 0 : launches.front().record().startNs);
  tracks.erase(tracks.begin());
  for (TraceTrack& t : tracks) {
    t.process += " (graph replay)";
    for (TraceSlice& s : t.slices) s.link = 0;
  }
  return tracks;
}

}  // namespace

ViewResult graphView(ProfiledModule& module, const Values& batch, const Device& device, double budgetSeconds,
                     Pulse& pulse) {
  ViewResult out;
  out.view.mode = "graph-replay";
  out.view.basis = "gpu-kernels";
  pulse.step("capturing the CUDA graph");
  OperatorSites sites(module.attributed.marks);
  GraphReplay graph(module.attributed.module, batch, device, sites);
  out.view.captureMs = graph.captureMs, out.view.instantiateMs = graph.instantiateMs;
  TimedRun run{[&] { graph.replay(); }, [&] { synchronize(device); }};
  double callUs = settle(run, 1);
  pulse.step("timing the CUDA graph");
  WallTime wall = wallTimeOf(run, callUs, kBlockUs, budgetSeconds, pulse);
  out.view.timing = wall.timing;
  out.view.wallUs = wall.us;

  pulse.step("recording kernels of the CUDA graph");
  RecordedCalls recorded = recordCalls(run, wall.us.mid, pulse);
  if (auto& why = recorded.run.refused) {
    out.absent.push_back({"kernel times in the graph replay", why.reason, why.remedy});
    return out;
  }
  out.view.gpu = gpuActivityOf(recorded.run.records.all(), recorded.calls);
  out.view.gpu->recordingOverhead = wall.us.mid > 0 ? recorded.callUs / wall.us.mid - 1 : 0;
  auto launches = launchesOfCall(recorded.run.records, recorded.calls);
  if (launches.empty()) {
    launches = launchesOfFirstCall(recorded.run.records, recorded.calls);
    out.notes.push_back(
        "replays of the graph differ in the order of their kernels: the tables hold one of them");
  }
  addAttribution(out, launches, graph.nodes());
  describe(out.view, launches, sites, limitsOf(device));
  out.tracks = replayTracks(launches, sites);
  return out;
}

}  // namespace kadvise
