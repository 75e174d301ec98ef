#include "reports/view.h"

#include <algorithm>
#include <set>
#include <span>

#include "analyzer/core/hardware.h"
#include "reports/advice_words.h"
#include "reports/baseline.h"
#include "reports/case_words.h"
#include "reports/counts.h"
#include "reports/found_rows.h"
#include "reports/headline.h"
#include "reports/item_words.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

constexpr int kUnwrapped = 100'000;  // columns
constexpr const char* kByHand = "by-hand";

// Options that name files to write, with how many words each takes.
constexpr const char* kOutputs[] = {"--json", "--report", "--markdown", "--sarif",         "--junit",
                                    "-o",     "--output", "--trace",    "--write-baseline"};
constexpr const char* kFlags[] = {"--apply", "--step-summary", "--quiet", "-q"};

bool isOneOf(const std::string& word, std::span<const char* const> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](auto* w) { return word == w || word.starts_with(std::string(w) + "="); });
}

// Unique on the page, and the same in the next run.
std::string anchorOf(const std::string& finding, const std::string& candidate, std::set<std::string>& taken) {
  std::string anchor = "finding-" + (finding.empty() ? candidate : finding);
  if (!taken.insert(anchor).second) taken.insert(anchor += "-" + candidate);
  return anchor;
}

void describePlace(Json& j, const Location& where, std::size_t sites) {
  j["place"] = siteWords(where, sites);
  j["scope"] = where.scope;
  j["snippet"] = where.snippet;
  j["sites"] = sites;
}

std::vector<std::string> remarksOf(const Report& r, const Item& item, const std::vector<Advice>& all) {
  std::vector<std::string> out;
  auto& a = item.advice;
  std::string parts = a.standing == Standing::Advised ? partsWords(a, all) : "";
  for (auto& words : {enablerWords(a, all), sitesTakenWords(a), parts, rivalWords(a)})
    if (!words.empty()) out.push_back(words);
  for (auto& words : otherProposals(r, item, all)) out.push_back(words);
  return out;
}

std::string figuresOf(const Report& r, const Item& item, const std::vector<Advice>& all) {
  auto& a = item.advice;
  if (a.standing == Standing::Advised) return measuredWords(r, a);
  if (a.standing == Standing::PartOfAnother) return withItemNumbers(a.verdict->reason, all, item);
  if (a.standing != Standing::NotMeasured) return withItemNumbers(whyNotUsed(r, a), all, item);
  auto why = whyNotMeasured(r, a);
  auto estimate = estimateWords(a.finding, a.candidate->findings.size());
  return estimate + (estimate.empty() || why.empty() ? "" : "; ") + why;
}

Json proposalView(const Report& r, const Item& item, const std::vector<Advice>& all,
                  std::set<std::string>& anchors) {
  auto& a = item.advice;
  auto& c = *a.candidate;
  Json ids = Json::array();
  for (auto& proposal : proposalsOf(item)) ids.push_back(proposal.candidate->id);
  Json j = {{"number", a.number},
            {"anchor", anchorOf(a.finding ? a.finding->id : "", c.id, anchors)},
            {"standing", word(a.standing)},
            {"rule", c.rule},
            {"message", a.finding ? a.finding->message : c.title},
            {"severity", a.finding ? word(a.finding->severity) : "opportunity"},
            {"savedUs", a.savedUs},
            {"estimatedUs", a.estimatedUs},
            {"figures", figuresOf(r, item, all)},
            {"outputs", caseWords(r, c.id)},
            {"with", replacementWords(c)},
            {"level", c.level},
            {"domain", c.domain},
            {"remarks", remarksOf(r, item, all)},
            {"known", isKnownItem(r, item)},
            {"candidates", ids},
            {"findings", c.findings},
            {"command", commandFor(r, c.rule)}};
  describePlace(j, a.finding ? a.finding->where : Location{}, c.findings.size());
  return j;
}

