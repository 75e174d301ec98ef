#include "analyzer/lsp/hover.h"

#include "analyzer/core/configuration.h"
#include "reports/sections.h"

namespace kadvise::lsp {
namespace {

constexpr const char* kSections[] = {"What it finds", "Why it costs", "What to write instead", "In C++",
                                     "Limits"};
constexpr std::size_t kMostFindings = 4;

std::string headOf(const RulePage& page) {
  std::string out = "### " + page.title + "\n`" + page.id + "` · " + word(page.severity);
  if (page.readsSources()) out += " · " + page.confidence;
  return out + "\n";
}

std::string measuredOf(const std::string& rule, const ModelReports& reports) {
  for (auto* report : reports.all())
    for (auto& m : report->measured)
      if (m.rule == rule) return "Last measured (" + report->subject + "): " + m.words;
  return "";
}

std::string estimateOf(const Shown& s) { return s.finding ? estimateWords(s.finding, 1) : ""; }

// What a source or a report says goes through passages of words; the rule book's own Markdown does not.
std::string textOf(const Shown& s, const Catalogue& book, const ModelReports& reports, bool isMarkdown) {
  auto* page = book.find(s.rule);
  if (s.kind == Kind::Model) return (page ? headOf(*page) + "\n" : "") + rendered(s.detail, isMarkdown);
  std::vector<Passage> out;
  auto say = [&](const std::string& text) {
    if (!text.empty()) out.push_back({Passage::Kind::Words, text, {}});
  };
  say(s.message);
  if (s.finding && s.finding->price) say("Cost: " + s.finding->price->words);
  say(estimateOf(s)), say(measuredOf(s.rule, reports));
  if (page) out.push_back({Passage::Kind::Page, ruleMarkdown(*page), {}});
  return rendered(out, isMarkdown);
}

}  // namespace

std::string ruleMarkdown(const RulePage& page) {
  std::string out = headOf(page);
  for (auto* name : kSections) {
    auto section = page.sections.find(name);
    if (section != page.sections.end() && !section->second.empty())
      out += "\n**" + std::string(name) + "**\n\n" + section->second + "\n";
  }
  return out;
}

std::string selectorMarkdown(const std::string& selector, const Catalogue& book) {
  if (selector.empty()) return "";
  if (auto* page = book.find(selector)) return ruleMarkdown(*page);
  std::string out;
  for (auto& page : book.pages)
    if (selectorCovers(selector, page.id)) out += "- `" + page.id + "` " + page.title + "\n";
  return out.empty() ? "" : "All rules of `" + selector + "`:\n\n" + out;
}

std::string findingsMarkdown(const std::vector<Shown>& shown, Position at, const Catalogue& book,
                             const ModelReports& reports, bool isMarkdown) {
  std::string out;
  std::size_t count = 0;
  for (auto& s : shown) {
    if (s.kind == Kind::Language || !contains(s.range, at) || ++count > kMostFindings) continue;
    out += (out.empty() ? "" : "\n---\n\n") + textOf(s, book, reports, isMarkdown);
  }
  return out;
}

}  // namespace kadvise::lsp
