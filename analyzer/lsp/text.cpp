#include "analyzer/lsp/text.h"

#include <algorithm>

namespace kadvise::lsp {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::size_t kPairBytes = 4;                 // in UTF-8, of what is a pair in UTF-16

// Bytes and UTF-16 units of the character that begins with this byte.
struct Width {
  std::size_t bytes = 1, units = 1;
};

Width widthOf(unsigned char first) {
  if (first >= 0xF0) return {4, 2};
  if (first >= 0xE0) return {3, 1};
  return {first >= 0xC0 ? std::size_t{2} : std::size_t{1}, 1};
}

// Starts of the lines behind `from`, which is the start of one.
void addStarts(const std::string& text, std::size_t from, std::vector<std::size_t>& out) {
  for (std::size_t at = from; (at = text.find_first_of("\r\n", at)) != std::string::npos;) {
    at += text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n' ? 2 : 1;
    out.push_back(at);
  }
}

}  // namespace

void to_json(Json& j, const Position& v) { j = {{"line", v.line}, {"character", v.character}}; }
void from_json(const Json& j, Position& v) {
  // A client that counts below zero means the start.
  v.line = static_cast<std::size_t>(std::max<long long>(0, j.at("line").get<long long>()));
  v.character = static_cast<std::size_t>(std::max<long long>(0, j.at("character").get<long long>()));
}
void to_json(Json& j, const Range& v) { j = {{"start", v.start}, {"end", v.end}}; }
void from_json(const Json& j, Range& v) { j.at("start").get_to(v.start), j.at("end").get_to(v.end); }

Text::Text(std::string bytes) : bytes_(std::move(bytes)), starts_{0} { addStarts(bytes_, 0, starts_); }

std::size_t Text::startOf(std::size_t line) const {
  return line < starts_.size() ? starts_[line] : bytes_.size();
}

std::string_view Text::line(std::size_t number) const {
  std::size_t first = startOf(number), end = startOf(number + 1);
  while (end > first && (bytes_[end - 1] == '\n' || bytes_[end - 1] == '\r')) --end;
  return std::string_view(bytes_).substr(first, end - first);
}

std::size_t Text::offsetOf(Position p) const {
  std::string_view text = line(p.line);
  std::size_t at = 0;
  for (std::size_t units = 0; at < text.size();) {
    Width w = widthOf(static_cast<unsigned char>(text[at]));
    if (units + w.units > p.character) break;
    units += w.units, at = std::min(at + w.bytes, text.size());
  }
  return startOf(p.line) + at;
}

Position Text::positionOf(std::size_t offset) const {
  offset = std::min(offset, bytes_.size());
  auto above = std::upper_bound(starts_.begin(), starts_.end(), offset);
  Position out{static_cast<std::size_t>(above - starts_.begin()) - 1, 0};
  std::size_t end = std::min(offset, starts_[out.line] + line(out.line).size());
  for (std::size_t at = starts_[out.line]; at < end;) {
    Width w = widthOf(static_cast<unsigned char>(bytes_[at]));
    if (at + w.bytes > end) break;
    at += w.bytes, out.character += w.units;
  }
  return out;
}

// Whether the place lies between the two units of the character that begins at its offset.
bool Text::isWithinPair(Position p, std::size_t offset) const {
  return offset < startOf(p.line) + line(p.line).size() && positionOf(offset).character < p.character;
}

void Text::replace(Range range, std::string_view with) {
  if (range.end < range.start) std::swap(range.start, range.end);
  std::size_t first = offsetOf(range.start), end = offsetOf(range.end);
  std::size_t line = positionOf(first).line;  // while the lines are those of the text
  std::string text(with);
  if (isWithinPair(range.start, first)) text.insert(0, kReplacement);
  if (isWithinPair(range.end, end)) text += kReplacement, end += kPairBytes;
  bytes_.replace(first, std::min(end, bytes_.size()) - first, text);
  // A "\r" just before may be one line end with what comes now, so the line before is counted again, too.
  line = line > 0 ? line - 1 : 0;
  starts_.resize(line + 1);
  addStarts(bytes_, starts_[line], starts_);
}

}  // namespace kadvise::lsp
