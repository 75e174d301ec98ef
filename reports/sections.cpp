#include "reports/sections.h"

#include <fmt/format.h>

#include <map>

#include "reports/headline.h"

namespace kadvise {
namespace {

constexpr std::size_t kShortList = 10;  // rows of a list that is not verbose
constexpr int kIndent = 4;

std::size_t shown(const TextPage& page, std::size_t rows) {
  return page.style.verbose ? rows : std::min(rows, kShortList);
}

void writeRest(TextPage& page, std::size_t rows) {
  if (rows > shown(page, rows))
    page.layout.paragraph(fmt::format("… and {} more (--verbose lists all)", rows - shown(page, rows)),
                          kIndent);
}

std::string plural(std::size_t n, const std::string& noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string fileName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// What the user changes in the code: the page's own example when it is short, else where to read it.
std::string howToWrite(const Report& report, const std::string& rule) {
  auto text = report.rules.find(rule);
  if (text == report.rules.end()) return "";
  auto section = text->second.sections.find("What to write instead");
  return section == text->second.sections.end() ? "" : section->second;
}

std::string subjectWords(const ReportSubject& s) {
  std::string out = s.path;
  if (!s.format.empty())
    out += fmt::format("  ({}, {} nodes, {} parameters of {})", s.format, s.nodes, s.parameters,
                       formatBytes(static_cast<double>(s.parameterBytes)));
  return out;
}

std::string wholeFigures(const Report& r) {
  std::vector<std::string> parts;
  double before = medianWallUs(r.whole.before), after = medianWallUs(r.whole.after);
  bool clear = r.whole.outcome != Outcome::Ambiguous;
  if (clear && before > 0 && after > 0)
    parts.push_back(fmt::format("median call {} → {}", formatUs(before), formatUs(after)));
  std::size_t sites = 0;
  for (auto& a : r.composition.applied) sites += static_cast<std::size_t>(a.sites);
  if (sites)
    parts.push_back(
        fmt::format("{} at {}", plural(r.composition.applied.size(), "replacement"), plural(sites, "site")));
  if (r.whole.before.peakBytes && r.whole.after.peakBytes)
    parts.push_back(fmt::format("peak memory {} → {}",
                                formatBytes(static_cast<double>(r.whole.before.peakBytes)),
                                formatBytes(static_cast<double>(r.whole.after.peakBytes))));
  std::string out;
  for (auto& p : parts) out += (out.empty() ? "" : " · ") + p;
  return out;
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

std::string estimateWords(const Finding* f) {
  if (!f || !f->estimate) return "";
  const Estimate& e = *f->estimate;
  std::string out = "estimate: ";
  if (e.bytesSaved > 0) out += formatBytes(e.bytesSaved) + " less traffic a call, ";
  return out + formatFactor(e.speedup) + (e.basis.empty() ? "" : " (" + e.basis + ")");
}

void writeItem(TextPage& page, const Advice& a, std::size_t number) {
  const Candidate& c = *a.candidate;
  Layout& out = page.layout;
  out.paragraph(fmt::format("{:>2}. {}  [{}]", number, a.finding ? a.finding->message : c.title, c.rule), 0,
                kIndent, Ink::Bold);
  if (a.finding) {
    out.paragraph(siteWords(a.finding->where, c.findings.size()), kIndent);
    if (!a.finding->where.snippet.empty()) out.verbatim("> " + a.finding->where.snippet, kIndent);
  }
  bool measured = a.verdict && a.verdict->outcome != Outcome::NotRun;
  bool faster = measured && a.verdict->outcome == Outcome::Faster;
  out.paragraph(measured ? gainWords(a) + "; " + equalityWords(*a.verdict) : estimateWords(a.finding),
                kIndent, faster ? Ink::Good : Ink::Plain);
  out.paragraph(fmt::format("with: {} (level {}, {})", c.title, c.level, word(c.exactness)), kIndent,
                kIndent + 2);
  if (!c.domain.empty()) out.paragraph("differs where " + c.domain, kIndent);
  if (!page.style.verbose) return;
  if (auto text = howToWrite(page.report, c.rule); !text.empty()) {
    out.paragraph("write instead:", kIndent);
    out.verbatim(text, kIndent + 2);
  }
}

// "cpuThreads" -> "cpu threads"
std::string spelledOut(const std::string& key) {
  std::string out;
  for (char c : key)
    out += c >= 'A' && c <= 'Z' ? std::string(" ") + static_cast<char>(c - 'A' + 'a') : std::string(1, c);
  return out;
}

}  // namespace

std::string siteWords(const Location& where, std::size_t sites) {
  std::string out =
      where.file.empty() ? "" : where.file + (where.line ? ":" + std::to_string(where.line) : "");
  if (!where.scope.empty()) out += (out.empty() ? "" : " in ") + where.scope;
  if (out.empty()) out = "place unknown (the file keeps no source lines)";
  if (sites > 1) out += fmt::format(", and {} alike", plural(sites - 1, "site"));
  return out;
}

void writeVerdict(TextPage& page) {
  const Report& r = page.report;
  Layout& out = page.layout;
  out.paragraph(fmt::format("{} {}  {}", r.tool.name, r.tool.version, subjectWords(r.subject)), 0, 2,
                Ink::Dim);
  out.blank();
  Headline head = headline(r);
  out.paragraph(head.text, 0, 2, head.ink);
  if (auto figures = wholeFigures(r); !figures.empty()) out.paragraph(figures, 2);
  if (r.output && r.output->written) out.paragraph("written: " + r.output->path, 2, 4, Ink::Good);
  if (r.output && !r.output->written) out.paragraph("not written: " + r.output->reason, 2, 4, Ink::Fair);
}

void writeErrors(TextPage& page) {
  if (page.report.errors.empty()) return;
  page.layout.heading("Errors");
  for (auto& e : page.report.errors)
    page.layout.paragraph((e.where.empty() ? "" : e.where + ": ") + e.what, 2, kIndent, Ink::Bad);
}

void writeAdvice(TextPage& page, const std::vector<Advice>& advice) {
  std::vector<const Advice*> applied, proposed;
  for (auto& a : advice) {
    if (a.standing == Standing::Applied) applied.push_back(&a);
    if (a.standing == Standing::NotMeasured) proposed.push_back(&a);
  }
  std::size_t number = 0;
  if (!applied.empty()) {
    page.layout.heading("What to change, by measured time saved");
    for (; number < shown(page, applied.size()); ++number) writeItem(page, *applied[number], number + 1);
    writeRest(page, applied.size());
    auto command = applyCommand(page.report);
    bool worthIt = page.report.whole.outcome == Outcome::Faster || page.report.whole.outcome == Outcome::Same;
    if (!page.report.output && worthIt && !command.empty())
      page.layout.paragraph("all of them: " + command, 0, 2);
  }
  if (proposed.empty()) return;
  page.layout.heading("Proposals, not measured");
  for (std::size_t i = 0; i < shown(page, proposed.size()); ++i) {
    writeItem(page, *proposed[i], ++number);
    if (!proposed[i]->reason.empty()) page.layout.paragraph("not measured: " + proposed[i]->reason, kIndent);
  }
  writeRest(page, proposed.size());
}

void writeUnproposed(TextPage& page) {
  auto findings = unproposedFindings(page.report);
  if (findings.empty()) return;
  page.layout.heading("Also found, to change by hand");
  for (std::size_t i = 0; i < shown(page, findings.size()); ++i) {
    const Finding& f = *findings[i];
    page.layout.paragraph(fmt::format("- {}: {}  [{}]", word(f.severity), f.message, f.rule), 2, kIndent);
    page.layout.paragraph(siteWords(f.where, 1), kIndent);
    if (!f.where.snippet.empty()) page.layout.verbatim("> " + f.where.snippet, kIndent);
  }
  writeRest(page, findings.size());
}

void writeNotUsed(TextPage& page, const std::vector<Advice>& advice) {
  std::vector<const Advice*> rows;
  for (auto& a : advice)
    if (a.standing == Standing::NotUsed || a.standing == Standing::Disproved) rows.push_back(&a);
  if (rows.empty()) return;
  page.layout.heading("Found, but not advised");
  for (std::size_t i = 0; i < shown(page, rows.size()); ++i) {
    const Advice& a = *rows[i];
    std::string why = a.reason;
    if (a.standing == Standing::NotUsed)
      why = gainWords(a) + "; " + equalityWords(*a.verdict) + (why.empty() ? "" : ": " + why);
    else
      why = std::string(a.verdict->outcome == Outcome::Failed ? "failed" : "outputs differ") +
            (why.empty() ? "" : ": " + why);
    page.layout.paragraph(fmt::format("- {}  [{}]", a.candidate->title, a.candidate->rule), 2, kIndent);
    if (a.finding) page.layout.paragraph(siteWords(a.finding->where, a.candidate->findings.size()), kIndent);
    page.layout.paragraph(why, kIndent);
  }
  writeRest(page, rows.size());
}

void writeRefused(TextPage& page) {
  if (page.report.refused.empty()) return;
  // Equal layers are refused for equal reasons: one row, with how many.
  struct Row {
    const Refusal* first;
    std::size_t sites;
  };
  std::vector<Row> rows;
  std::map<std::string, std::size_t> known;
  for (auto& r : page.report.refused) {
    auto [it, added] = known.emplace(
        r.rule + "\n" + r.where.file + ":" + std::to_string(r.where.line) + "\n" + r.mismatch.reason,
        rows.size());
    if (added) rows.push_back({&r, 0});
    ++rows[it->second].sites;
  }
  page.layout.heading("Refused, and why");
  for (std::size_t i = 0; i < shown(page, rows.size()); ++i) {
    const Refusal& r = *rows[i].first;
    page.layout.paragraph(fmt::format("- {} at {}: {}{}", r.rule, siteWords(r.where, rows[i].sites),
                                      r.mismatch.at.empty() ? "" : r.mismatch.at + " ", r.mismatch.reason),
                          2, kIndent);
  }
  writeRest(page, rows.size());
}

void writeNotApplicable(TextPage& page) {
  if (page.report.notApplicable.empty()) return;
  std::vector<std::pair<std::string, std::string>> rows;  // reason, rules
  std::map<std::string, std::size_t> known;
  for (auto& n : page.report.notApplicable) {
    auto [it, added] = known.emplace(n.reason, rows.size());
    if (added) rows.emplace_back(n.reason, n.rule);
    else rows[it->second].second += ", " + n.rule;
  }
  page.layout.heading("Not applicable");
  for (auto& [reason, rules] : rows) page.layout.paragraph(rules + ": " + reason, 2, kIndent);
}

void writeMethod(TextPage& page) {
  const Report& r = page.report;
  Layout& out = page.layout;
  out.heading("How this was measured");
  if (!r.device.kind.empty()) {
    std::string caveat = deviceCaveat(r);
    bool timed = medianWallUs(r.whole.before) > 0;
    for (auto& v : r.verdicts) timed = timed || medianWallUs(v.before) > 0;
    out.paragraph((timed ? "timed on " : "run on ") + deviceWords(r) + (caveat.empty() ? "" : "; " + caveat),
                  2, kIndent);
  }
  std::string inputs;
  for (auto& s : r.inputs.specs) inputs += (inputs.empty() ? "" : " ") + s;
  if (!inputs.empty())
    out.paragraph(fmt::format("inputs: {}{}, seed {}", inputs,
                              r.inputs.file.empty() ? "" : " from " + r.inputs.file, r.inputs.seed),
                  2, kIndent);
  out.paragraph(
      "before: the file as it is loaded, in eval mode; outputs are compared against an fp64 reference", 2,
      kIndent);
  if (outputsEqual(r.whole) && !r.whole.reason.empty())
    out.paragraph("the whole: " + r.whole.reason, 2, kIndent);
  std::string versions;
  for (auto& [name, value] : r.environment)
    versions += (versions.empty() ? "" : ", ") + spelledOut(name) + " " + value;
  if (!versions.empty()) out.paragraph("with: " + versions, 2, kIndent);
  std::string command;
  for (auto& w : r.command) command += (command.empty() ? "" : " ") + shellQuoted(w);
  if (!command.empty()) out.paragraph("again: " + command, 2, kIndent);
  for (auto& n : r.notes) out.paragraph("note: " + n, 2, kIndent);
  for (auto& n : r.composition.notes) out.paragraph("note: " + n, 2, kIndent);
  if (!page.style.verbose) return;
  for (auto& [phase, seconds] : r.timing)
    out.paragraph(fmt::format("{}: {:.2f} s", phase, seconds), 2, kIndent);
}

}  // namespace kadvise
