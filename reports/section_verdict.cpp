#include "reports/sections.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/baseline.h"
#include "reports/case_words.h"
#include "reports/counts.h"
#include "reports/headline.h"

namespace kadvise {
namespace {

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string out;
  for (auto& p : parts) out += (out.empty() ? "" : between) + p;
  return out;
}

std::string commandOf(const Report& r) {
  std::string out;
  for (auto& word : r.command) out += (out.empty() ? "" : " ") + shellQuoted(word);
  return out;
}

std::string subjectWords(const ReportSubject& s) {
  std::string out = s.path;
  if (!s.format.empty())
    out += fmt::format("  ({}, {}, {} of {})", s.format, plural(static_cast<std::size_t>(s.nodes), "node"),
                       plural(static_cast<std::size_t>(s.parameters), "parameter"),
                       formatBytes(static_cast<double>(s.parameterBytes)));
  return out;
}

// Folded and joined weights stand beside the originals: the file tells how much that is.
std::string writtenWords(const Report& r) {
  const Output& o = *r.output;
  std::string guessed =
      r.inputs.from == "inferred" ? "; for guessed inputs: calls of other dtypes or ranks are refused" : "";
  if (o.fileBytes <= 0 || o.originalBytes <= 0) return o.path + guessed;
  return fmt::format("{} ({}; {} has {}){}", o.path, formatBytes(static_cast<double>(o.fileBytes)),
                     r.subject.path, formatBytes(static_cast<double>(o.originalBytes)), guessed);
}

// "cpuThreads" -> "cpu threads"
std::string spelledOut(const std::string& key) {
  std::string out;
  for (char c : key)
    out += c >= 'A' && c <= 'Z' ? std::string(" ") + static_cast<char>(c - 'A' + 'a') : std::string(1, c);
  return out;
}

std::string devicePlainly(const Report& r) {
  bool timed = medianWallUs(r.whole.before) > 0;
  for (auto& v : r.verdicts) timed = timed || medianWallUs(v.before) > 0;
  std::string caveat = deviceCaveat(r);
  return (timed ? "timed on " : "run on ") + deviceWords(r) + (caveat.empty() ? "" : "; " + caveat);
}

std::string inputWords(const ReportInputs& i) {
  return fmt::format("inputs: {}{}, seed {}", joined(i.specs, " "), i.file.empty() ? "" : " from " + i.file,
                     i.seed);
}

std::string baselineWords(const Report& r) {
  auto& b = *r.baseline;
  std::size_t fresh = 0;
  for (auto& f : r.findings) fresh += counts(r, f);
  std::string out = fmt::format("baseline {}: {} known, {} new", b.path, b.known.size(), fresh);
  if (!b.fixed.empty()) out += fmt::format(", fixed: {}; run --write-baseline", b.fixed.size());
  return out;
}

std::string environmentWords(const Report& r) {
  std::vector<std::string> parts;
  for (auto& [name, value] : r.environment) parts.push_back(spelledOut(name) + " " + value);
  return joined(parts, ", ");
}

std::string withinWords(std::size_t n) { return n ? fmt::format("{} of them within a larger one", n) : ""; }

// Something of the module was compared or timed.
bool isMeasured(const Report& r) {
  auto ran = [](const Verdict& v) { return v.outcome != Outcome::NotRun; };
  return ran(r.whole) || std::any_of(r.verdicts.begin(), r.verdicts.end(), ran);
}

}  // namespace

std::string timesNote(const Report& r) {
  auto second = r.whole.before.counters.find("confirmedSpeedup");
  double before = medianWallUs(r.whole.before), after = medianWallUs(r.whole.after);
  if (second == r.whole.before.counters.end() || after <= 0) return "";
  bool isOtherFigure = before / after > r.whole.speedup.high * 1.03;
  return isOtherFigure ? "in the first of two processes; the smaller gain stands" : "";
}

std::string memoryNote(const Report& r) {
  if (!r.cudaGraph || r.cudaGraph->status != GraphStatus::Applied || r.cudaGraph->poolBytes <= 0) return "";
  return "and " + formatBytes(r.cudaGraph->poolBytes) + " that the graphs keep";
}

