#include "reports/sarif.h"

#include <map>

#include "reports/baseline.h"
#include "reports/sarif_words.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

// A finding without a line is at the module's file, under the path of the module inside.
Json locationOf(const Location& where, const std::string& subject) {
  bool hasFile = !where.file.empty();
  Json physical = {{"artifactLocation", {{"uri", sarifAddress(hasFile ? where.file : subject)}}}};
  if (hasFile && where.line > 0) {
    Json region = {{"startLine", where.line}};  // no columns: ours count bytes, and SARIF's do not
    if (where.endLine >= where.line) region["endLine"] = where.endLine;
    if (!where.snippet.empty()) region["snippet"] = {{"text", where.snippet}};
    physical["region"] = region;
  }
  Json out = {{"physicalLocation", physical}};
  if (!where.scope.empty())
    out["logicalLocations"] = Json::array({{{"fullyQualifiedName", where.scope}, {"kind", "module"}}});
  return out;
}

Json resultOf(const Report& r, const Finding& f, std::size_t rule) {
  Json out = {{"ruleId", f.rule},
              {"ruleIndex", rule},
              {"level", sarifLevel(f.severity)},
              {"message", {{"text", f.message}}},
              {"locations", Json::array({locationOf(f.where, r.subject.path)})},
              {"partialFingerprints", {{"kadviseFinding/v1", f.id}}}};
  Json related = Json::array();
  for (std::size_t i = 0; i < f.related.size(); ++i) {
    related.push_back(locationOf(f.related[i], r.subject.path));
    related.back()["id"] = i + 1;
  }
  if (!related.empty()) out["relatedLocations"] = related;
  if (r.baseline) out["baselineState"] = isKnown(r, f.id) ? "unchanged" : "new";
  if (auto* s = suppressionOf(r, f.id))
    out["suppressions"] = Json::array({{{"kind", "external"}, {"justification", s->reason}}});
  return out;
}

// What was measured of the proposal that speaks for the finding.
std::map<std::string, Json> measuredOf(const Report& r) {
  std::map<std::string, Json> out;
  for (auto& a : rankedAdvice(r)) {
    if (!a.verdict) continue;
    Json figures = {
        {"candidate", a.candidate->id}, {"outcome", word(a.verdict->outcome)}, {"savedUs", a.savedUs}};
    if (a.verdict->speedup.mid > 0) figures["speedup"] = a.verdict->speedup;
    for (auto& id : a.candidate->findings) out.emplace(id, figures);
  }
  return out;
}

Json ruleOf(const Report& r, const std::string& id) {
  Json out = {{"id", id}};
  auto text = r.rules.find(id);
  if (text == r.rules.end()) return out;
  out["shortDescription"] = {{"text", text->second.title}};
  auto section = [&](const char* name) {
    auto it = text->second.sections.find(name);
    return it == text->second.sections.end() ? std::string() : it->second;
  };
  if (auto why = section("Why it costs"); !why.empty()) out["fullDescription"] = {{"text", why}};
  if (auto how = section("What to write instead"); !how.empty())
    out["help"] = {{"text", how}, {"markdown", how}};
  return out;
}

Json invocationOf(const Report& r) {
  Json notes = Json::array();
  for (auto& e : r.errors)
    notes.push_back(
        {{"level", "error"}, {"message", {{"text", (e.where.empty() ? "" : e.where + ": ") + e.what}}}});
  Json out = {{"executionSuccessful", r.errors.empty()}};
  if (!notes.empty()) out["toolExecutionNotifications"] = notes;
  return out;
}

}  // namespace

Json toSarif(const Report& r) {
  std::map<std::string, std::size_t> indices;
  Json rules = Json::array(), results = Json::array();
  auto measured = measuredOf(r);
  for (auto& f : r.findings) {
    auto [it, isFresh] = indices.emplace(f.rule, rules.size());
    if (isFresh) rules.push_back(ruleOf(r, f.rule));
    results.push_back(resultOf(r, f, it->second));
    if (auto figures = measured.find(f.id); figures != measured.end())
      results.back()["properties"] = figures->second;
  }
  Json driver = {{"name", r.tool.name}, {"version", r.tool.version}, {"rules", rules}};
  Json run = {
      {"tool", {{"driver", driver}}}, {"invocations", Json::array({invocationOf(r)})}, {"results", results}};
  return {{"$schema", kSarifSchema}, {"version", kSarifVersion}, {"runs", Json::array({run})}};
}

}  // namespace kadvise
