#include "reports/sarif.h"

#include <filesystem>
#include <map>
#include <system_error>

#include "reports/baseline.h"
#include "reports/case_words.h"
#include "reports/counts.h"
#include "reports/headline.h"
#include "reports/ranking.h"
#include "reports/rule_answer.h"
#include "reports/sarif_words.h"
#include "reports/sections.h"
#include "reports/visible_json.h"

namespace kadvise {
namespace {

// TorchScript remembers whole paths: a file below the folder that kadvise runs in is named from there, as in
// lint runs, so that it means the same in another checkout.
std::string fromHere(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ec;
  fs::path here = fs::current_path(ec);
  if (ec || !path.starts_with("/")) return path;
  auto relative = fs::path(path).lexically_normal().lexically_relative(here);
  return relative.empty() || *relative.begin() == ".." ? path : relative.string();
}

// A finding without a line is at the module's file, under the path of the module inside.
Json locationOf(const Location& where, const std::string& subject) {
  bool hasFile = !where.file.empty();
  Json physical = {{"artifactLocation", sarifArtifact(fromHere(hasFile ? where.file : subject))}};
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
  std::string how = section("What to write instead"), cpp = section("In C++");
  if (!cpp.empty()) how += (how.empty() ? "" : "\n\n") + ("In C++: " + cpp);
  if (!how.empty()) out["help"] = {{"text", how}, {"markdown", how}};
  return out;
}

constexpr const char* kWhole = "kadvise/whole-module";
constexpr const char* kRegression = "kadvise/regression";

Json notificationsOf() {
  return {
      {{"id", kWhole}, {"shortDescription", {{"text", "what became of the module as a whole"}}}},
      {{"id", kRegression}, {"shortDescription", {{"text", "what the older run had, and this one lost"}}}}};
}

Json notification(const char* id, const char* level, const std::string& text) {
  return {{"descriptor", {{"id", id}}}, {"level", level}, {"message", {{"text", text}}}};
}

// Of no line of anybody's: a result would have to name one.
Json invocationOf(const Report& r) {
  Json notes = Json::array();
  for (auto& e : r.errors)
    notes.push_back(
        {{"level", "error"}, {"message", {{"text", (e.where.empty() ? "" : e.where + ": ") + e.what}}}});
  if (auto head = headlineOfRun(r); !head.text.empty())
    notes.push_back(notification(kWhole, head.ink == Ink::Bad ? "error" : "note", head.text));
  if (r.comparison)
    for (auto& c : r.comparison->regressions)
      notes.push_back(notification(kRegression, "warning", changeWords(c)));
  Json out = {{"executionSuccessful", r.errors.empty()}};
  if (!notes.empty()) out["toolExecutionNotifications"] = notes;
  return out;
}

Json refusedOf(const Report& r) {
  Json out = Json::array();
  for (auto& x : r.refused)
    if (!isNoPlace(x))
      out.push_back({{"rule", x.rule}, {"place", siteWords(x.where, 1)}, {"reason", words(x.mismatch)}});
  return out;
}

Json sidesOf(const Report& r, double (*figure)(const Measurement&)) {
  return {{"before", figure(r.whole.before)}, {"after", figure(r.whole.after)}};
}

// What has no line in the sources, and so cannot be a result.
Json propertiesOf(const Report& r) {
  Json out = {{"headline", headlineOfRun(r).text},
              {"figures", wholeFigures(r)},
              {"device", r.device.kind.empty() ? "" : deviceWords(r)},
              {"outcome", word(r.whole.outcome)},
              {"counts", countsOf(r)},
              {"refused", refusedOf(r)},
              {"notApplicable", r.notApplicable}};
  auto& v = r.whole;
  if (v.speedup.mid > 0) out["speedup"] = v.speedup;
  if (!v.accuracy.grade.empty()) out["outputs"] = v.accuracy.grade;
  if (auto words = caseWords(r, kWholeVerdict); !words.empty()) out["outputErrors"] = words;
  if (medianWallUs(v.before) > 0 && medianWallUs(v.after) > 0) out["medianCallUs"] = sidesOf(r, medianWallUs);
  if (!v.before.kernels.empty())
    out["kernels"] = sidesOf(r, [](auto& m) { return static_cast<double>(m.kernels.size()); });
  if (v.before.peakBytes)
    out["peakBytes"] = sidesOf(r, [](auto& m) { return static_cast<double>(m.peakBytes); });
  if (r.comparison) out["comparison"] = *r.comparison;
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
  Json driver = {{"name", r.tool.name},
                 {"version", r.tool.version},
                 {"rules", rules},
                 {"notifications", notificationsOf()}};
  Json run = {{"tool", {{"driver", driver}}},
              {"originalUriBaseIds", sarifBases()},
              {"invocations", Json::array({invocationOf(r)})},
              {"properties", propertiesOf(r)},
              {"results", results}};
  return visibleJson({{"$schema", kSarifSchema}, {"version", kSarifVersion}, {"runs", Json::array({run})}});
}

}  // namespace kadvise
