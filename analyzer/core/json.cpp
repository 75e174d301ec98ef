#include "analyzer/core/json.h"

#include <cmath>
#include <fstream>
#include <limits>

#include "analyzer/core/error.h"
#include "analyzer/core/json_fields.h"

namespace kadvise {
namespace {

template <class E>
struct Word {
  E value;
  const char* text;
};
constexpr Word<Severity> kSeverities[] = {{Severity::Note, "note"},
                                          {Severity::Opportunity, "opportunity"},
                                          {Severity::Warning, "warning"},
                                          {Severity::Error, "error"}};
constexpr Word<Safety> kSafeties[] = {
    {Safety::DisplayOnly, "display-only"}, {Safety::Unsafe, "unsafe"}, {Safety::Safe, "safe"}};
constexpr Word<Exactness> kExactnesses[] = {{Exactness::Exact, "exact"},
                                            {Exactness::Reassociates, "reassociates"},
                                            {Exactness::Approximates, "approximates"}};
constexpr Word<Outcome> kOutcomes[] = {{Outcome::Faster, "faster"},
                                       {Outcome::Slower, "slower"},
                                       {Outcome::Same, "same"},
                                       {Outcome::Ambiguous, "ambiguous"},
                                       {Outcome::WrongOutput, "wrong-output"},
                                       {Outcome::Failed, "failed"},
                                       {Outcome::NotRun, "not-run"}};

template <class E, std::size_t N>
const char* textOf(const Word<E> (&words)[N], E value) {
  for (const auto& w : words)
    if (w.value == value) return w.text;
  return "?";
}

template <class E, std::size_t N>
E valueOf(const Word<E> (&words)[N], const std::string& text) {
  std::string known;
  for (const auto& w : words) {
    if (text == w.text) return w.value;
    known += (known.empty() ? "" : ", ") + std::string(w.text);
  }
  throw Error("", "\"" + text + "\" is not one of " + known);
}

// JSON has no NaN: an unknown figure travels as null.
Json number(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }
void get(const Json& j, const char* key, double& out) {
  auto it = j.find(key);
  if (it == j.end()) return;
  out = it->is_null() ? std::numeric_limits<double>::quiet_NaN() : it->get<double>();
}

template <class E, std::size_t N>
void getWord(const Json& j, const char* key, const Word<E> (&words)[N], E& out) {
  if (auto it = j.find(key); it != j.end()) out = valueOf(words, it->get<std::string>());
}

}  // namespace

const char* word(Severity v) { return textOf(kSeverities, v); }
const char* word(Safety v) { return textOf(kSafeties, v); }
const char* word(Exactness v) { return textOf(kExactnesses, v); }
const char* word(Outcome v) { return textOf(kOutcomes, v); }
Severity severityFrom(const std::string& s) { return valueOf(kSeverities, s); }
Outcome outcomeFrom(const std::string& s) { return valueOf(kOutcomes, s); }
Exactness exactnessFrom(const std::string& s) { return valueOf(kExactnesses, s); }
Safety safetyFrom(const std::string& s) { return valueOf(kSafeties, s); }

void to_json(Json& j, const Location& v) {
  j = {{"file", v.file},           {"line", v.line},   {"column", v.column},  {"endLine", v.endLine},
       {"endColumn", v.endColumn}, {"scope", v.scope}, {"snippet", v.snippet}};
  if (!v.note.empty()) j["note"] = v.note;
}
void from_json(const Json& j, Location& v) {
  get(j, "file", v.file), get(j, "line", v.line), get(j, "column", v.column), get(j, "endLine", v.endLine);
  get(j, "endColumn", v.endColumn), get(j, "scope", v.scope), get(j, "snippet", v.snippet);
  get(j, "note", v.note);
}

void to_json(Json& j, const Edit& v) {
  j = {{"file", v.file}, {"offset", v.offset}, {"length", v.length}, {"text", v.text}};
}
void from_json(const Json& j, Edit& v) {
  get(j, "file", v.file), get(j, "offset", v.offset), get(j, "length", v.length), get(j, "text", v.text);
}

void to_json(Json& j, const Rewrite& v) {
  j = {{"candidate", v.candidate},       {"before", v.before}, {"after", v.after}, {"level", v.level},
       {"exactness", word(v.exactness)}, {"domain", v.domain}};
}
void from_json(const Json& j, Rewrite& v) {
  get(j, "candidate", v.candidate), get(j, "before", v.before), get(j, "after", v.after);
  get(j, "level", v.level), getWord(j, "exactness", kExactnesses, v.exactness), get(j, "domain", v.domain);
}

void to_json(Json& j, const Fix& v) {
  j = {{"title", v.title}, {"safety", word(v.safety)}};
  if (auto* edits = std::get_if<std::vector<Edit>>(&v.change)) j["edits"] = *edits;
  if (auto* rewrite = std::get_if<Rewrite>(&v.change)) j["rewrite"] = *rewrite;
}
void from_json(const Json& j, Fix& v) {
  get(j, "title", v.title), getWord(j, "safety", kSafeties, v.safety);
  if (j.contains("rewrite")) v.change = j.at("rewrite").get<Rewrite>();
  else if (j.contains("edits")) v.change = j.at("edits").get<std::vector<Edit>>();
}

void to_json(Json& j, const Estimate& v) {
  j = {{"bytesSaved", number(v.bytesSaved)},
       {"flops", number(v.flops)},
       {"speedup", number(v.speedup)},
       {"basis", v.basis},
       {"savedUs", number(v.savedUs)}};
}
void from_json(const Json& j, Estimate& v) {
  get(j, "bytesSaved", v.bytesSaved), get(j, "flops", v.flops), get(j, "speedup", v.speedup),
      get(j, "basis", v.basis);
  get(j, "savedUs", v.savedUs);
}

void to_json(Json& j, const Price& v) {
  j = {{"value", number(v.value)}, {"unit", v.unit}, {"words", v.words}, {"basis", v.basis}};
  if (!v.gpu.empty()) j["gpu"] = v.gpu;
}
void from_json(const Json& j, Price& v) {
  get(j, "value", v.value), get(j, "unit", v.unit), get(j, "words", v.words), get(j, "basis", v.basis);
  get(j, "gpu", v.gpu);
}

void to_json(Json& j, const Finding& v) {
  j = {{"id", v.id},       {"rule", v.rule},       {"message", v.message}, {"severity", word(v.severity)},
       {"where", v.where}, {"related", v.related}, {"fixes", v.fixes}};
  if (v.estimate) j["estimate"] = *v.estimate;
  if (v.price) j["price"] = *v.price;
  if (!v.confidence.empty()) j["confidence"] = v.confidence;
  if (v.round > 1) j["round"] = v.round;
}
void from_json(const Json& j, Finding& v) {
  get(j, "id", v.id), get(j, "rule", v.rule), get(j, "message", v.message);
  getWord(j, "severity", kSeverities, v.severity), get(j, "where", v.where);
  get(j, "related", v.related), get(j, "fixes", v.fixes);
  if (j.contains("estimate")) v.estimate = j.at("estimate").get<Estimate>();
  if (j.contains("price")) v.price = j.at("price").get<Price>();
  get(j, "confidence", v.confidence), get(j, "round", v.round);
}

void to_json(Json& j, const Mismatch& v) { j = {{"at", v.at}, {"reason", v.reason}}; }
void from_json(const Json& j, Mismatch& v) { get(j, "at", v.at), get(j, "reason", v.reason); }

void to_json(Json& j, const Refusal& v) {
  j = {{"rule", v.rule}, {"where", v.where}, {"mismatch", v.mismatch}};
}
void from_json(const Json& j, Refusal& v) {
  get(j, "rule", v.rule), get(j, "where", v.where), get(j, "mismatch", v.mismatch);
}

void to_json(Json& j, const NotApplicable& v) { j = {{"rule", v.rule}, {"reason", v.reason}}; }
void from_json(const Json& j, NotApplicable& v) { get(j, "rule", v.rule), get(j, "reason", v.reason); }

void to_json(Json& j, const Difference& v) { j = {{"where", v.where}, {"mismatch", v.mismatch}}; }
void from_json(const Json& j, Difference& v) { get(j, "where", v.where), get(j, "mismatch", v.mismatch); }

void to_json(Json& j, const NearPlace& v) {
  j = {{"rule", v.rule},       {"where", v.where}, {"sites", v.sites},
       {"matched", v.matched}, {"of", v.of},       {"differences", v.differences}};
}
void from_json(const Json& j, NearPlace& v) {
  get(j, "rule", v.rule), get(j, "where", v.where), get(j, "sites", v.sites);
  get(j, "matched", v.matched), get(j, "of", v.of), get(j, "differences", v.differences);
}

void to_json(Json& j, const Interval& v) {
  j = {{"low", number(v.low)}, {"mid", number(v.mid)}, {"high", number(v.high)}};
}
void from_json(const Json& j, Interval& v) {
  get(j, "low", v.low), get(j, "mid", v.mid), get(j, "high", v.high);
}

void to_json(Json& j, const Accuracy& v) {
  j = {{"rmsUlp", number(v.rmsUlp)}, {"p999Ulp", number(v.p999Ulp)}, {"maxUlp", number(v.maxUlp)},
       {"bias", number(v.bias)},     {"scale", number(v.scale)},     {"grade", v.grade},
       {"worstCase", v.worstCase}};
}
void from_json(const Json& j, Accuracy& v) {
  get(j, "rmsUlp", v.rmsUlp), get(j, "p999Ulp", v.p999Ulp), get(j, "maxUlp", v.maxUlp),
      get(j, "bias", v.bias);
  get(j, "scale", v.scale), get(j, "grade", v.grade), get(j, "worstCase", v.worstCase);
}

void to_json(Json& j, const KernelRecord& v) {
  j = {{"name", v.name},
       {"op", v.op},
       {"scope", v.scope},
       {"where", v.where},
       {"startUs", number(v.startUs)},
       {"durationUs", number(v.durationUs)},
       {"grid", v.grid},
       {"block", v.block},
       {"bytes", v.bytes}};
}
void from_json(const Json& j, KernelRecord& v) {
  get(j, "name", v.name), get(j, "op", v.op), get(j, "scope", v.scope), get(j, "where", v.where);
  get(j, "startUs", v.startUs), get(j, "durationUs", v.durationUs), get(j, "grid", v.grid);
  get(j, "block", v.block), get(j, "bytes", v.bytes);
}

void to_json(Json& j, const Timing& v) {
  j = {{"regime", v.regime}, {"wallUs", v.wallUs}, {"busyUs", v.busyUs}, {"throttled", v.throttled}};
}
void from_json(const Json& j, Timing& v) {
  get(j, "regime", v.regime), get(j, "wallUs", v.wallUs), get(j, "busyUs", v.busyUs),
      get(j, "throttled", v.throttled);
}

void to_json(Json& j, const Measurement& v) {
  j = {{"subject", v.subject},
       {"device", v.device},
       {"timings", v.timings},
       {"kernels", v.kernels},
       {"counters", v.counters},
       {"peakBytes", v.peakBytes},
       {"firstCallMs", number(v.firstCallMs)}};
}
void from_json(const Json& j, Measurement& v) {
  get(j, "subject", v.subject), get(j, "device", v.device), get(j, "timings", v.timings),
      get(j, "kernels", v.kernels);
  get(j, "counters", v.counters), get(j, "peakBytes", v.peakBytes), get(j, "firstCallMs", v.firstCallMs);
}

void to_json(Json& j, const Verdict& v) {
  j = {{"candidate", v.candidate}, {"findings", v.findings}, {"outcome", word(v.outcome)},
       {"speedup", v.speedup},     {"accuracy", v.accuracy}, {"reason", v.reason},
       {"before", v.before},       {"after", v.after}};
}
void from_json(const Json& j, Verdict& v) {
  get(j, "candidate", v.candidate), get(j, "findings", v.findings),
      getWord(j, "outcome", kOutcomes, v.outcome);
  get(j, "speedup", v.speedup), get(j, "accuracy", v.accuracy), get(j, "reason", v.reason);
  get(j, "before", v.before), get(j, "after", v.after);
}

void to_json(Json& j, const Candidate& v) {
  j = {{"id", v.id},
       {"rule", v.rule},
       {"title", v.title},
       {"level", v.level},
       {"exactness", word(v.exactness)},
       {"domain", v.domain},
       {"before", v.before},
       {"after", v.after},
       {"beforeFp64", v.beforeFp64},
       {"afterFp64", v.afterFp64},
       {"names", v.names},
       {"inputs", v.inputs},
       {"findings", v.findings},
       {"ofRegion", v.ofRegion},
       {"parts", v.parts}};
  if (v.round > 1) j["round"] = v.round, j["follows"] = v.follows;
}
void from_json(const Json& j, Candidate& v) {
  get(j, "id", v.id), get(j, "rule", v.rule), get(j, "title", v.title), get(j, "level", v.level);
  getWord(j, "exactness", kExactnesses, v.exactness), get(j, "domain", v.domain);
  get(j, "before", v.before), get(j, "after", v.after);
  get(j, "beforeFp64", v.beforeFp64), get(j, "afterFp64", v.afterFp64);
  get(j, "names", v.names), get(j, "inputs", v.inputs), get(j, "findings", v.findings);
  get(j, "ofRegion", v.ofRegion), get(j, "parts", v.parts);
  get(j, "round", v.round), get(j, "follows", v.follows);
}

Json readJson(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(path, "cannot be read");
  try {
    return Json::parse(in);
  } catch (const Json::exception& e) {
    throw Error(path, std::string("is not JSON: ") + e.what());
  }
}

}  // namespace kadvise
