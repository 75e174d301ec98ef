#include "analyzer/core/profile.h"

#include "analyzer/core/json_fields.h"

namespace kadvise {

void to_json(Json& j, const ProfileView& v) {
  j = {{"mode", v.mode},       {"basis", v.basis},         {"timing", v.timing},
       {"wallUs", v.wallUs},   {"kernels", v.kernels},     {"operators", v.operators},
       {"modules", v.modules}, {"lines", v.lines},         {"launches", v.launches},
       {"leftOut", v.leftOut}, {"captureMs", v.captureMs}, {"instantiateMs", v.instantiateMs}};
  if (v.gpu) j["gpu"] = *v.gpu;
  if (v.attribution) j["attribution"] = *v.attribution;
}

void from_json(const Json& j, ProfileView& v) {
  get(j, "mode", v.mode), get(j, "basis", v.basis), get(j, "timing", v.timing), get(j, "wallUs", v.wallUs);
  get(j, "kernels", v.kernels), get(j, "operators", v.operators), get(j, "modules", v.modules);
  get(j, "lines", v.lines), get(j, "launches", v.launches), get(j, "leftOut", v.leftOut);
  get(j, "captureMs", v.captureMs), get(j, "instantiateMs", v.instantiateMs);
  get(j, "gpu", v.gpu), get(j, "attribution", v.attribution);
}

void to_json(Json& j, const Profile& v) {
  j = {{"firstCallMs", v.firstCallMs}, {"warmUpMs", v.warmUpMs},
       {"compileMs", v.compileMs},     {"views", v.views},
       {"counted", v.counted},         {"countedHow", v.countedHow},
       {"absent", v.absent},           {"notes", v.notes}};
  if (v.memory) j["memory"] = *v.memory;
}

void from_json(const Json& j, Profile& v) {
  get(j, "firstCallMs", v.firstCallMs), get(j, "warmUpMs", v.warmUpMs), get(j, "compileMs", v.compileMs);
  get(j, "views", v.views), get(j, "counted", v.counted), get(j, "countedHow", v.countedHow);
  get(j, "absent", v.absent), get(j, "notes", v.notes), get(j, "memory", v.memory);
}

}  // namespace kadvise
