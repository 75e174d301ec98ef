#include "reports/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/sections.h"

namespace kadvise {

namespace {

// $'...' of bash and zsh: a line break in a path would end the line that is to be copied.
std::string ansiQuoted(const std::string& word) {
  std::string out = "$'";
  for (char c : word) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) out += fmt::format("\\{:03o}", byte);
    else if (c == '\'' || c == '\\') out += std::string("\\") + c;
    else out += c;
  }
  return out + "'";
}

}  // namespace

std::string shellQuoted(const std::string& word) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  auto isControl = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(word.begin(), word.end(), isControl)) return ansiQuoted(word);
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

namespace {

using Items = std::vector<Item>;

struct Part {
  const char* id;
  void (*write)(TextPage&, const Items&);
};

template <void (*write)(TextPage&)>
void alone(TextPage& page, const Items&) {
  write(page);
}

// In the order in which they are read.
constexpr Part kAdviceParts[] = {{"verdict", alone<writeVerdict>},
                                 {"errors", alone<writeErrors>},
                                 {"advice", writeAdvice},
                                 {"proposals", writeProposals},
                                 {"cuda-graphs", alone<writeCudaGraph>},
                                 {"readiness", alone<writeReadiness>},
                                 {"by-hand", alone<writeUnproposed>},
                                 {"no-clear-gain", writeNoClearGain},
                                 {"not-used", writeNotUsed},
                                 {"search", writeSearch},
                                 {"suppressed", alone<writeSuppressed>},
                                 {"refused", alone<writeRefused>},
                                 {"generated", alone<writeGenerated>},
                                 {"cost", alone<writeCost>},
                                 {"not-applicable", alone<writeNotApplicable>},
                                 {"method", alone<writeMethod>}};

// Of the commands that do not advise: a page of their own.
const Part* ownPartOf(const Report& r) {
  static constexpr Part kComponent{"component", alone<writeComponent>},
      kWhyNot{"why-not", alone<writeWhyNot>}, kLevels{"levels", alone<writeLevels>},
      kPair{"pair", alone<writePair>}, kProfile{"profile", alone<writeProfile>},
      kHealth{"health", alone<writeHealth>}, kBench{"bench", alone<writeBench>};
  if (r.component) return &kComponent;
  if (r.whyNot) return &kWhyNot;
  if (r.levels) return &kLevels;
  if (r.pair) return &kPair;
  if (r.profile) return &kProfile;
  if (r.health) return &kHealth;
  return r.bench ? &kBench : nullptr;
}

std::vector<Part> partsOf(const Report& r) {
  if (auto* own = ownPartOf(r)) return {*own};
  return {std::begin(kAdviceParts), std::end(kAdviceParts)};
}

}  // namespace

std::string renderText(const Report& report, const TextStyle& style) {
  TextPage page{report, style, Layout(style.width, style.colored)};
  if (report.comparison) {
    writeComparison(page);
    return page.layout.text();
  }
  auto items = groupedAdvice(report);
  for (auto& part : partsOf(report)) part.write(page, items);
  return page.layout.text();
}

std::vector<TextSection> textSections(const Report& report, const TextStyle& style) {
  std::vector<TextSection> out;
  auto items = groupedAdvice(report);
  auto parts = partsOf(report);
  if (report.comparison) parts.insert(parts.begin(), {"comparison", alone<writeComparison>});
  for (auto& part : parts) {
    TextPage page{report, style, Layout(style.width, false)};
    part.write(page, items);
    if (!page.layout.blocks().empty()) out.push_back({part.id, page.layout.blocks()});
  }
  return out;
}

}  // namespace kadvise
