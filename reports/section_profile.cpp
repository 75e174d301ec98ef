// Where the time of one call goes, as it was measured.
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/core/profile_words.h"
#include "reports/headline.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

constexpr double kNearlyAll = 0.99, kAlike = 0.05;  // shares
constexpr std::size_t kFewRows = 6, kManyRows = 40, kFewHeld = 3;

std::string percent(double share) { return fmt::format("{:.1f}%", 100 * share); }

std::string intervalWords(const Interval& us) {
  if (us.mid <= 0) return "not timed";
  return fmt::format("{} a call ({}–{}, 95%)", formatUs(us.mid), formatUs(us.low), formatUs(us.high));
}

const char* modeWords(const std::string& mode) {
  if (mode == "frozen") return "frozen TorchScript";
  return mode == "graph-replay" ? "replay of a CUDA graph" : "as loaded";
}

std::string countWords(double n, const char* one, const char* many) {
  return fmt::format("{:.0f} {}", n, n == 1 ? one : many);
}

std::string gpuWords(const GpuActivity& g) {
  std::string out = fmt::format("the GPU is busy {} of a call: {}", formatUs(g.busyUs),
                                countWords(g.kernels, "kernel", "kernels"));
  if (g.copies > 0)
    out += fmt::format(", {} of {}", countWords(g.copies, "copy", "copies"), formatBytes(g.copiedBytes));
  if (g.fills > 0) out += ", " + countWords(g.fills, "fill", "fills");
  out += fmt::format("; it waits for the host {} ({} launch-bound), longest gap {}", formatUs(g.waitingUs),
                     percent(g.launchBoundShare), formatUs(g.longestGapUs));
  if (g.concurrency > 1.005) out += fmt::format("; {:.2f} kernels at once while busy", g.concurrency);
  return out;
}

std::string costWords(const ProfileView& v) {
  std::string out = v.basis == "cpu-operators" ? "timed unwatched" : "timed with kernel records off";
  if (v.gpu) out += fmt::format("; records cost {:+.1f}% of a call", 100 * v.gpu->recordingOverhead);
  bool isDearer = v.attribution && v.attribution->overhead > 0;  // else it is lost in the noise
  if (isDearer && v.mode != "graph-replay")
    out += fmt::format("; the pass that maps time to operators costs {:+.0f}% and is never timed",
                       100 * v.attribution->overhead);
  return out;
}

// Why next to nothing is known of a view; nullptr where it is, or nothing says why.
const Absent* whatHides(const Profile& p, const ProfileView& v) {
  if (v.mode == "graph-replay" || v.attribution->toOperator >= kNearlyAll) return nullptr;
  auto it = std::find_if(p.absent.begin(), p.absent.end(), [](auto& a) { return a.figure == kTimeByPlace; });
  return it == p.absent.end() ? nullptr : &*it;
}

std::string reachWords(const Profile& p, const ProfileView& v) {
  auto& a = *v.attribution;
  std::string of = v.basis == "gpu-kernels" ? "kernel time" : "operator time";
  std::string out =
      a.toOperator - a.toModule < kAlike
          ? fmt::format("{} of the {} belongs to a known operator and module", percent(a.toModule), of)
          : fmt::format("{} of the {} belongs to a known operator, {} to a known module",
                        percent(a.toOperator), of, percent(a.toModule));
  out += fmt::format(", {} to a line of the source", percent(a.toLine));
  if (auto* hidden = whatHides(p, v)) out += fmt::format(": {}. {}", hidden->reason, hidden->remedy);
  return out;
}

std::string timeColumns(double share, double us, int calls) {
  return fmt::format("{:>6}  {:>9}  {:>6}  ", percent(share), formatUs(us), fmt::format("{}x", calls));
}

class Tables {
 public:
  Tables(TextPage& page) : page_(page) {}

