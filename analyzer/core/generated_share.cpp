#include "analyzer/core/generated_share.h"

namespace kadvise {

void to_json(Json& j, const GeneratedShare& g) {
  Json left = Json::array();
  for (auto& l : g.leftOut)
    left.push_back(
        {{"reason", l.reason}, {"operators", l.operators}, {"bytes", l.bytes}, {"example", l.example}});
  j = {{"regions", g.regions},         {"operators", g.operators}, {"bytes", g.bytes},
       {"bytesInside", g.bytesInside}, {"share", g.share()},       {"leftOut", left}};
}

void from_json(const Json& j, GeneratedShare& g) {
  j.at("regions").get_to(g.regions);
  j.at("operators").get_to(g.operators);
  j.at("bytes").get_to(g.bytes);
  j.at("bytesInside").get_to(g.bytesInside);
  for (auto& l : j.at("leftOut"))
    g.leftOut.push_back({l.at("reason").get<std::string>(), l.at("operators").get<int>(),
                         l.at("bytes").get<double>(), l.at("example").get<std::string>()});
}

}  // namespace kadvise
