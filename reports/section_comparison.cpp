#include <fmt/format.h>

#include "reports/sections.h"

namespace kadvise {
namespace {

struct KindWords {
  const char *kind, *words;
};
constexpr KindWords kKinds[] = {
    {"outputs-differ", "outputs differ"}, {"lost-fusion", "lost"},         {"new-fusion", "new"},
    {"slower-whole", "slower"},           {"faster-whole", "faster"},      {"slower-kernel", "slower kernel"},
    {"faster-kernel", "faster kernel"},   {"slower-region", "gains less"}, {"faster-region", "gains more"},
    {"more-memory", "more memory"},       {"less-memory", "less memory"}};

std::string kindWords(const std::string& kind) {
  for (auto& k : kKinds)
    if (kind == k.kind) return k.words;
  return kind;
}

// Runs over different files, which is said before all.
std::string filesWords(const RunComparison& c) {
  constexpr std::string_view kMark = "module: ";
  if (c.differs.empty() || !c.differs.front().starts_with(kMark)) return "";
  return (c.areTwoModules ? "of two modules: " : "of two files: ") + c.differs.front().substr(kMark.size());
}

void writeChanges(TextPage& page, const std::string& title, const std::vector<RunChange>& changes, Ink ink) {
  if (changes.empty()) return;
  page.layout.heading(title);
  for (std::size_t i = 0; i < page.shown(changes.size()); ++i) {
    auto& c = changes[i];
    page.layout.paragraph("- " + changeWords(c), 2, kIndent, ink);
    if (!c.before.empty() || !c.after.empty())
      page.layout.paragraph(c.before + " → " + c.after, kIndent, kIndent + 2);
    if (c.lostUs > 0 && c.kind == "lost-fusion")
      page.layout.paragraph("it saved " + formatUs(c.lostUs) + " a call", kIndent, kIndent + 2);
  }
  page.writeRest(changes.size());
}

}  // namespace

std::string changeWords(const RunChange& c) {
  std::string out = kindWords(c.kind) + ": " + c.what;
  if (!c.rule.empty()) out += "  [" + c.rule + "]";
  return out;
}

std::string changeCounts(const RunComparison& c) {
  if (c.areTwoModules) return "two different modules: nothing of one is a loss or a gain of the other";
  std::string lost = c.regressions.empty() ? "no regression" : plural(c.regressions.size(), "regression");
  return fmt::format("{}, {}; findings: {} new, {} fixed, {} unchanged", lost, plural(c.gains.size(), "gain"),
                     c.found.size(), c.fixed.size(), c.unchanged);
}

Ink inkOf(const RunComparison& c) {
  return c.areTwoModules ? Ink::Fair : c.regressions.empty() ? Ink::Good : Ink::Bad;
}

void writeComparison(TextPage& page) {
  const Report& r = page.report;
  const RunComparison& c = *r.comparison;
  Layout& out = page.layout;
  out.paragraph(fmt::format("{} {}  {} against {}", r.tool.name, r.tool.version, c.newer, c.older), 0, 2,
                Ink::Dim);
  out.blank();
  if (auto files = filesWords(c); !files.empty()) out.paragraph(files, 0, 2, Ink::Fair);
  out.paragraph(changeCounts(c), 0, 2, inkOf(c));
  if (!c.whole.empty()) out.paragraph("the whole: " + c.whole, 2, kIndent);
  writeChanges(page, "Regressions", c.regressions, Ink::Bad);
  writeChanges(page, "New findings", c.found, Ink::Plain);
  writeChanges(page, "Gained", c.gains, Ink::Good);
  writeChanges(page, "Fixed findings", c.fixed, Ink::Plain);
  if (c.areTwoModules) out.heading("What differs");
  else if (!c.areTimesComparable) out.heading("Circumstances differ: times are not compared");
  else out.heading("How this was compared");
  for (auto& d : c.differs) out.paragraph("- " + d, 2, kIndent);
  if (c.areTimesComparable)
    out.paragraph(
        "the runs were one after the other, not interleaved: times count as changed where their 95 % "
        "intervals are apart and the middles differ by more than 5 %, kernels by 10 % and 1 µs",
        2, kIndent);
}

}  // namespace kadvise
