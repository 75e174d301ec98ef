// A rule page as text: fenced blocks with their roles, and prose under headings.
#pragma once

#include <string>

#include "analyzer/core/error.h"
#include "analyzer/core/rule_page.h"

namespace kadvise {

struct PagePlace {  // where we are while reading
  std::string path;
  [[noreturn]] void fail(int line, const std::string& what) const {
    throw Error(path + ":" + std::to_string(line), what);
  }
};

// Fills fences and sections. Throws Error for a fence that is unknown, malformed or never closed.
void splitPage(const PagePlace&, const std::string& text, RulePage&);

}  // namespace kadvise
