#include "reports/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "analyzer/core/least_gain.h"
#include "reports/baseline.h"
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

constexpr std::size_t kFewUnits = 12;

// Why an interval settles nothing.
std::string doubtWords(const Verdict& v) {
  auto& timings = v.before.timings;
  if (std::any_of(timings.begin(), timings.end(), [](auto& t) { return t.throttled; }))
    return "the machine was busy with other work";
  auto low = v.before.counters.find("controlLow"), high = v.before.counters.find("controlHigh");
  bool controlled = low != v.before.counters.end() && high != v.before.counters.end();
  double noise = controlled ? std::max(std::abs(low->second - 1), std::abs(high->second - 1)) : 0;
  if (noise > kLeastGain)
    return fmt::format("the original against itself gave {:.2f}–{:.2f}x in the same run", low->second,
                       high->second);
  if (v.reason.find("not confirmed") != std::string::npos) return "a fresh process did not confirm it";
  std::size_t units = timings.empty() ? 0 : timings.front().wallUs.size() / 2;  // two blocks of each
  std::string few = units && units < kFewUnits ? ", with " + plural(units, "round") + " of measurement" : "";
  return fmt::format("the interval does not clear {:g} %{}", 100 * kLeastGain, few);
}

std::string untimedWords(const Report& r, const Verdict& v) {
  if (!ranOutOfBudget(v)) return "not timed";
  std::string budget =
      r.settings ? fmt::format("the budget of {:g} s", r.settings->budgetSeconds) : "the budget";
  return "not timed: its share of " + budget + " was spent by the comparison (--budget)";
}

std::string gainWords(const Report& r, const Advice& a) {
  const Verdict& v = *a.verdict;
  if (!isCredible(r, v.speedup)) return kIncredibleWords;
  std::string region = speedupWords(v.speedup) + " in its region";
  switch (v.outcome) {
    case Outcome::Faster:
      return "saves " + formatUs(a.savedUs) + " a call, " + region;
    case Outcome::Slower:
      return "slower: " + region;
    case Outcome::Ambiguous:
      if (v.speedup.high < 1) return "it seems slower: " + region + ", but " + doubtWords(v);
      return "no clear gain: " + region + ", and " + doubtWords(v);
    default:
      return "not faster: " + region;
  }
}

// "saves 620 µs a call, 3.56x (3.53–3.58, 95%) in its region; outputs equal (bitwise)"
std::string measuredWords(const Report& r, const Advice& a) {
  std::string equal = equalityWords(*a.verdict);
  if (speedupWords(a.verdict->speedup).empty()) return equal + ", " + untimedWords(r, *a.verdict);
  return gainWords(r, a) + "; " + equal;
}

// "instead of item 1, for the same places", "overlaps item 1 at 3 of its 5 places": two items for one place
// cannot both be used there.
std::string rivalWords(const Advice& a) {
  if (!a.rival) return "";
  std::string out = fmt::format("{} item {}", a.isAlternative ? "instead of" : "overlaps", a.rival);
  std::size_t all = a.candidate->findings.size();
  if (a.isAlternative && a.sharedSites == all) return out + ", for the same places";
  return out + fmt::format(" at {} of its {}", a.sharedSites, plural(all, "place"));
}

// "its places are made by item 1"
std::string enablerWords(const Advice& a, const std::vector<Advice>& all) {
  std::string items;
  for (auto& other : all)
    for (auto& id : a.candidate->follows)
      if (other.candidate->id == id)
        items += (items.empty() ? "item " : ", item ") + std::to_string(other.number);
  return items.empty() ? "" : "its places are made by " + items;
}

std::string sitesTakenWords(const Advice& a) {
  std::size_t all = a.candidate->findings.size();
  if (!a.sitesApplied || a.sitesApplied >= all) return "";
  return fmt::format("used at {} of {}; other items took the rest", a.sitesApplied, plural(all, "place"));
}

// Reasons name a candidate by its id; the reader knows the item.
std::string withItemNumbers(std::string text, const std::vector<Advice>& advice) {
  for (auto& a : advice) {
    std::string id = "(" + a.candidate->id + ")";
    if (auto at = text.find(id); at != std::string::npos)
      text.replace(at, id.size(), fmt::format("(item {})", a.number));
  }
  return text;
}

