// Text as lines and back.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace kadvise::fuzz {

using Lines = std::vector<std::string>;

inline Lines linesOf(const std::string& text) {
  Lines out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

inline std::string textOf(const Lines& lines) {
  std::string out;
  for (auto& l : lines) out += l + "\n";
  return out;
}

}  // namespace kadvise::fuzz
