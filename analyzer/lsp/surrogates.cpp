#include "analyzer/lsp/surrogates.h"

#include <charconv>
#include <cstddef>

namespace kadvise::lsp {
namespace {

constexpr std::size_t kEscapeLength = 6;  // "\uD834"
constexpr const char* kReplacement = "\\ufffd";

// Of the escape that begins here; 0 where none does.
unsigned escapedUnit(const std::string& json, std::size_t at) {
  if (at + kEscapeLength > json.size() || json[at] != '\\' || json[at + 1] != 'u') return 0;
  unsigned unit = 0;
  const char *first = json.data() + at + 2, *end = json.data() + at + kEscapeLength;
  return std::from_chars(first, end, unit, 16).ptr == end ? unit : 0;
}

bool isHigh(unsigned unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool isLow(unsigned unit) { return unit >= 0xDC00 && unit < 0xE000; }

}  // namespace

std::string withoutLoneSurrogates(std::string json) {
  for (std::size_t at = 0; (at = json.find('\\', at)) != std::string::npos;) {
    unsigned unit = escapedUnit(json, at);
    bool isPair = isHigh(unit) && isLow(escapedUnit(json, at + kEscapeLength));
    if (!isPair && (isHigh(unit) || isLow(unit))) json.replace(at, kEscapeLength, kReplacement);
    at += isPair ? 2 * kEscapeLength : unit ? kEscapeLength : 2;
  }
  return json;
}

}  // namespace kadvise::lsp
