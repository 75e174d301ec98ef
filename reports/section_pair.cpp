#include <fmt/format.h>

#include <string_view>

#include "reports/case_words.h"
#include "reports/headline.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

// Beside an equality, so that nobody reads a speed into it.
std::string untimedWords(const PairCheck& pair) {
  if (pair.isTimed || pair.kind != "module" || pair.sanitizer) return "";
  return "; which of them is faster was not asked (--no-timing)";
}

// The engine calls the second module the candidate, and it is this one's file.
std::string withName(std::string reason, const PairCheck& pair) {
  constexpr std::string_view kCandidate = "the candidate ";
  constexpr std::string_view kOtherArguments =
      "Declaration: forward(";  // as LibTorch ends what it says of them
  if (pair.kind != "module" || !reason.starts_with(kCandidate)) return reason;
  reason.replace(0, kCandidate.size() - 1, pair.against);
  return reason.find(kOtherArguments) == std::string::npos ? reason : "the signatures differ: " + reason;
}

// "" when they were not timed.
std::string speedWords(const Report& r) {
  std::string speedup = speedupWords(r.whole.speedup);
  if (speedup.empty()) return "";
  switch (r.whole.outcome) {
    case Outcome::Faster:
      if (!isCredible(r, r.whole.speedup)) return kIncredibleWords;
      return r.pair->against + " is faster: " + speedup;
    case Outcome::Slower:
      return r.pair->against + " is slower: " + speedup;
    case Outcome::Same:
      return "both take the same time: " + speedup;
    default:
      return "which of them is faster is not clear";
  }
}

std::string figures(const Accuracy& a) {
  return fmt::format(
      "worst case: {}, error in ulp of the output's scale: rms {:.3g}, 99.9% {:.3g}, max {:.3g}, bias "
      "{:.2g}; scale {:.6g}",
      a.worstCase, a.rmsUlp, a.p999Ulp, a.maxUlp, a.bias, a.scale);
}

}  // namespace

Headline pairHeadline(const PairCheck& pair, const Verdict& v) {
  if (outputsEqual(v)) return {equalityWords(v) + untimedWords(pair), Ink::Good};
  if (v.outcome == Outcome::WrongOutput) return {"the outputs differ: " + withName(v.reason, pair), Ink::Bad};
  bool isCaught = pair.sanitizer && pair.sanitizer->errors > 0 && v.outcome == Outcome::Failed;
  if (isCaught) return {"refused: " + withName(v.reason, pair), Ink::Bad};
  return {"undecided: " + withName(v.reason, pair), Ink::Fair};
}

void writePair(TextPage& page) {
  const Report& r = page.report;
  Layout& out = page.layout;
  out.paragraph(fmt::format("{} {}  {} against {} on {}", r.tool.name, r.tool.version, r.subject.path,
                            r.pair->against, deviceWords(r)),
                0, 2, Ink::Dim);
  // A saved output is of the module as Python ran it: what differs here may be why it differs.
  bool isNotedFirst = r.pair->kind == "expected" && !outputsEqual(r.whole);
  auto line = [&](const std::string& text) { out.paragraph(text, 2, kIndent); };
  auto writeNotes = [&] {
    for (auto& n : r.notes) line("note: " + n);
  };
  if (isNotedFirst) writeNotes();
  if (r.errors.empty()) {
    out.blank();
    Headline head = pairHeadline(*r.pair, r.whole);
    out.paragraph(head.text, 0, 2, head.ink);
  }
  if (auto words = speedWords(r); !words.empty()) line(words);
  if (auto words = wholeFigures(r); !words.empty()) line(words);
  // Of outputs that differ the headline has them.
  if (outputsEqual(r.whole) && !r.whole.accuracy.worstCase.empty()) line(figures(r.whole.accuracy));
  if (auto words = caseWords(r, kWholeVerdict); !words.empty()) line(words);
  if (outputsEqual(r.whole) && !r.whole.reason.empty()) line(r.whole.reason);
  if (!r.pair->replay.empty()) line("the inputs of the worst case again: " + r.pair->replay);
  if (!isNotedFirst) writeNotes();
  writeErrors(page);
}

}  // namespace kadvise
