#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/sections.h"

namespace kadvise {
namespace {

struct Words {
  const char *kind, *name, *whole, *pieces;
};
// pieces: {0} of them, which hold {1} percent of {2}.
constexpr Words kWords[] = {
    {"cuda-graph", "CUDA graph", "all of forward can be captured, once for each set of shapes",
     "{0} with {1} % of the {2}"},
    {"fusion", "Fusion", "nothing stands in the way", "{0} with {1} % of the {2}"},
    {"compile", "torch.compile", "one graph", "{0}"},
    {"export", "torch.export", "in one piece", "would stop"}};

constexpr std::size_t kCutsShown = 3;

// Cuts of one rule on one line read as one.
std::string cutWords(const Capability& c) {
  std::vector<std::string> cuts;
  for (auto& cut : c.cuts) {
    auto words = fmt::format("{} [{}]", siteWords(cut.where, 1), cut.rule);
    if (std::find(cuts.begin(), cuts.end(), words) == cuts.end()) cuts.push_back(std::move(words));
  }
  const std::size_t shown = std::min(cuts.size(), kCutsShown);
  std::string out =
      fmt::format("{}", fmt::join(cuts.begin(), cuts.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (cuts.size() > shown) out += fmt::format(" and {} more", cuts.size() - shown);
  return out;
}

// The first sentence of the page's remedy.
std::string remedyFor(const Report& report, const std::string& rule) {
  auto page = report.rules.find(rule);
  if (page == report.rules.end()) return "";
  auto section = page->second.sections.find("What to write instead");
  if (section == page->second.sections.end()) return "";
  std::string text = section->second;
  std::replace(text.begin(), text.end(), '\n', ' ');
  auto end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

// What to do about each kind of cut, once.
void writeRemedies(TextPage& page, const Readiness& readiness) {
  std::set<std::string> told;
  for (auto& c : readiness.capabilities)
    for (auto& cut : c.cuts) {
      if (!told.insert(cut.rule).second) continue;
      std::string remedy = remedyFor(page.report, cut.rule);
      if (!remedy.empty())
        page.layout.paragraph(fmt::format("{}: {}", cut.rule, remedy), kIndent, kIndent + 2);
    }
}

std::string readinessWords(const Capability& c, const Words& words, const std::string& basis) {
  if (c.cuts.empty()) return words.whole;
  std::string pieces = plural(c.regions.size(), c.kind == "compile" ? "graph" : "region");
  auto percent = fmt::format("{:.0f}", 100 * c.share);
  return fmt::format(fmt::runtime(words.pieces), pieces, percent, basis) + "; cut at " + cutWords(c);
}

}  // namespace

void writeReadiness(TextPage& page) {
  auto& readiness = page.report.readiness;
  if (!readiness) return;
  page.layout.heading("Readiness");
  if (readiness->judgedBy.empty()) {
    page.layout.paragraph("not judged: no rule that looks for graph breaks was selected", 2, kIndent);
    return;
  }
  for (auto& words : kWords)
    if (auto* c = readiness->find(words.kind))
      page.layout.paragraph(fmt::format("{}: {}", words.name, readinessWords(*c, words, readiness->basis)), 2,
                            kIndent);
  writeRemedies(page, *readiness);
}

}  // namespace kadvise
