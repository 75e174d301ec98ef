#include "analyzer/core/foreign_json.h"

#include <cstddef>

namespace kadvise {
namespace {

constexpr std::size_t kMostDepth = 200;

}  // namespace

bool isNestedTooDeeply(std::string_view json) {
  std::size_t depth = 0;
  bool inString = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    char c = json[i];
    if (inString) {
      if (c == '\\') ++i;
      else if (c == '"') inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMostDepth) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

Json parseForeign(const std::string& text) {
  if (isNestedTooDeeply(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

}  // namespace kadvise
