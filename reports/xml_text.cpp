#include "reports/xml_text.h"

#include "reports/layout.h"

namespace kadvise {

std::string xmlText(std::string_view text) {
  std::string out;
  for (char c : printable(text)) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

}  // namespace kadvise
