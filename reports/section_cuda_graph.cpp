#include <fmt/format.h>

#include <algorithm>

#include "reports/headline.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

const Verdict* verdictNamed(const Report& r, const char* name) {
  auto it = std::find_if(r.verdicts.begin(), r.verdicts.end(), [&](auto& v) { return v.candidate == name; });
  return it == r.verdicts.end() ? nullptr : &*it;
}

std::string extentWords(const CudaGraphUse& use) {
  if (use.launches >= use.allLaunches) return "all of forward is";
  return fmt::format("{} with {} of {} operators {}", plural(static_cast<std::size_t>(use.parts), "part"),
                     use.launches, use.allLaunches, use.parts == 1 ? "is" : "are");
}

// "1.42x (1.40–1.44, 95%) against the same module without"
std::string gainWords(const Report& r) {
  auto* v = verdictNamed(r, kCudaGraphVerdict);
  std::string speedup = v ? speedupWords(v->speedup) : "";
  return speedup.empty() ? "" : speedup + " against the same module without";
}

std::string memoryWords(const CudaGraphUse& use) {
  return use.poolBytes > 0 ? "they keep " + formatBytes(use.poolBytes) + " of GPU memory" : "";
}

std::string joined(const std::string& a, const std::string& b) { return a + (b.empty() ? "" : "; " + b); }

std::string statusWords(const Report& r, const CudaGraphUse& use) {
  switch (use.status) {
    case GraphStatus::Applied:
      return joined(
          joined(extentWords(use) + " captured once for each set of shapes, then replayed", gainWords(r)),
          memoryWords(use));
    case GraphStatus::NotWorthIt:
      return joined("not worth it: " + use.reason, gainWords(r));
    case GraphStatus::NotCapturable:
      return "cannot be used: " + use.reason;
    case GraphStatus::Failed:
      return "left out: " + use.reason;
    case GraphStatus::NotTried:
      return "not tried: " + use.reason;
  }
  return "";
}

std::string blockerWords(const CaptureBlocker& b) {
  std::string place = siteWords(b.where, 1);
  return (place.empty() ? "" : place + ": ") + b.reason + (b.rule.empty() ? "" : "  [" + b.rule + "]");
}

}  // namespace

void writeCudaGraph(TextPage& page) {
  auto& use = page.report.cudaGraph;
  if (!use) return;
  page.layout.heading("CUDA graphs");
  page.layout.paragraph(statusWords(page.report, *use), 2, kIndent,
                        use->status == GraphStatus::Applied ? Ink::Good : Ink::Plain);
  bool isAll = use->status == GraphStatus::Applied && page.report.composition.applied.empty();
  if (auto command = applyCommand(page.report); isAll && !page.report.output && !command.empty())
    page.layout.paragraph("to write that module: " + command, 2, kIndent);
  for (std::size_t i = 0; i < page.shown(use->blockers.size()); ++i)
    page.layout.paragraph("- " + blockerWords(use->blockers[i]), 2, kIndent);
  page.writeRest(use->blockers.size());
}

}  // namespace kadvise
