#include "reports/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "reports/advice_words.h"
#include "reports/baseline.h"
#include "reports/case_words.h"
#include "reports/headline.h"
#include "reports/item_words.h"

namespace kadvise {
namespace {

std::string fileName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// The other proposals of an item, a line each.
void writeUnder(TextPage& page, const Item& item, const std::vector<Advice>& all) {
  for (auto& words : otherProposals(page.report, item, all))
    page.layout.paragraph(words, kIndent, kIndent + 2);
}

void writeItem(TextPage& page, const Item& item, const std::vector<Advice>& all) {
  const Advice& a = item.advice;
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
  for (auto& words : {enablerWords(a, all), sitesTakenWords(a), partsWords(a, all), rivalWords(a)})
    if (!words.empty()) out.paragraph(words, kIndent);
  out.paragraph("with: " + replacementWords(c), kIndent, kIndent + 2);
  if (!c.domain.empty()) out.paragraph("declared difference: " + c.domain, kIndent);
  writeUnder(page, item, all);
  if (!page.style.verbose) return;
  if (auto words = caseWords(page.report, c.id); !words.empty()) out.paragraph("outputs: " + words, kIndent);
  auto instead = [&](const char* title, const std::string& text) {
    if (text.empty()) return;
    out.paragraph(title, kIndent);
    out.verbatim(text, kIndent + 2);
  };
  instead("write instead:", howToWrite(page.report, c.rule));
  instead("in C++:", howToWriteInCpp(page.report, c.rule));
}

// Takes out what a baseline knows, unless all is asked for or it is part of the optimised module; answers how
// many.
std::size_t foldKnown(const TextPage& page, std::vector<const Item*>& rows) {
  if (page.style.verbose) return 0;
  return std::erase_if(
      rows, [&](auto* item) { return !item->advice.sitesApplied && isKnownItem(page.report, *item); });
}

void writeFolded(TextPage& page, std::size_t known) {
  if (known) page.layout.paragraph(plural(known, "known finding") + " not shown (-v)", 2);
}

// Takes out what is estimated to save nothing and nobody measures, unless all is asked for; answers how many.
std::size_t foldWorthless(const TextPage& page, std::vector<const Item*>& rows) {
  if (page.style.verbose || !isUnverified(page.report)) return 0;
  return std::erase_if(
      rows, [](auto* item) { return item->advice.finding && promisesNothing(*item->advice.finding); });
}

std::vector<const Item*> standing(const std::vector<Item>& items, std::initializer_list<Standing> which) {
  std::vector<const Item*> out;
  for (auto& item : items)
    if (std::find(which.begin(), which.end(), item.advice.standing) != which.end()) out.push_back(&item);
  return out;
}

std::string keptWords(const Report& r) {
  bool isWritten = r.output && r.output->written;
  return isWritten ? "kept in the optimised module" : "would be kept in an optimised module";
}

// Items without advice are short: what, where, why not.
void writeShortItems(TextPage& page, const std::vector<Item>& items, std::vector<const Item*> rows) {
  auto all = allOf(items);
  std::size_t known = foldKnown(page, rows);
  for (std::size_t i = 0; i < page.shown(rows.size()); ++i) {
    const Advice& a = rows[i]->advice;
    page.layout.paragraph(fmt::format("{:>2}. {}  [{}]{}", a.number, a.candidate->title, a.candidate->rule,
                                      isKnownItem(page.report, *rows[i]) ? " (known)" : ""),
                          0, kIndent);
    if (a.finding) page.layout.paragraph(siteWords(a.finding->where, a.candidate->findings.size()), kIndent);
    page.layout.paragraph(withItemNumbers(whyNotUsed(page.report, a), all, *rows[i]), kIndent);
    for (auto& words : {enablerWords(a, all), sitesTakenWords(a), rivalWords(a)})
      if (!words.empty()) page.layout.paragraph(words, kIndent);
    if (a.standing == Standing::NoClearGain && a.sitesApplied) {
      page.layout.paragraph(keptWords(page.report) + " (--keep faster leaves it out)", kIndent);
      if (!a.candidate->domain.empty())
        page.layout.paragraph("declared difference: " + a.candidate->domain, kIndent);
    }
    writeUnder(page, *rows[i], all);
  }
  page.writeRest(rows.size());
  writeFolded(page, known);
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
  if (a.standing == Standing::PartOfAnother) return withItemNumbers(a.verdict->reason, all);
  return "not advised: " + withItemNumbers(whyNotUsed(r, a), all);
}

}  // namespace

std::string applyCommand(const Report& r) {
  if (r.command.empty() || r.subject.path.empty()) return "";
  std::string out;
  for (auto& word : r.command) out += shellQuoted(word) + " ";
  std::string stem = r.subject.path.substr(0, r.subject.path.rfind(".pt"));
  return out + "--apply -o " + shellQuoted(fileName(stem) + ".fast.pt");
}

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

void writeAdvice(TextPage& page, const std::vector<Item>& advice) {
  auto rows = standing(advice, {Standing::Advised});
  if (rows.empty()) return;
  auto all = allOf(advice);
  bool allEqual = page.report.settings && page.report.settings->keep == "equal";
  page.layout.heading(std::string("What to change, by measured time saved") +
                      (allEqual ? " (--keep equal: all that is equal is kept, faster or not)" : ""));
  for (std::size_t i = 0; i < page.shown(rows.size()); ++i) writeItem(page, *rows[i], all);
  page.writeRest(rows.size());
  if (auto words = allOfThem(page.report); !words.empty()) page.layout.paragraph(words, 0, 2);
}

void writeProposals(TextPage& page, const std::vector<Item>& advice) {
  auto rows = standing(advice, {Standing::NotMeasured});
  if (rows.empty()) return;
  auto all = allOf(advice);
  page.layout.heading("Proposals, not measured, by estimated time saved");
  std::size_t known = foldKnown(page, rows), worthless = foldWorthless(page, rows);
  for (std::size_t i = 0; i < page.shown(rows.size()); ++i) {
    writeItem(page, *rows[i], all);
    if (auto why = whyNotMeasured(page.report, rows[i]->advice); !why.empty())
      page.layout.paragraph(why, kIndent);
  }
  page.writeRest(rows.size());
  writeFolded(page, known);
  page.writeWorthless(worthless, "proposal");
}

void writeNoClearGain(TextPage& page, const std::vector<Item>& advice) {
  auto rows = standing(advice, {Standing::NoClearGain});
  if (rows.empty()) return;
  page.layout.heading("Measured, no clear gain");
  writeShortItems(page, advice, rows);
  if (!standing(advice, {Standing::Advised}).empty()) return;
  if (auto words = allOfThem(page.report); !words.empty()) page.layout.paragraph(words, 0, 2);
}

void writeNotUsed(TextPage& page, const std::vector<Item>& advice) {
  auto rows = standing(advice, {Standing::NotUsed, Standing::Disproved});
  if (rows.empty()) return;
  page.layout.heading("Found, but not advised");
  writeShortItems(page, advice, rows);
}

}  // namespace kadvise