Json foundView(const Report& r, const FoundRow& row, std::size_t number, std::set<std::string>& anchors) {
  auto& f = *row.first;
  Json j = {{"number", number},
            {"anchor", anchorOf(f.id, std::to_string(number), anchors)},
            {"standing", kByHand},
            {"rule", f.rule},
            {"message", messageOf(row)},
            {"severity", word(f.severity)},
            {"savedUs", 0},
            {"estimatedUs", estimatedUs(f, row.sites)},
            {"figures", estimateWords(&f, row.sites)},
            {"outputs", ""},
            {"with", ""},
            {"level", 0},
            {"domain", ""},
            {"remarks", Json::array()},
            {"known", isKnown(r, f.id)},
            {"candidates", Json::array()},
            {"findings", row.ids},
            {"command", commandFor(r, f.rule)}};
  describePlace(j, f.where, row.sites);
  return j;
}

Json itemsOf(const Report& r) {
  Json out = Json::array();
  std::set<std::string> anchors;
  auto items = groupedAdvice(r);
  auto all = allOf(items);
  for (auto& item : items) out.push_back(proposalView(r, item, all, anchors));
  for (auto& row : foundRows(unproposedFindings(r)))
    out.push_back(foundView(r, row, out.size() + 1, anchors));
  return out;
}

Json sectionsOf(const Report& r) {
  constexpr const char* kKinds[] = {"heading", "paragraph", "verbatim"};
  Json out = Json::array();
  for (auto& section : textSections(r, {kUnwrapped, false, true})) {
    Json blocks = Json::array();
    for (auto& b : section.blocks)
      blocks.push_back({{"kind", kKinds[static_cast<std::size_t>(b.kind)]},
                        {"indent", b.indent},
                        {"ink", word(b.ink)},
                        {"text", b.text}});
    out.push_back({{"id", section.id}, {"blocks", std::move(blocks)}});
  }
  return out;
}

Json levelsOf(const Report& r) {
  Json out = Json::array();
  if (!r.levels) return out;
  for (auto& row : *r.levels) {
    auto c = levelCells(r, row);
    out.push_back({{"time", c.time},
                   {"factor", c.factor},
                   {"memory", c.memory},
                   {"firstCall", c.firstCall},
                   {"outputs", c.outputs},
                   {"doubt", c.doubt}});
  }
  return out;
}

// The ceilings that modules and kernels are drawn under.
Json rooflineOf(const Report& r) {
  const Gpu* gpu = r.device.kind == "cuda" ? gpuOfDevice(r.device.name, r.device.arch) : nullptr;
  if (!gpu && r.estimate) gpu = gpuNamed(r.estimate->gpu);
  if (!gpu) return nullptr;
  return {{"gpu", gpu->name},
          {"bytesPerSecond", gpu->dramBytesPerSecond},
          {"flopPerSecond",
           {{"fp32", gpu->fp32FlopPerSecond},
            {"tf32 tensor", gpu->tf32FlopPerSecond},
            {"16-bit tensor", gpu->fp16FlopPerSecond}}}};
}

}  // namespace

const char* word(Standing standing) {
  constexpr const char* kWords[] = {"advised",  "not-measured", "no-clear-gain",
                                    "not-used", "disproved",    "part-of-another"};
  return kWords[static_cast<std::size_t>(standing)];
}

std::vector<std::string> commandWordsFor(const std::vector<std::string>& command, const std::string& rule) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < command.size(); ++i) {
    auto& given = command[i];
    if (isOneOf(given, kFlags)) continue;
    if (isOneOf(given, kOutputs)) i += given.find('=') == std::string::npos;
    else out.push_back(given);
  }
  out.insert(out.end(), {"--select", rule});
  return out;
}

std::string commandFor(const Report& r, const std::string& rule) {
  if (r.command.empty()) return "";
  std::string out;
  for (auto& word : commandWordsFor(r.command, rule)) out += (out.empty() ? "" : " ") + shellQuoted(word);
  return out;
}

Json viewOf(const Report& r) {
  Headline head = headline(r);
  return {{"headline", head.text},
          {"ink", word(head.ink)},
          {"figures", wholeFigures(r)},
          {"device", deviceWords(r)},
          {"caveat", deviceCaveat(r)},
          {"apply", applyCommand(r)},
          {"items", itemsOf(r)},
          {"sections", sectionsOf(r)},
          {"levels", levelsOf(r)},
          {"roofline", rooflineOf(r)},
          {"timesNote", timesNote(r)},
          {"memoryNote", memoryNote(r)},
          {"outputs", caseWords(r, kWholeVerdict)},
          {"counts", countsOf(r)},
          {"changes", r.comparison ? changeCounts(*r.comparison) : ""}};
}

}  // namespace kadvise
