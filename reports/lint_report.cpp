#include "reports/lint_report.h"

#include <algorithm>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/core/foreign_json.h"

namespace kadvise {

void to_json(Json& j, const SourceError& v) { j = {{"line", v.line}, {"message", v.message}}; }
void from_json(const Json& j, SourceError& v) {
  j.at("line").get_to(v.line), j.at("message").get_to(v.message);
}

void to_json(Json& j, const LintedFile& v) {
  j = {{"path", v.path},
       {"tier", v.tier},
       {"failure", v.failure},
       {"findings", v.findings},
       {"errors", v.errors},
       {"errorCount", v.errorCount},
       {"missing", v.missing},
       {"dependencies", v.dependencies},
       {"kernels", v.kernels},
       {"brokenKernels", v.brokenKernels},
       {"suppressed", v.suppressed},
       {"known", v.known}};
}

void from_json(const Json& j, LintedFile& v) {
  j.at("path").get_to(v.path), j.at("tier").get_to(v.tier), j.at("failure").get_to(v.failure);
  j.at("findings").get_to(v.findings), j.at("errors").get_to(v.errors),
      j.at("errorCount").get_to(v.errorCount);
  j.at("missing").get_to(v.missing), j.at("dependencies").get_to(v.dependencies);
  j.at("kernels").get_to(v.kernels), j.at("brokenKernels").get_to(v.brokenKernels);
  j.at("suppressed").get_to(v.suppressed), j.at("known").get_to(v.known);
}

void to_json(Json& j, const LintRule& v) {
  j = {{"title", v.title},
       {"severity", word(v.severity)},
       {"confidence", v.confidence},
       {"tags", v.tags},
       {"sections", v.sections}};
}

void from_json(const Json& j, LintRule& v) {
  j.at("title").get_to(v.title), j.at("confidence").get_to(v.confidence), j.at("tags").get_to(v.tags);
  v.severity = severityFrom(j.at("severity").get<std::string>());
  j.at("sections").get_to(v.sections);
}

void to_json(Json& j, const FixedFile& v) { j = {{"path", v.path}, {"fixes", v.fixes}, {"diff", v.diff}}; }

void from_json(const Json& j, FixedFile& v) {
  j.at("path").get_to(v.path), j.at("fixes").get_to(v.fixes), j.at("diff").get_to(v.diff);
}

void to_json(Json& j, const LintReport& v) {
  Json errors = Json::array();
  for (auto& e : v.errors) errors.push_back({{"where", e.where}, {"what", e.what}});
  j = {{"version", kReportVersion}, {"tool", {{"name", v.tool.name}, {"version", v.tool.version}}},
       {"command", v.command},      {"files", v.files},
       {"rules", v.rules},          {"fixed", v.fixed},
       {"dryRun", v.isDryRun},      {"cached", v.cached},
       {"notes", v.notes},          {"errors", errors}};
}

void from_json(const Json& j, LintReport& v) {
  j.at("tool").at("name").get_to(v.tool.name), j.at("tool").at("version").get_to(v.tool.version);
  j.at("command").get_to(v.command), j.at("files").get_to(v.files), j.at("rules").get_to(v.rules);
  for (auto& [id, rule] : v.rules) rule.id = id;
  j.at("fixed").get_to(v.fixed), j.at("dryRun").get_to(v.isDryRun), j.at("cached").get_to(v.cached);
  j.at("notes").get_to(v.notes);
  for (auto& e : j.at("errors"))
    v.errors.push_back({e.at("where").get<std::string>(), e.at("what").get<std::string>()});
}

namespace {

// Null where the file holds no object.
Json parsed(const std::string& path) {
  Json j = parseForeign(readFile(path));
  return j.is_object() ? j : Json();
}

// A report of a module has no list of files.
bool isOfLint(const Json& j) { return j.is_object() && j.contains("tool") && j.contains("files"); }

}  // namespace

bool isLintReport(const std::string& path) {
  try {
    return isOfLint(parsed(path));
  } catch (const Error&) {
    return false;
  }
}

LintReport readLintReport(const std::string& path) {
  Json j = parsed(path);
  if (!isOfLint(j)) throw Error(path, "is not a report of kadvise lint; --output-format json writes them");
  if (j.value("version", Json()) != kReportVersion)
    throw Error(path, "is a report of version " + j.value("version", Json(0)).dump() +
                          ", this kadvise reads version " + std::to_string(kReportVersion));
  try {
    return j.get<LintReport>();
  } catch (const Json::exception&) {
    throw Error(path, "is not a report of kadvise lint: a part of it is not of the kind that kadvise writes");
  } catch (const Error& e) {
    throw Error(path, "is not a report of kadvise lint: " + e.reason);
  }
}

bool hasFix(const Finding& f, Safety atLeast) {
  return std::any_of(f.fixes.begin(), f.fixes.end(), [&](auto& fix) { return fix.safety >= atLeast; });
}

std::string sectionOf(const LintRule& rule, const char* name) {
  auto it = rule.sections.find(name);
  return it == rule.sections.end() ? "" : it->second;
}

std::string insteadOf(const LintRule& rule) {
  std::string cpp = sectionOf(rule, "In C++");
  return cpp.empty() ? sectionOf(rule, "What to write instead") : cpp;
}

}  // namespace kadvise
