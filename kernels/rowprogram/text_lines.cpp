#include "kernels/rowprogram/text_lines.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace kadvise::rowprogram {
namespace {

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::vector<std::string_view> wordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    if (isSpace(line[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < line.size() && !isSpace(line[at])) ++at;
    words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

// Single edits between two short words.
int distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::vector<Line> linesOf(std::string_view text) {
  TORCH_CHECK(text.size() <= kMostBytes, "row program: a text has at most ", kMostBytes, " bytes, not ",
              text.size());
  std::vector<Line> lines;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Line line{++number, wordsOf(text.substr(0, end))};
    text.remove_prefix(std::min(end + 1, text.size()));
    check(line.words.size() <= kMostWords, line, "a line has at most ", kMostWords, " words");
    if (!line.words.empty()) lines.push_back(std::move(line));
  }
  TORCH_CHECK(!lines.empty(), "row program: the text is empty; it begins with `row_program 1`");
  return lines;
}

std::string quoted(std::string_view word) {
  constexpr std::size_t kMost = 40;
  std::string shown(word.substr(0, kMost));
  std::replace_if(shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return "'" + shown + (word.size() > kMost ? "…'" : "'");
}

bool isName(std::string_view word) {
  constexpr std::size_t kMost = 64;
  constexpr std::string_view kTaken[] = {"out", "rank", "reduce", "row_program", "inf", "nan"};
  if (word.empty() || word.size() > kMost || !isLetter(word[0])) return false;
  if (std::find(std::begin(kTaken), std::end(kTaken), word) != std::end(kTaken)) return false;
  return std::all_of(word.begin(), word.end(), [](char c) { return isLetter(c) || isDigit(c); });
}

std::optional<Number> numberOf(std::string_view word) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (word == "inf") return Number{kInfinity};
  if (word == "-inf") return Number{-kInfinity};
  if (word == "nan") return Number{std::numeric_limits<double>::quiet_NaN()};
  const std::string_view digits = word.starts_with('-') ? word.substr(1) : word;
  if (digits.empty() || !isDigit(digits[0])) return std::nullopt;
  Number number{0, std::all_of(digits.begin(), digits.end(), isDigit)};
  const auto read = std::from_chars(word.data(), word.data() + word.size(), number.value);
  if (read.ec != std::errc() || read.ptr != word.data() + word.size()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> wholeNumber(std::string_view word) {
  std::int64_t value = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
  if (read.ec != std::errc() || read.ptr != word.data() + word.size()) return std::nullopt;
  return value;
}

const ElementWord& elementNamed(const Line& line, std::string_view word) {
  for (const ElementWord& element : elementWords())
    if (element.name == word && element.element != Element::Double) return element;
  check(word != "float64", line,
        "values are computed in float32, so no line says float64: leave it to torch");
  check(false, line, quoted(word),
        " is no dtype of row programs, which are bool, uint8, int8, int16, int32, int64, float16, bfloat16, "
        "float32");
  return elementWords()[0];
}

std::string_view nearestOperator(std::string_view word) {
  word = word.substr(0, 32);
  std::string_view nearest;
  int least = std::numeric_limits<int>::max();
  const auto consider = [&](std::string_view name) {
    const int edits = distance(word, name);
    if (edits < least) nearest = name, least = edits;
  };
  for (const PointwiseWord& known : pointwiseWords()) consider(known.name);
  for (const ReductionWord& known : reductionWords()) consider(known.name);
  for (const std::string_view name : {"cast", "take", "pick", "in"}) consider(name);
  return nearest;
}

}  // namespace kadvise::rowprogram
