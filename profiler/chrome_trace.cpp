#include "profiler/chrome_trace.h"

#include <algorithm>
#include <map>
#include <set>

namespace kadvise {
namespace {

std::string lineOf(const Json& event) { return event.dump(-1, ' ', false, Json::error_handler_t::replace); }

class Writer {
 public:
  void add(const Json& event) { text_ += (text_.empty() ? "" : ",\n") + lineOf(event); }
  std::string take() { return "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n" + text_ + "\n]}\n"; }

 private:
  std::string text_;
};

// Rows without data that only name what follows.
void addNames(Writer& out, const TraceTrack& track, int process, int thread) {
  auto named = [&](const char* what, const std::string& name) {
    out.add({{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}});
  };
  named("process_name", track.process);
  named("thread_name", track.name);
}

void addSlice(Writer& out, const TraceSlice& s, int process, int thread, bool isSource, bool isJoined) {
  out.add({{"ph", "X"},
           {"name", s.name},
           {"cat", s.category},
           {"pid", process},
           {"tid", thread},
           {"ts", s.startUs},
           {"dur", s.durationUs},
           {"args", s.arguments}});
  if (!isJoined) return;
  Json arrow = {{"ph", isSource ? "s" : "f"},
                {"name", "launch"},
                {"cat", "launch"},
                {"id", s.link},
                {"pid", process},
                {"tid", thread},
                {"ts", s.startUs}};
  if (!isSource) arrow["bp"] = "e";
  out.add(arrow);
}

// An arrow needs both ends.
std::set<std::uint32_t> linksOf(const TraceTrack& track) {
  std::set<std::uint32_t> out;
  for (const TraceSlice& s : track.slices)
    if (s.link) out.insert(s.link);
  return out;
}

}  // namespace

std::string chromeTrace(const std::vector<TraceTrack>& tracks) {
  Writer out;
  std::map<std::string, int> processes;
  std::set<std::uint32_t> sources = tracks.empty() ? std::set<std::uint32_t>() : linksOf(tracks.front());
  std::set<std::uint32_t> targets;
  for (std::size_t t = 1; t < tracks.size(); ++t) targets.merge(linksOf(tracks[t]));
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const TraceTrack& track = tracks[t];
    int process = processes.emplace(track.process, static_cast<int>(processes.size()) + 1).first->second;
    int thread = static_cast<int>(t) + 1;
    addNames(out, track, process, thread);
    for (const TraceSlice& s : track.slices)
      addSlice(out, s, process, thread, t == 0, sources.count(s.link) > 0 && targets.count(s.link) > 0);
  }
  return out.take();
}

}  // namespace kadvise
