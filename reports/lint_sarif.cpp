// SARIF 2.1.0, within the limits of GitHub's code scanning.
#include <algorithm>

#include "reports/lint_formats.h"
#include "reports/lint_summary.h"
#include "reports/sarif_words.h"
#include "reports/visible_json.h"

namespace kadvise {
namespace {

constexpr std::size_t kMostResults = 25000, kMostLocations = 1000, kMostTags = 10;

// As precision of a rule in GitHub's words.
const char* precisionOf(const std::string& confidence) {
  return confidence == "possible" ? "medium" : confidence == "likely" ? "high" : "very-high";
}

bool isAscii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

Json regionOf(const Location& l) {
  Json out = {{"startLine", std::max(1, l.line)}};
  if (l.endLine >= l.line && l.endLine > 0) out["endLine"] = l.endLine;
  // Our columns count bytes, and those of SARIF characters: the same in ASCII only.
  bool hasColumns = isAscii(l.snippet);
  if (hasColumns && l.column > 0) out["startColumn"] = l.column;
  if (hasColumns && l.endColumn > 0 && (l.endLine > l.line || l.endColumn > l.column))
    out["endColumn"] = l.endColumn;
  if (!l.snippet.empty()) out["snippet"] = {{"text", l.snippet}};
  return out;
}

Json locationOf(const Location& l) {
  return {{"physicalLocation", {{"artifactLocation", sarifArtifact(l.file)}, {"region", regionOf(l)}}}};
}

Json fixOf(const Fix& fix) {
  Json changes = Json::array();
  if (auto* edits = std::get_if<std::vector<Edit>>(&fix.change))
    for (auto& e : *edits)
      changes.push_back({{"artifactLocation", sarifArtifact(e.file)},
                         {"replacements",
                          {{{"deletedRegion", {{"byteOffset", e.offset}, {"byteLength", e.length}}},
                            {"insertedContent", {{"text", e.text}}}}}}});
  return {{"description", {{"text", fix.title}}}, {"artifactChanges", changes}};
}

Json ruleOf(const LintRule& rule) {
  Json tags = Json::array();
  for (auto& t : rule.tags)
    if (tags.size() < kMostTags) tags.push_back(t);
  std::string help = "**" + rule.title + "**\n\n" + sectionOf(rule, "What it finds") + "\n\n" +
                     sectionOf(rule, "Why it costs") + "\n\n" + insteadOf(rule);
  std::string found = sectionOf(rule, "What it finds");
  return {{"id", rule.id},
          {"shortDescription", {{"text", rule.title}}},
          {"fullDescription", {{"text", found.empty() ? rule.title : found}}},
          {"help", {{"text", help}, {"markdown", help}}},
          {"defaultConfiguration", {{"level", sarifLevel(rule.severity)}}},
          {"properties",
           {{"tags", tags},
            {"precision", precisionOf(rule.confidence)},
            {"problem.severity", rule.severity == Severity::Error     ? "error"
                                 : rule.severity == Severity::Warning ? "warning"
                                                                      : "recommendation"}}}};
}

Json resultOf(const Finding& f, std::size_t rule) {
  Json out = {{"ruleId", f.rule},
              {"ruleIndex", rule},
              {"level", sarifLevel(f.severity)},
              {"message", {{"text", f.message}}},
              {"locations", {locationOf(f.where)}},
              {"partialFingerprints", {{"kadviseFinding/v1", f.id}}}};
  Json related = Json::array();
  for (auto& l : f.related) {
    if (related.size() >= kMostLocations) break;
    Json place = locationOf(l);
    place["id"] = related.size() + 1;
    if (!l.note.empty()) place["message"] = {{"text", l.note}};
    related.push_back(place);
  }
  if (!related.empty()) out["relatedLocations"] = related;
  Json properties = Json::object();
  if (!f.confidence.empty()) properties["confidence"] = f.confidence;
  if (f.price) properties["price"] = f.price->words;
  if (!properties.empty()) out["properties"] = properties;
  Json fixes = Json::array();
  for (auto& fix : f.fixes)
    if (std::holds_alternative<std::vector<Edit>>(fix.change)) fixes.push_back(fixOf(fix));
  if (!fixes.empty()) out["fixes"] = fixes;
  return out;
}

// What has no line in the sources.
Json propertiesOf(const LintReport& report) {
  int suppressed = 0, known = 0;
  for (auto& file : report.files) suppressed += file.suppressed, known += file.known;
  return {{"summary", lintSummary(report)},
          {"files", report.files.size()},
          {"suppressed", suppressed},
          {"known", known}};
}

}  // namespace

std::string lintSarif(const LintReport& report) {
  Json rules = Json::array(), results = Json::array(), notifications = Json::array();
  std::map<std::string, std::size_t> index;
  for (auto& [id, rule] : report.rules) index[id] = rules.size(), rules.push_back(ruleOf(rule));
  // The gravest first: what is over the limit is what matters least.
  std::vector<const Finding*> findings;
  for (auto& file : report.files) {
    for (auto& f : file.findings) findings.push_back(&f);
    if (!file.failure.empty())
      notifications.push_back(
          {{"level", "error"},
           {"message", {{"text", file.failure}}},
           {"locations", {{{"physicalLocation", {{"artifactLocation", sarifArtifact(file.path)}}}}}}});
  }
  for (auto* e : errorsOfNoFile(report))
    notifications.push_back({{"level", "error"}, {"message", {{"text", e->where + ": " + e->what}}}});
  notifications.push_back({{"level", "note"}, {"message", {{"text", lintSummary(report)}}}});
  for (auto& limit : lintLimits(report))
    notifications.push_back({{"level", "note"}, {"message", {{"text", limit.text}}}});
  std::stable_sort(findings.begin(), findings.end(),
                   [](auto* a, auto* b) { return a->severity > b->severity; });
  for (auto* f : findings)
    if (results.size() < kMostResults) results.push_back(resultOf(*f, index.at(f->rule)));
  Json run = {
      {"tool",
       {{"driver", {{"name", "kadvise"}, {"semanticVersion", report.tool.version}, {"rules", rules}}}}},
      {"automationDetails", {{"id", "kadvise/lint/"}}},
      {"columnKind", "unicodeCodePoints"},
      {"originalUriBaseIds", sarifBases()},
      {"invocations",
       {{{"executionSuccessful", report.errors.empty()}, {"toolExecutionNotifications", notifications}}}},
      {"properties", propertiesOf(report)},
      {"results", results}};
  return toText(visibleJson({{"$schema", kSarifSchema}, {"version", kSarifVersion}, {"runs", {run}}}));
}

}  // namespace kadvise
