#include "reports/text.h"

#include "reports/sections.h"

namespace kadvise {

std::string shellQuoted(const std::string& word) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string renderText(const Report& report, const TextStyle& style) {
  TextPage page{report, style, Layout(style.width, style.colored)};
  if (report.component) {
    writeComponent(page);
    return page.layout.text();
  }
  if (report.whyNot) {
    writeWhyNot(page);
    return page.layout.text();
  }
  if (report.pair) {
    writePair(page);
    return page.layout.text();
  }
  auto advice = rankedAdvice(report);
  writeVerdict(page);
  writeErrors(page);
  writeAdvice(page, advice);
  writeProposals(page, advice);
  writeReadiness(page);
  writeUnproposed(page);
  writeNoClearGain(page, advice);
  writeNotUsed(page, advice);
  writeSuppressed(page);
  writeRefused(page);
  writeNotApplicable(page);
  writeCost(page);
  writeMethod(page);
  return page.layout.text();
}

}  // namespace kadvise
