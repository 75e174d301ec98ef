#include "analyzer/graph/einsum_equation.h"

#include <algorithm>
#include <cctype>

namespace kadvise::graph {

bool areDistinctLetters(const std::string& s) {
  for (std::size_t i = 0; i < s.size(); ++i)
    if (!std::isalpha(static_cast<unsigned char>(s[i])) || s.find(s[i], i + 1) != std::string::npos)
      return false;
  return !s.empty();
}

std::optional<Equation> parseEquation(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  auto comma = text.find(','), arrow = text.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || comma > arrow) return std::nullopt;
  Equation e{text.substr(0, comma), text.substr(comma + 1, arrow - comma - 1), text.substr(arrow + 2)};
  if (!areDistinctLetters(e.left) || !areDistinctLetters(e.right) || !areDistinctLetters(e.result))
    return std::nullopt;
  for (char c : e.left)
    if (!hasLetter(e.right, c) && !hasLetter(e.result, c)) return std::nullopt;
  for (char c : e.right)
    if (!hasLetter(e.left, c) && !hasLetter(e.result, c)) return std::nullopt;
  return e;
}

EquationGroups groupsOf(const std::string& operand, const std::string& other, const Equation& e) {
  std::string batch, open, summed;
  for (char c : e.result)
    if (hasLetter(operand, c)) (hasLetter(other, c) ? batch : open) += c;
  for (char c : operand)
    if (!hasLetter(e.result, c)) summed += c;
  std::sort(summed.begin(), summed.end());
  return {batch, open, summed};
}

}  // namespace kadvise::graph