void writeItem(TextPage& page, const Advice& a, const std::vector<Advice>& all) {
  const Candidate& c = *a.candidate;
  Layout& out = page.layout;
  out.paragraph(fmt::format("{:>2}. {}  [{}]{}", a.number, a.finding ? a.finding->message : c.title, c.rule,
                            a.finding ? knownMark(page.report, a.finding->id) : ""),
                0, kIndent, Ink::Bold);
  if (a.finding) {
    out.paragraph(siteWords(a.finding->where, c.findings.size()), kIndent);
    page.writeSnippet(a.finding->where);
  }
  bool measured = a.verdict && a.standing != Standing::NotMeasured;
  bool faster = measured && a.verdict->outcome == Outcome::Faster;
  out.paragraph(measured ? measuredWords(page.report, a) : estimateWords(a.finding, c.findings.size()),
                kIndent, faster ? Ink::Good : Ink::Plain);
  for (auto& words : {enablerWords(a, all), sitesTakenWords(a), rivalWords(a)})
    if (!words.empty()) out.paragraph(words, kIndent);
  out.paragraph(fmt::format("with: {} (level {}, {})", c.title, c.level, word(c.exactness)), kIndent,
                kIndent + 2);
  if (!c.domain.empty()) out.paragraph("declared difference: " + c.domain, kIndent);
  if (!page.style.verbose) return;
  if (auto text = howToWrite(page.report, c.rule); !text.empty()) {
    out.paragraph("write instead:", kIndent);
    out.verbatim(text, kIndent + 2);
  }
}

bool isKnownItem(const Report& r, const Advice& a) {
  auto& findings = a.candidate->findings;
  return !findings.empty() &&
         std::all_of(findings.begin(), findings.end(), [&](auto& f) { return isKnown(r, f); });
}

// Takes out what a baseline knows, unless all is asked for or it is part of the optimised module; answers how
// many.
std::size_t foldKnown(const TextPage& page, std::vector<const Advice*>& rows) {
  if (page.style.verbose) return 0;
  return std::erase_if(rows, [&](auto* a) { return !a->sitesApplied && isKnownItem(page.report, *a); });
}

void writeFolded(TextPage& page, std::size_t known) {
  if (known) page.layout.paragraph(plural(known, "known finding") + " not shown (-v)", 2);
}

std::vector<const Advice*> standing(const std::vector<Advice>& advice,
                                    std::initializer_list<Standing> which) {
  std::vector<const Advice*> out;
  for (auto& a : advice)
    if (std::find(which.begin(), which.end(), a.standing) != which.end()) out.push_back(&a);
  return out;
}

std::string whyNotUsed(const Report& r, const Advice& a) {
  if (a.standing == Standing::Disproved)
    return (a.verdict->outcome == Outcome::Failed ? "failed" : "outputs differ") +
           (a.reason.empty() ? "" : ": " + a.reason);
  // That the figure settles nothing has been said with the figure.
  bool said = a.standing == Standing::NoClearGain &&
              (a.reason.starts_with("nothing shows") || a.reason == a.verdict->reason);
  return measuredWords(r, a) + (a.reason.empty() || said ? "" : ": " + a.reason);
}

std::string keptWords(const Report& r) {
  bool isWritten = r.output && r.output->written;
  return isWritten ? "kept in the optimised module" : "would be kept in an optimised module";
}

// Items without advice are short: what, where, why not.
void writeShortItems(TextPage& page, const std::vector<Advice>& advice, std::vector<const Advice*> rows) {
  std::size_t known = foldKnown(page, rows);
  for (std::size_t i = 0; i < page.shown(rows.size()); ++i) {
    const Advice& a = *rows[i];
    page.layout.paragraph(fmt::format("{:>2}. {}  [{}]{}", a.number, a.candidate->title, a.candidate->rule,
                                      isKnownItem(page.report, a) ? " (known)" : ""),
                          0, kIndent);
    if (a.finding) page.layout.paragraph(siteWords(a.finding->where, a.candidate->findings.size()), kIndent);
    page.layout.paragraph(withItemNumbers(whyNotUsed(page.report, a), advice), kIndent);
    for (auto& words : {enablerWords(a, advice), sitesTakenWords(a), rivalWords(a)})
      if (!words.empty()) page.layout.paragraph(words, kIndent);
    if (a.standing == Standing::NoClearGain && a.sitesApplied)
      page.layout.paragraph(keptWords(page.report) + " (--keep faster leaves it out)", kIndent);
  }
  page.writeRest(rows.size());
  writeFolded(page, known);
}