std::string wholeFigures(const Report& r) {
  std::vector<std::string> parts;
  double before = medianWallUs(r.whole.before), after = medianWallUs(r.whole.after);
  bool clear = r.whole.outcome != Outcome::Ambiguous;
  auto inBrackets = [](const std::string& words) { return words.empty() ? "" : " (" + words + ")"; };
  if (clear && before > 0 && after > 0)
    parts.push_back(fmt::format("median call {} → {}", formatUs(before), formatUs(after)) +
                    inBrackets(timesNote(r)));
  std::size_t sites = 0;
  for (auto& a : r.composition.applied) sites += static_cast<std::size_t>(a.sites);
  if (sites)
    parts.push_back(
        fmt::format("{} at {}", plural(r.composition.applied.size(), "replacement"), plural(sites, "site")) +
        inBrackets(withinWords(countsOf(r).appliedWithin)));
  if (r.cudaGraph && r.cudaGraph->status == GraphStatus::Applied) parts.push_back("in CUDA graphs");
  if (r.whole.before.peakBytes && r.whole.after.peakBytes)
    parts.push_back(fmt::format("peak memory {} → {}",
                                formatBytes(static_cast<double>(r.whole.before.peakBytes)),
                                formatBytes(static_cast<double>(r.whole.after.peakBytes))) +
                    inBrackets(memoryNote(r)));
  return joined(parts, " · ");
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
  if (auto words = budgetWords(r); !words.empty() && words != r.whole.reason)
    out.paragraph(words, 2, 4, Ink::Fair);
  if (auto words = countWords(r); !words.empty()) out.paragraph(words, 2, 4);
  if (r.baseline) out.paragraph(baselineWords(r), 2, 4);
  if (r.output && r.output->written) out.paragraph("written: " + writtenWords(r), 2, 4, Ink::Good);
  if (r.output && r.output->written && !r.output->library.empty())
    out.paragraph("before torch.jit.load: torch.ops.load_library(\"" + r.output->library + "\")", 2, 4);
  // The headline is the reason: here only what the reason says beyond it.
  if (r.output && !r.output->written && r.output->reason.starts_with(head.text))
    out.paragraph("not written: " + r.output->path + r.output->reason.substr(head.text.size()), 2, 4,
                  Ink::Fair);
  else if (r.output && !r.output->written) out.paragraph("not written: " + r.output->reason, 2, 4, Ink::Fair);
}

void writeErrors(TextPage& page) {
  if (page.report.errors.empty()) return;
  page.layout.heading("Errors");
  for (auto& e : page.report.errors)
    page.layout.paragraph((e.where.empty() ? "" : e.where + ": ") + e.what, 2, kIndent, Ink::Bad);
}

void writeMethod(TextPage& page) {
  const Report& r = page.report;
  bool measured = isMeasured(r);
  page.layout.heading(measured ? "How this was measured" : "About this run");
  auto line = [&](const std::string& text) { page.layout.paragraph(text, 2, kIndent); };
  if (!r.device.kind.empty()) line(devicePlainly(r));
  if (!r.inputs.specs.empty()) line(inputWords(r.inputs));
  if (measured)
    line("before: the file as it is loaded, in eval mode; outputs are compared against an fp64 reference");
  if (outputsEqual(r.whole) && !r.whole.reason.empty()) line("the whole: " + r.whole.reason);
  if (auto words = caseWords(r, kWholeVerdict); !words.empty()) line("outputs of the whole: " + words);
  if (!r.environment.empty()) line("with: " + environmentWords(r));
  if (!r.configuration.empty()) line("configuration: " + r.configuration);
  if (!r.command.empty()) line("again: " + commandOf(r));
  for (auto& n : r.notes) line("note: " + n);
  for (auto& n : r.composition.notes) line("note: " + n);
  if (!page.style.verbose) return;
  if (r.timing.empty()) return;
  std::vector<std::string> phases;
  for (auto& [phase, seconds] : r.timing) phases.push_back(fmt::format("{} {:.2f} s", phase, seconds));
  line("time of the run: " + joined(phases, ", "));
}

}  // namespace kadvise
