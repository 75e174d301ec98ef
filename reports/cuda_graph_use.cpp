#include "reports/cuda_graph_use.h"

#include <utility>

#include "analyzer/core/error.h"

namespace kadvise {
namespace {

constexpr std::pair<GraphStatus, const char*> kWords[] = {{GraphStatus::Applied, "applied"},
                                                          {GraphStatus::NotWorthIt, "not-worth-it"},
                                                          {GraphStatus::NotCapturable, "not-capturable"},
                                                          {GraphStatus::Failed, "failed"},
                                                          {GraphStatus::NotTried, "not-tried"}};

GraphStatus statusFrom(const std::string& text) {
  for (auto& [status, name] : kWords)
    if (text == name) return status;
  throw Error("cudaGraph", "\"" + text + "\" is no status");
}

}  // namespace

std::string word(GraphStatus status) {
  for (auto& [known, name] : kWords)
    if (status == known) return name;
  return "";
}

void to_json(Json& j, const CaptureBlocker& v) {
  j = {{"rule", v.rule}, {"where", v.where}, {"reason", v.reason}};
}
void from_json(const Json& j, CaptureBlocker& v) {
  j.at("rule").get_to(v.rule);
  j.at("where").get_to(v.where);
  j.at("reason").get_to(v.reason);
}

void to_json(Json& j, const CudaGraphUse& v) {
  j = {{"status", word(v.status)}, {"reason", v.reason},           {"parts", v.parts},
       {"launches", v.launches},   {"allLaunches", v.allLaunches}, {"poolBytes", v.poolBytes},
       {"blockers", v.blockers}};
}
void from_json(const Json& j, CudaGraphUse& v) {
  v.status = statusFrom(j.at("status"));
  j.at("reason").get_to(v.reason);
  j.at("parts").get_to(v.parts);
  j.at("launches").get_to(v.launches);
  j.at("allLaunches").get_to(v.allLaunches);
  j.at("poolBytes").get_to(v.poolBytes);
  j.at("blockers").get_to(v.blockers);
}

}  // namespace kadvise