std::string whyNotMeasured(const Report& r, const Advice& a) {
  if (a.verdict && outputsEqual(*a.verdict)) return measuredWords(r, a);
  return a.reason.empty() ? "" : "not measured: " + a.reason;
}

bool isWorthApplying(const Report& r) {
  return !r.output && (r.whole.outcome == Outcome::Faster || r.whole.outcome == Outcome::Same);
}

// The command that writes the file; "" when there is no reason to.
std::string allOfThem(const Report& r) {
  auto command = applyCommand(r);
  return isWorthApplying(r) && !command.empty() ? "all of them: " + command : "";
}

// "advised: saves …", "not advised: slower …", "not measured: …"
std::string standingWords(const Report& r, const Advice& a, const std::vector<Advice>& all) {
  if (a.standing == Standing::NotMeasured) {
    auto why = whyNotMeasured(r, a);
    return why.empty() ? "not measured" : why;
  }
  if (a.standing == Standing::Advised) return "advised: " + measuredWords(r, a);
  return "not advised: " + withItemNumbers(whyNotUsed(r, a), all);
}

}  // namespace

std::vector<EarlierItem> itemsOf(const Report& r, const std::vector<std::string>& rules) {
  std::vector<EarlierItem> out;
  auto advice = rankedAdvice(r);
  for (auto& a : advice) {
    const Candidate& c = *a.candidate;
    if (std::find(rules.begin(), rules.end(), c.rule) == rules.end()) continue;
    std::string place = a.finding ? " at " + siteWords(a.finding->where, c.findings.size()) : "";
    out.push_back({c.rule, c.title + place + ": " + standingWords(r, a, advice)});
  }
  return out;
}

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
  auto rows = standing(advice, {Standing::Advised});
  if (rows.empty()) return;
  bool allEqual = page.report.settings && page.report.settings->keep == "equal";
  page.layout.heading(std::string("What to change, by measured time saved") +
                      (allEqual ? " (--keep equal: all that is equal, faster or not)" : ""));
  for (std::size_t i = 0; i < page.shown(rows.size()); ++i) writeItem(page, *rows[i], advice);
  page.writeRest(rows.size());
  if (auto words = allOfThem(page.report); !words.empty()) page.layout.paragraph(words, 0, 2);
}

void writeProposals(TextPage& page, const std::vector<Advice>& advice) {
  auto rows = standing(advice, {Standing::NotMeasured});
  if (rows.empty()) return;
  page.layout.heading("Proposals, not measured, by estimated time saved");
  std::size_t known = foldKnown(page, rows);
  for (std::size_t i = 0; i < page.shown(rows.size()); ++i) {
    writeItem(page, *rows[i], advice);
    if (auto why = whyNotMeasured(page.report, *rows[i]); !why.empty()) page.layout.paragraph(why, kIndent);
  }
  page.writeRest(rows.size());
  writeFolded(page, known);
}

void writeNoClearGain(TextPage& page, const std::vector<Advice>& advice) {
  auto rows = standing(advice, {Standing::NoClearGain});
  if (rows.empty()) return;
  page.layout.heading("Measured, no clear gain");
  writeShortItems(page, advice, rows);
  if (!standing(advice, {Standing::Advised}).empty()) return;
  if (auto words = allOfThem(page.report); !words.empty()) page.layout.paragraph(words, 0, 2);
}

void writeNotUsed(TextPage& page, const std::vector<Advice>& advice) {
  auto rows = standing(advice, {Standing::NotUsed, Standing::Disproved});
  if (rows.empty()) return;
  page.layout.heading("Found, but not advised");
  writeShortItems(page, advice, rows);
}

}  // namespace kadvise
