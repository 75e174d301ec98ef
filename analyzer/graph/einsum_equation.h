// The letters of an einsum of two operands.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kadvise::graph {

// Each letter once in each, every letter of one operand in the other or the result.
struct Equation {
  std::string left, right, result;
};

// nullopt for any other equation.
std::optional<Equation> parseEquation(std::string text);

// The letters of one operand that become a single dimension of the batched product: batch, open and summed
// ones, in the order in which einsum lays them out: as in the result, summed ones by the alphabet (upper case
// first).
struct EquationGroups {
  std::string batch, open, summed;
};
EquationGroups groupsOf(const std::string& operand, const std::string& other, const Equation&);

// Some letters, each once.
bool areDistinctLetters(const std::string&);

inline bool hasLetter(const std::string& s, char c) { return s.find(c) != std::string::npos; }

}  // namespace kadvise::graph
