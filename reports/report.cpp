#include "reports/report.h"

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/core/foreign_json.h"
#include "reports/report_checks.h"

namespace kadvise {
namespace {

template <class T>
void get(const Json& j, const char* key, T& out) {
  if (!j.is_object()) throw Error("", std::string("where ") + key + " belongs there is " + j.type_name());
  auto it = j.find(key);
  if (it == j.end() || it->is_null()) return;
  try {
    it->get_to(out);
  } catch (const Json::exception&) {  // whose words are of the library's types
    throw Error("", std::string("what stands under \"") + key + "\" is not of the kind that kadvise writes");
  }
}

}  // namespace

void to_json(Json& j, const Tool& v) { j = {{"name", v.name}, {"version", v.version}}; }
void from_json(const Json& j, Tool& v) { get(j, "name", v.name), get(j, "version", v.version); }

void to_json(Json& j, const Device& v) {
  j = {{"kind", v.kind}, {"index", v.index}, {"name", v.name}, {"arch", v.arch}};
}
void from_json(const Json& j, Device& v) {
  get(j, "kind", v.kind), get(j, "index", v.index), get(j, "name", v.name), get(j, "arch", v.arch);
}

void to_json(Json& j, const Argument& v) { j = {{"name", v.name}, {"type", v.type}}; }
void from_json(const Json& j, Argument& v) { get(j, "name", v.name), get(j, "type", v.type); }

void to_json(Json& j, const ReportSubject& v) {
  j = {{"path", v.path},
       {"format", v.format},
       {"nodes", v.nodes},
       {"parameters", v.parameters},
       {"parameterBytes", v.parameterBytes},
       {"arguments", v.arguments}};
}
void from_json(const Json& j, ReportSubject& v) {
  get(j, "path", v.path), get(j, "format", v.format), get(j, "nodes", v.nodes),
      get(j, "parameters", v.parameters);
  get(j, "parameterBytes", v.parameterBytes), get(j, "arguments", v.arguments);
}

void to_json(Json& j, const ReportInputs& v) {
  j = {{"specs", v.specs}, {"from", v.from}, {"file", v.file}, {"seed", v.seed}};
}
void from_json(const Json& j, ReportInputs& v) {
  get(j, "specs", v.specs), get(j, "from", v.from), get(j, "file", v.file), get(j, "seed", v.seed);
}

void to_json(Json& j, const RuleText& v) { j = {{"title", v.title}, {"sections", v.sections}}; }
void from_json(const Json& j, RuleText& v) { get(j, "title", v.title), get(j, "sections", v.sections); }

void to_json(Json& j, const Diagnostic& v) { j = {{"where", v.where}, {"what", v.what}}; }
void from_json(const Json& j, Diagnostic& v) { get(j, "where", v.where), get(j, "what", v.what); }

void to_json(Json& j, const Applied& v) { j = {{"candidate", v.candidate}, {"sites", v.sites}}; }
void from_json(const Json& j, Applied& v) { get(j, "candidate", v.candidate), get(j, "sites", v.sites); }

void to_json(Json& j, const Dropped& v) { j = {{"candidate", v.candidate}, {"reason", v.reason}}; }
void from_json(const Json& j, Dropped& v) { get(j, "candidate", v.candidate), get(j, "reason", v.reason); }

void to_json(Json& j, const Composition& v) {
  j = {{"applied", v.applied}, {"dropped", v.dropped}, {"notes", v.notes}};
}
void from_json(const Json& j, Composition& v) {
  get(j, "applied", v.applied), get(j, "dropped", v.dropped), get(j, "notes", v.notes);
}

void to_json(Json& j, const SearchStep& v) {
  j = {{"tried", v.tried},           {"set", v.set},         {"against", v.against},
       {"outcome", word(v.outcome)}, {"speedup", v.speedup}, {"decision", v.decision}};
}
void from_json(const Json& j, SearchStep& v) {
  get(j, "tried", v.tried), get(j, "set", v.set), get(j, "against", v.against);
  v.outcome = outcomeFrom(j.at("outcome").get<std::string>());
  get(j, "speedup", v.speedup), get(j, "decision", v.decision);
}

void to_json(Json& j, const Output& v) {
  j = {{"path", v.path},
       {"written", v.written},
       {"reason", v.reason},
       {"fileBytes", v.fileBytes},
       {"originalBytes", v.originalBytes},
       {"library", v.library}};
}
void from_json(const Json& j, Output& v) {
  get(j, "path", v.path), get(j, "written", v.written), get(j, "reason", v.reason);
  get(j, "fileBytes", v.fileBytes), get(j, "originalBytes", v.originalBytes);
  get(j, "library", v.library);
}

void to_json(Json& j, const Settings& v) {
  j = {{"keep", v.keep}, {"budgetSeconds", v.budgetSeconds}, {"neededSeconds", v.neededSeconds}};
}
void from_json(const Json& j, Settings& v) {
  get(j, "keep", v.keep), get(j, "budgetSeconds", v.budgetSeconds), get(j, "neededSeconds", v.neededSeconds);
}

void to_json(Json& j, const Suppressed& v) {
  j = {{"finding", v.finding}, {"reason", v.reason}, {"by", v.by}};
}
void from_json(const Json& j, Suppressed& v) {
  get(j, "finding", v.finding), get(j, "reason", v.reason), get(j, "by", v.by);
}

void to_json(Json& j, const BaselineEntry& v) {
  j = {{"module", v.module}, {"rule", v.rule}, {"scope", v.scope}, {"id", v.id}, {"message", v.message}};
}
void from_json(const Json& j, BaselineEntry& v) {
  get(j, "module", v.module), get(j, "rule", v.rule), get(j, "scope", v.scope), get(j, "id", v.id),
      get(j, "message", v.message);
}

void to_json(Json& j, const BaselineUse& v) {
  j = {{"path", v.path}, {"known", v.known}, {"fixed", v.fixed}};
}
void from_json(const Json& j, BaselineUse& v) {
  get(j, "path", v.path), get(j, "known", v.known), get(j, "fixed", v.fixed);
}

void to_json(Json& j, const SanitizerCheck& v) {
  j = {{"tool", v.tool}, {"errors", v.errors}, {"warnings", v.warnings},
       {"kind", v.kind}, {"kernel", v.kernel}, {"errorsOfOriginal", v.errorsOfOriginal}};
}
void from_json(const Json& j, SanitizerCheck& v) {
  get(j, "tool", v.tool), get(j, "errors", v.errors), get(j, "warnings", v.warnings);
  get(j, "kind", v.kind), get(j, "kernel", v.kernel), get(j, "errorsOfOriginal", v.errorsOfOriginal);
}

void to_json(Json& j, const PairCheck& v) {
  j = {{"kind", v.kind},     {"against", v.against}, {"worstInputs", v.worstInputs},
       {"replay", v.replay}, {"outputs", v.outputs}, {"timed", v.isTimed}};
  if (v.sanitizer) j["sanitizer"] = *v.sanitizer;
}
void from_json(const Json& j, PairCheck& v) {
  j.at("kind").get_to(v.kind);
  j.at("against").get_to(v.against);
  j.at("worstInputs").get_to(v.worstInputs);
  j.at("replay").get_to(v.replay);
  j.at("outputs").get_to(v.outputs);
  j.at("timed").get_to(v.isTimed);
  if (j.contains("sanitizer")) v.sanitizer = j.at("sanitizer").get<SanitizerCheck>();
}

void to_json(Json& j, const ComponentProperty& v) {
  j = {{"name", v.name}, {"status", v.status}, {"figures", v.figures}};
}
void from_json(const Json& j, ComponentProperty& v) {
  get(j, "name", v.name), get(j, "status", v.status), get(j, "figures", v.figures);
}

void to_json(Json& j, const ComponentCheck& v) { j = {{"kind", v.kind}, {"properties", v.properties}}; }
void from_json(const Json& j, ComponentCheck& v) {
  get(j, "kind", v.kind), get(j, "properties", v.properties);
}

void to_json(Json& j, const EarlierItem& v) { j = {{"rule", v.rule}, {"what", v.what}}; }
void from_json(const Json& j, EarlierItem& v) { get(j, "rule", v.rule), get(j, "what", v.what); }

void to_json(Json& j, const WhyNot& v) {
  j = {{"rules", v.rules}, {"near", v.near}};
  if (!v.earlier.empty()) j["earlier"] = v.earlier;
}
void from_json(const Json& j, WhyNot& v) {
  get(j, "rules", v.rules), get(j, "near", v.near), get(j, "earlier", v.earlier);
}

void to_json(Json& j, const LevelRow& v) {
  j = {{"level", v.level}, {"name", v.name}, {"verdict", v.verdict}, {"notes", v.notes}};
}
void from_json(const Json& j, LevelRow& v) {
  get(j, "level", v.level), get(j, "name", v.name), get(j, "verdict", v.verdict), get(j, "notes", v.notes);
}

void to_json(Json& j, const Report& v) {
  j = {{"version", v.version},
       {"tool", v.tool},
       {"command", v.command},
       {"environment", v.environment},
       {"device", v.device},
       {"subject", v.subject},
       {"inputs", v.inputs},
       {"configuration", v.configuration},
       {"findings", v.findings},
       {"suppressed", v.suppressed},
       {"verdicts", v.verdicts},
       {"whole", v.whole},
       {"candidates", v.candidates},
       {"refused", v.refused},
       {"notApplicable", v.notApplicable},
       {"composition", v.composition},
       {"modules", v.modules},
       {"rules", v.rules},
       {"errors", v.errors},
       {"timing", v.timing},
       {"notes", v.notes}};
  if (!v.caseErrors.empty()) j["caseErrors"] = v.caseErrors;
  if (!v.search.empty()) j["search"] = v.search;
  if (v.baseline) j["baseline"] = *v.baseline;
  if (v.output) j["output"] = *v.output;
  if (v.cudaGraph) j["cudaGraph"] = *v.cudaGraph;
  if (v.settings) j["settings"] = *v.settings;
  if (v.component) j["component"] = *v.component;
  if (v.whyNot) j["whyNot"] = *v.whyNot;
  if (v.pair) j["pair"] = *v.pair;
  if (v.comparison) j["comparison"] = *v.comparison;
  if (v.profile) j["profile"] = *v.profile;
  if (v.health) j["health"] = *v.health;
  if (v.levels) j["levels"] = *v.levels;
  if (v.bench) j["bench"] = *v.bench;
  if (v.readiness) j["readiness"] = *v.readiness;
  if (v.generated) j["generated"] = *v.generated;
  if (v.estimate) j["estimate"] = *v.estimate;
  if (v.memory) j["memory"] = *v.memory;
}

void from_json(const Json& j, Report& v) {
  get(j, "version", v.version), get(j, "tool", v.tool), get(j, "command", v.command);
  get(j, "environment", v.environment), get(j, "device", v.device), get(j, "subject", v.subject);
  get(j, "inputs", v.inputs), get(j, "findings", v.findings), get(j, "verdicts", v.verdicts);
  get(j, "whole", v.whole), get(j, "caseErrors", v.caseErrors), get(j, "candidates", v.candidates),
      get(j, "refused", v.refused);
  get(j, "notApplicable", v.notApplicable), get(j, "composition", v.composition), get(j, "search", v.search),
      get(j, "rules", v.rules);
  get(j, "errors", v.errors), get(j, "timing", v.timing), get(j, "notes", v.notes);
  get(j, "configuration", v.configuration), get(j, "suppressed", v.suppressed);
  if (j.contains("baseline")) v.baseline = j.at("baseline").get<BaselineUse>();
  if (j.contains("component")) v.component = j.at("component").get<ComponentCheck>();
  if (j.contains("whyNot")) v.whyNot = j.at("whyNot").get<WhyNot>();
  if (j.contains("pair")) v.pair = j.at("pair").get<PairCheck>();
  if (j.contains("comparison")) v.comparison = j.at("comparison").get<RunComparison>();
  if (j.contains("profile")) v.profile = j.at("profile").get<Profile>();
  if (j.contains("health")) v.health = j.at("health").get<std::vector<HealthLine>>();
  if (j.contains("levels")) v.levels = j.at("levels").get<std::vector<LevelRow>>();
  if (j.contains("bench")) v.bench = j.at("bench").get<Bench>();
  if (j.contains("settings")) v.settings = j.at("settings").get<Settings>();
  if (j.contains("cudaGraph")) v.cudaGraph = j.at("cudaGraph").get<CudaGraphUse>();
  if (j.contains("output")) v.output = j.at("output").get<Output>();
  if (j.contains("readiness")) v.readiness = j.at("readiness").get<Readiness>();
  if (j.contains("generated")) v.generated = j.at("generated").get<GeneratedShare>();
  get(j, "modules", v.modules);
  if (j.contains("estimate")) v.estimate = j.at("estimate").get<WholeEstimate>();
  if (j.contains("memory")) v.memory = j.at("memory").get<PeakMemory>();
}

Report readReport(const std::string& path) {
  Json j = parseForeign(readFile(path));
  if (!j.is_object() || !j.contains("tool") || !j.contains("whole"))
    throw Error(path, "is not a report of kadvise; kadvise writes them with --json FILE");
  Json version = j.value("version", Json());
  if (version != Json(kReportVersion))
    throw Error(path, "is a report of version " +
                          version.dump(-1, ' ', false, Json::error_handler_t::replace) +
                          ", this kadvise reads version " + std::to_string(kReportVersion));
  try {
    requireAll(j);
    auto report = j.get<Report>();
    requirePossible(report);
    return report;
  } catch (const Json::exception&) {
    throw Error(path, "is not a report of kadvise: a part of it is not of the kind that kadvise writes");
  } catch (const Error& e) {
    throw Error(path, "is not a report of kadvise: " + e.reason);
  }
}

std::string toText(const Json& j) { return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace kadvise
