// The text of a report as one line, and what must stand in it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "reports/text.h"

namespace kadvise {

inline std::string flat(std::string text) {  // as one line, so that wrapping does not matter
  std::string out;
  for (char c : text) {
    if (c == '\n') c = ' ';
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
  }
  return out;
}

inline std::string rendered(const Report& r, TextStyle style = {}) { return flat(renderText(r, style)); }

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
#define EXPECT_LACKS(text, part) EXPECT_EQ((text).find(part), std::string::npos) << (text)

}  // namespace kadvise
