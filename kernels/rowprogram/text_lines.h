// The text of a row program as lines of words, and errors that name the line.
#pragma once

#include "kernels/rowprogram/words.h"

#include <c10/util/Exception.h>

#include <optional>
#include <string>
#include <vector>

namespace kadvise::rowprogram {

constexpr std::size_t kMostBytes = 64 << 10, kMostWords = 2 + kMostRank;

struct Line {
  int number = 0;                       // from 1
  std::vector<std::string_view> words;  // at least one
};

// The lines that are not empty, one at least. Words point into the text.
std::vector<Line> linesOf(std::string_view text);

// A word as messages show it: what is long is cut, what does not print is replaced.
std::string quoted(std::string_view word);

template <class... Parts>
void check(bool isRight, const Line& line, const Parts&... what) {
  TORCH_CHECK(isRight, "row program, line ", line.number, ": ", what...);
}

bool isName(std::string_view word);

struct Number {
  double value = 0;
  bool isWhole = false;  // without point and exponent
};
std::optional<Number> numberOf(std::string_view word);
std::optional<std::int64_t> wholeNumber(std::string_view word);

// Throws for what is no dtype of a text.
const ElementWord& elementNamed(const Line& line, std::string_view word);

// The operator whose name differs least.
std::string_view nearestOperator(std::string_view word);

}  // namespace kadvise::rowprogram
