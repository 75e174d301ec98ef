#include "analyzer/core/case_errors.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kadvise {
namespace {

// JSON has no infinity: what has no bound travels as null.
Json figure(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }

double figureFrom(const Json& j, const char* key) {
  auto& value = j.at(key);
  return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

}  // namespace

const CaseErrors* worstOf(const std::vector<CaseErrors>& cases) {
  auto worst =
      std::max_element(cases.begin(), cases.end(), [](auto& a, auto& b) { return a.ofBound < b.ofBound; });
  return worst == cases.end() || worst->ofBound <= 0 ? nullptr : &*worst;
}

void to_json(Json& j, const CaseErrors& v) {
  j = {{"name", v.name}, {"output", v.output}, {"grade", v.grade}, {"unjudged", v.unjudged}};
  j["rmsUlp"] = figure(v.rmsUlp), j["p999Ulp"] = figure(v.p999Ulp), j["maxUlp"] = figure(v.maxUlp);
  j["rmsBound"] = figure(v.rmsBound), j["p999Bound"] = figure(v.p999Bound);
  j["maxBound"] = figure(v.maxBound), j["ofBound"] = figure(v.ofBound);
}

void from_json(const Json& j, CaseErrors& v) {
  j.at("name").get_to(v.name), j.at("output").get_to(v.output);
  j.at("grade").get_to(v.grade), j.at("unjudged").get_to(v.unjudged);
  v.rmsUlp = figureFrom(j, "rmsUlp"), v.p999Ulp = figureFrom(j, "p999Ulp"),
  v.maxUlp = figureFrom(j, "maxUlp");
  v.rmsBound = figureFrom(j, "rmsBound"), v.p999Bound = figureFrom(j, "p999Bound");
  v.maxBound = figureFrom(j, "maxBound"), v.ofBound = figureFrom(j, "ofBound");
}

}  // namespace kadvise
