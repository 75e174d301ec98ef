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

namespace {

using Section = void(TextPage&);

// Of the commands that do not advise.
Section* ownPageOf(const Report& r) {
  if (r.component) return writeComponent;
  if (r.whyNot) return writeWhyNot;
  if (r.levels) return writeLevels;
  if (r.pair) return writePair;
  if (r.profile) return writeProfile;
  if (r.health) return writeHealth;
  return r.bench ? writeBench : nullptr;
}

}  // namespace

std::string renderText(const Report& report, const TextStyle& style) {
  TextPage page{report, style, Layout(style.width, style.colored)};
  if (auto* write = ownPageOf(report)) {
    write(page);
    return page.layout.text();
  }
  auto advice = groupedAdvice(report);
  writeVerdict(page);
  writeErrors(page);
  writeAdvice(page, advice);
  writeProposals(page, advice);
  writeCudaGraph(page);
  writeReadiness(page);
  writeUnproposed(page);
  writeNoClearGain(page, advice);
  writeNotUsed(page, advice);
  writeSearch(page, advice);
  writeSuppressed(page);
  writeRefused(page);
  writeNotApplicable(page);
  writeGenerated(page);
  writeCost(page);
  writeMethod(page);
  return page.layout.text();
}

}  // namespace kadvise
