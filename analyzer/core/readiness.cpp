#include "analyzer/core/readiness.h"

namespace kadvise {
namespace {

Json jsonOf(const Capability& c) {
  Json regions = Json::array(), cuts = Json::array();
  for (auto& r : c.regions)
    regions.push_back({{"operators", r.operators}, {"share", r.share}, {"first", r.first}, {"last", r.last}});
  for (auto& cut : c.cuts)
    cuts.push_back({{"rule", cut.rule}, {"findings", cut.findings}, {"where", cut.where}});
  return {{"kind", c.kind}, {"regions", regions}, {"cuts", cuts}, {"share", c.share}};
}

Capability capabilityFrom(const Json& j) {
  Capability c;
  j.at("kind").get_to(c.kind);
  j.at("share").get_to(c.share);
  for (auto& r : j.at("regions"))
    c.regions.push_back({r.at("operators").get<int>(), r.at("share").get<double>(),
                         r.at("first").get<Location>(), r.at("last").get<Location>()});
  for (auto& cut : j.at("cuts"))
    c.cuts.push_back({cut.at("rule").get<std::string>(), cut.at("findings").get<std::vector<std::string>>(),
                      cut.at("where").get<Location>()});
  return c;
}

}  // namespace

const Capability* Readiness::find(const std::string& kind) const {
  for (auto& c : capabilities)
    if (c.kind == kind) return &c;
  return nullptr;
}

void to_json(Json& j, const Readiness& r) {
  Json capabilities = Json::array();
  for (auto& c : r.capabilities) capabilities.push_back(jsonOf(c));
  j = {{"basis", r.basis}, {"judgedBy", r.judgedBy}, {"capabilities", capabilities}};
}

void from_json(const Json& j, Readiness& r) {
  j.at("basis").get_to(r.basis);
  j.at("judgedBy").get_to(r.judgedBy);
  r.capabilities.clear();
  for (auto& c : j.at("capabilities")) r.capabilities.push_back(capabilityFrom(c));
}

}  // namespace kadvise
