#include "reports/visible_json.h"

#include "analyzer/core/utf8.h"

namespace kadvise {
namespace {

constexpr const char* kExact = "insertedContent";  // SARIF's: the text of a fix

}  // namespace

Json visibleJson(const Json& j) {
  if (j.is_string()) return visible(j.get_ref<const std::string&>());
  if (!j.is_structured()) return j;
  Json out = j.is_array() ? Json::array() : Json::object();
  if (j.is_array())
    for (auto& item : j) out.push_back(visibleJson(item));
  else
    for (auto& [key, value] : j.items()) out[visible(key)] = key == kExact ? value : visibleJson(value);
  return out;
}

}  // namespace kadvise
