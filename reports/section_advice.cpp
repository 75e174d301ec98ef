#include "reports/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "reports/headline.h"

namespace kadvise {
namespace {

std::string fileName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// What the user changes in the code, in the words of the rule's page.
std::string howToWrite(const Report& report, const std::string& rule) {
  auto text = report.rules.find(rule);
  if (text == report.rules.end()) return "";
  auto section = text->second.sections.find("What to write instead");
  return section == text->second.sections.end() ? "" : section->second;
}

// The command of this run, asking for the file; "" when it cannot be known.
std::string applyCommand(const Report& r) {
  if (r.command.empty() || r.subject.path.empty()) return "";
  std::string out;
  for (auto& word : r.command) out += shellQuoted(word) + " ";
  std::string stem = r.subject.path.substr(0, r.subject.path.rfind(".pt"));
  return out + "--apply -o " + shellQuoted(fileName(stem) + ".fast.pt");
}

std::string gainWords(const Advice& a) {
  std::string speedup = speedupWords(a.verdict->speedup);
  if (speedup.empty()) return "not timed";
  switch (a.verdict->outcome) {
    case Outcome::Faster:
      return "saves " + formatUs(a.savedUs) + " a call, " + speedup + " in its region";
    case Outcome::Slower:
      return "slower: " + speedup + " in its region";
    case Outcome::Ambiguous:
      return "no clear gain: " + speedup + " in its region";
    default:
      return "not faster: " + speedup + " in its region";
  }
}

void writeItem(TextPage& page, const Advice& a, std::size_t number) {
  const Candidate& c = *a.candidate;
  Layout& out = page.layout;
  out.paragraph(fmt::format("{:>2}. {}  [{}]{}", number, a.finding ? a.finding->message : c.title, c.rule,
                            a.finding ? knownMark(page.report, a.finding->id) : ""),
                0, kIndent, Ink::Bold);
  if (a.finding) {
    out.paragraph(siteWords(a.finding->where, c.findings.size()), kIndent);
    page.writeSnippet(a.finding->where);
  }
  bool measured = a.verdict && a.verdict->outcome != Outcome::NotRun;
  bool faster = measured && a.verdict->outcome == Outcome::Faster;
  out.paragraph(measured ? gainWords(a) + "; " + equalityWords(*a.verdict) : estimateWords(a.finding, c.findings.size()),
                kIndent, faster ? Ink::Good : Ink::Plain);
  out.paragraph(fmt::format("with: {} (level {}, {})", c.title, c.level, word(c.exactness)), kIndent,
                kIndent + 2);
  if (!c.domain.empty()) out.paragraph("declared difference: " + c.domain, kIndent);
  if (!page.style.verbose) return;
  if (auto text = howToWrite(page.report, c.rule); !text.empty()) {
    out.paragraph("write instead:", kIndent);
    out.verbatim(text, kIndent + 2);
  }
}

std::vector<const Advice*> standing(const std::vector<Advice>& advice,
                                    std::initializer_list<Standing> which) {
  std::vector<const Advice*> out;
  for (auto& a : advice)
    if (std::find(which.begin(), which.end(), a.standing) != which.end()) out.push_back(&a);
  return out;
}

std::string whyNotUsed(const Advice& a) {
  std::string why = a.reason.empty() ? "" : ": " + a.reason;
  if (a.standing == Standing::NotUsed) return gainWords(a) + "; " + equalityWords(*a.verdict) + why;
  return (a.verdict->outcome == Outcome::Failed ? "failed" : "outputs differ") + why;
}

}  // namespace

std::string estimateWords(const Finding* f, std::size_t sites) {
  if (!f || !f->estimate) return "";
  const Estimate& e = *f->estimate;
  double n = static_cast<double>(std::max<std::size_t>(1, sites));
  std::string out = "estimate: ";
  if (e.savedUs > 0) out += "about " + formatUs(e.savedUs * n) + " less a call, ";
  if (e.bytesSaved > 0) out += formatBytes(e.bytesSaved * n) + " less traffic a call, ";
  out += std::isfinite(e.speedup) ? formatFactor(e.speedup) + " in its region" : "all of its region";
  return out + (e.basis.empty() ? "" : " (" + e.basis + ")");
}

void writeAdvice(TextPage& page, const std::vector<Advice>& advice) {
  auto applied = standing(advice, {Standing::Applied});
  if (applied.empty()) return;
  page.layout.heading("What to change, by measured time saved");
  for (std::size_t i = 0; i < page.shown(applied.size()); ++i) writeItem(page, *applied[i], i + 1);
  page.writeRest(applied.size());
  auto command = applyCommand(page.report);
  bool worthIt = page.report.whole.outcome == Outcome::Faster || page.report.whole.outcome == Outcome::Same;
  if (!page.report.output && worthIt && !command.empty())
    page.layout.paragraph("all of them: " + command, 0, 2);
}

void writeProposals(TextPage& page, const std::vector<Advice>& advice) {
  auto proposed = standing(advice, {Standing::NotMeasured});
  if (proposed.empty()) return;
  page.layout.heading("Proposals, not measured, by estimated time saved");
  for (std::size_t i = 0; i < page.shown(proposed.size()); ++i) {
    writeItem(page, *proposed[i], i + 1);
    if (!proposed[i]->reason.empty()) page.layout.paragraph("not measured: " + proposed[i]->reason, kIndent);
  }
  page.writeRest(proposed.size());
}

void writeNotUsed(TextPage& page, const std::vector<Advice>& advice) {
  auto rows = standing(advice, {Standing::NotUsed, Standing::Disproved});
  if (rows.empty()) return;
  page.layout.heading("Found, but not advised");
  for (std::size_t i = 0; i < page.shown(rows.size()); ++i) {
    const Advice& a = *rows[i];
    page.layout.paragraph(fmt::format("- {}  [{}]", a.candidate->title, a.candidate->rule), 2, kIndent);
    if (a.finding) page.layout.paragraph(siteWords(a.finding->where, a.candidate->findings.size()), kIndent);
    page.layout.paragraph(whyNotUsed(a), kIndent);
  }
  page.writeRest(rows.size());
}

}  // namespace kadvise
