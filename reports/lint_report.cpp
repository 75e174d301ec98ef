#include "reports/lint_report.h"

#include <algorithm>

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

void to_json(Json& j, const FixedFile& v) { j = {{"path", v.path}, {"fixes", v.fixes}, {"diff", v.diff}}; }

void to_json(Json& j, const LintReport& v) {
  Json errors = Json::array();
  for (auto& e : v.errors) errors.push_back({{"where", e.where}, {"what", e.what}});
  j = {{"version", kReportVersion}, {"tool", {{"name", v.tool.name}, {"version", v.tool.version}}},
       {"command", v.command},      {"files", v.files},
       {"rules", v.rules},          {"fixed", v.fixed},
       {"dryRun", v.isDryRun},      {"cached", v.cached},
       {"notes", v.notes},          {"errors", errors}};
}

bool hasFix(const Finding& f, Safety atLeast) {
  return std::any_of(f.fixes.begin(), f.fixes.end(), [&](auto& fix) { return fix.safety >= atLeast; });
}

}  // namespace kadvise