  void kernels(const std::vector<KernelRow>& rows) {
    begin("by kernel", rows.size());
    for (std::size_t i = 0; i < shown(rows.size()); ++i) {
      auto& r = rows[i];
      std::string tail = r.occupancy > 0
                             ? fmt::format("  [{}, occupancy at best {:.0f}%]", r.op, 100 * r.occupancy)
                             : fmt::format("  [{}]", r.op);
      if (r.op.empty()) tail.clear();
      row(timeColumns(r.share, r.us, r.launches), r.name, tail);
    }
    rest(rows.size());
  }

  // A table that knows none of its places says no more than the line about what is known.
  void times(const char* title, const std::vector<TimeRow>& rows) {
    if (rows.size() == 1 && rows[0].name == kUnknownPlace) return;
    begin(title, rows.size());
    for (std::size_t i = 0; i < shown(rows.size()); ++i)
      row(timeColumns(rows[i].share, rows[i].us, rows[i].calls),
          rows[i].name.empty() ? "the module itself" : rows[i].name, "");
    rest(rows.size());
  }

 private:
  std::size_t shown(std::size_t rows) const {
    return std::min(rows, page_.style.verbose ? kManyRows : kFewRows);
  }
  void begin(const char* title, std::size_t rows) {
    if (rows) page_.layout.paragraph(title, 2, Ink::Bold);
  }
  // A name gives way to what stands behind it: kernels' are long.
  void row(const std::string& head, const std::string& name, const std::string& tail) {
    auto width = static_cast<std::size_t>(std::max(20, page_.layout.width() - kIndent));
    auto taken = columns(head) + columns(tail);
    auto left = width > taken + 12 ? width - taken : 12;
    page_.layout.verbatim(head + firstColumns(printable(name), left) + tail, kIndent);
  }
  void rest(std::size_t rows) {
    if (rows > shown(rows))
      page_.layout.paragraph(fmt::format("… and {} more (--verbose, --json)", rows - shown(rows)), kIndent);
  }

  TextPage& page_;
};

// Equal layers together: "encoder.layer.*.attention".
std::vector<TimeRow> byKindOfModule(const std::vector<TimeRow>& rows) {
  std::vector<TimeRow> out;
  for (auto& r : rows) {
    auto name = withoutNumbers(r.name);
    auto known = std::find_if(out.begin(), out.end(), [&](auto& o) { return o.name == name; });
    if (known == out.end()) known = out.insert(out.end(), TimeRow{name, {}, 0, 0, 0});
    known->calls += r.calls, known->us += r.us, known->share += r.share;
  }
  std::stable_sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.us > b.us; });
  return out;
}

// Operators are timed in calls of their own, watched one by one.
std::string tablesWords(const ProfileView& v) {
  double us = 0;
  for (auto& row : v.operators) us += row.us;
  std::string out = "the tables add up to " + formatUs(us) + ", from calls whose every operator was watched";
  if (v.wallUs.mid > 0)
    out += fmt::format("; an unwatched call takes {}: read them as shares", formatUs(v.wallUs.mid));
  return out;
}

void writeView(TextPage& page, const Profile& p, const ProfileView& v) {
  Layout& out = page.layout;
  out.heading(fmt::format("{}: {}{}", modeWords(v.mode), intervalWords(v.wallUs),
                          v.timing.throttled ? ", on a busy machine: run it again when it is quiet" : ""));
  if (v.captureMs > 0)
    out.paragraph(
        fmt::format("captured in {:.2f} ms, instantiated in {:.2f} ms", v.captureMs, v.instantiateMs), 2,
        kIndent);
  if (v.gpu) out.paragraph(gpuWords(*v.gpu), 2, kIndent);
  out.paragraph(costWords(v), 2, kIndent, Ink::Dim);
  if (v.attribution) out.paragraph(reachWords(p, v), 2, kIndent);
  if (v.basis == "cpu-operators" && !v.operators.empty()) out.paragraph(tablesWords(v), 2, kIndent, Ink::Dim);
  Tables tables(page);
  tables.kernels(v.kernels);
  tables.times("by operator", v.operators);
  tables.times("by module", page.style.verbose ? v.modules : byKindOfModule(v.modules));
  tables.times("by line", v.lines);
}

