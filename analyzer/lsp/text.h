// The text of a document, in bytes of UTF-8, with the protocol's positions: lines from 0, and UTF-16 units in
// a line. Lines end with "\n", "\r\n" or "\r", as Clang counts them too.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/core/json.h"

namespace kadvise::lsp {

struct Position {
  std::size_t line = 0, character = 0;
  bool operator==(const Position&) const = default;
  auto operator<=>(const Position&) const = default;
};

struct Range {
  Position start, end;
  bool operator==(const Range&) const = default;
};

void to_json(Json&, const Position&);
void from_json(const Json&, Position&);  // throws Json::exception for what is none
void to_json(Json&, const Range&);
void from_json(const Json&, Range&);

class Text {
 public:
  explicit Text(std::string bytes = {});

  const std::string& bytes() const { return bytes_; }
  std::size_t lines() const { return starts_.size(); }
  std::string_view line(std::size_t number) const;  // without its end; "" beyond the last one
  std::size_t startOf(std::size_t line) const;      // an offset; the text's end beyond the last line

  // What lies outside is taken as the nearest place inside; the middle of a pair of surrogates as its start.
  std::size_t offsetOf(Position) const;
  Position positionOf(std::size_t offset) const;
  Range rangeOf(std::size_t first, std::size_t end) const { return {positionOf(first), positionOf(end)}; }

  // Half of a pair of surrogates that is left of a character becomes U+FFFD.
  void replace(Range, std::string_view with);

 private:
  bool isWithinPair(Position, std::size_t offset) const;

  std::string bytes_;
  std::vector<std::size_t> starts_;  // of each line
};

}  // namespace kadvise::lsp
