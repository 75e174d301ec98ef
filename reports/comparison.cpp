#include "reports/comparison.h"

namespace kadvise {

void to_json(Json& j, const RunChange& v) {
  j = {{"kind", v.kind},   {"rule", v.rule},       {"what", v.what},    {"before", v.before},
       {"after", v.after}, {"finding", v.finding}, {"lostUs", v.lostUs}};
}
void from_json(const Json& j, RunChange& v) {
  j.at("kind").get_to(v.kind), j.at("rule").get_to(v.rule), j.at("what").get_to(v.what);
  j.at("before").get_to(v.before), j.at("after").get_to(v.after), j.at("finding").get_to(v.finding);
  v.lostUs = j.value("lostUs", 0.0);
}

void to_json(Json& j, const RunComparison& v) {
  j = {{"older", v.older},     {"newer", v.newer},
       {"differs", v.differs}, {"timesComparable", v.areTimesComparable},
       {"whole", v.whole},     {"regressions", v.regressions},
       {"gains", v.gains},     {"found", v.found},
       {"fixed", v.fixed},     {"unchanged", v.unchanged}};
  if (v.areTwoModules) j["twoModules"] = true;
}
void from_json(const Json& j, RunComparison& v) {
  j.at("older").get_to(v.older), j.at("newer").get_to(v.newer), j.at("differs").get_to(v.differs);
  j.at("timesComparable").get_to(v.areTimesComparable), j.at("whole").get_to(v.whole);
  j.at("regressions").get_to(v.regressions), j.at("gains").get_to(v.gains);
  j.at("found").get_to(v.found), j.at("fixed").get_to(v.fixed), j.at("unchanged").get_to(v.unchanged);
  v.areTwoModules = j.value("twoModules", false);
}

}  // namespace kadvise