std::string placeWords(const std::string& op, const Location& where) {
  bool isPlaced = !where.file.empty() || !where.scope.empty();
  return (op.empty() ? "outside of operators" : op) + (isPlaced ? " at " + siteWords(where, 1) : "");
}

void writeMemory(TextPage& page, const MemoryTimeline& m) {
  page.layout.heading("Memory of one call");
  page.layout.paragraph(
      fmt::format("peak {} after {} of the watched call, {} in {}", formatBytes(m.peakBytes),
                  formatUs(m.peakUs), formatBytes(m.allocatedBytes),
                  plural(static_cast<std::size_t>(m.allocations), "allocation")),
      2, kIndent);
  for (std::size_t i = 0; i < std::min(kFewHeld, m.atPeak.size()); ++i)
    page.layout.paragraph(fmt::format("held then: {} by {}", formatBytes(m.atPeak[i].bytes),
                                      placeWords(m.atPeak[i].op, m.atPeak[i].where)),
                          kIndent, kIndent + 2);
}

void writeCounted(TextPage& page, const Profile& p) {
  if (p.counted.empty()) return;
  page.layout.heading("What bounds the longest kernels (hardware counters)");
  page.layout.paragraph(p.countedHow, 2, kIndent, Ink::Dim);
  for (auto& c : p.counted) {
    page.layout.paragraph(fmt::format("{}-bound: {}", c.bound.empty() ? "not" : c.bound, c.why), 2, kIndent,
                          Ink::Bold);
    page.layout.paragraph(
        fmt::format("{} of {}: {}, DRAM {} read and {} written ({:.0f} GB/s, {} of peak), tensor pipe {}, "
                    "occupancy {}",
                    printable(c.name), placeWords(c.op, c.where), formatUs(c.us),
                    formatBytes(c.dramReadBytes), formatBytes(c.dramWriteBytes), c.dramBytesPerSecond / 1e9,
                    percent(c.dramShareOfPeak), percent(c.tensorShareOfPeak), percent(c.occupancy)),
        kIndent, kIndent + 2);
  }
}

void writeAbsent(TextPage& page, const Profile& p) {
  std::vector<const Absent*> rest;
  for (auto& a : p.absent) {
    bool isSaid = std::any_of(p.views.begin(), p.views.end(),
                              [&](auto& v) { return v.attribution && whatHides(p, v) == &a; });
    if (!isSaid) rest.push_back(&a);
  }
  if (rest.empty()) return;
  page.layout.heading("Not given here");
  for (auto* a : rest) {
    page.layout.paragraph(fmt::format("- {}: {}", a->figure, a->reason), 2, kIndent);
    if (!a->remedy.empty()) page.layout.paragraph("to get it: " + a->remedy, kIndent, kIndent + 2);
  }
}

std::string firstCallsWords(const Profile& p) {
  return fmt::format(
      "first call {}, then {} until the time of a call settled; {} of it all is compiling and setting up",
      formatUs(1000 * p.firstCallMs), plural(p.warmUpMs.size(), "call"), formatUs(1000 * p.compileMs));
}

}  // namespace

void writeProfile(TextPage& page) {
  const Report& r = page.report;
  const Profile& p = *r.profile;
  page.layout.paragraph(
      fmt::format("{} {}  {} on {}", r.tool.name, r.tool.version, r.subject.path, deviceWords(r)), 0, 2,
      Ink::Dim);
  for (auto& v : p.views) writeView(page, p, v);
  if (!p.views.empty()) {
    page.layout.heading("First calls");
    page.layout.paragraph(firstCallsWords(p), 2, kIndent);
  }
  if (p.memory) writeMemory(page, *p.memory);
  writeCounted(page, p);
  writeAbsent(page, p);
  for (auto& n : r.notes) page.layout.paragraph("note: " + n, 2, kIndent);
  for (auto& n : p.notes) page.layout.paragraph("note: " + n, 2, kIndent);
  writeErrors(page);
}

}  // namespace kadvise
