#include "analyzer/core/utf8.h"

#include <algorithm>
#include <cstdint>

namespace kadvise {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Bytes of the character that the text begins with; 0 where it begins with none.
std::size_t lengthOfFirst(std::string_view text) {
  auto lead = static_cast<unsigned char>(text[0]);
  std::size_t length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
  if (length <= 1) return length;
  if (text.size() < length) return 0;
  std::uint32_t code = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (!isContinuation(text[i])) return 0;
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  bool isSurrogate = code >= 0xD800 && code < 0xE000, isNone = code == 0xFFFE || code == 0xFFFF;
  return code < kLeast[length] || code > 0x10FFFF || isSurrogate || isNone ? 0 : length;
}

}  // namespace

std::string validUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t length = lengthOfFirst(text);
    if (length > 0) out += text.substr(0, length);
    else out += kReplacement;
    text.remove_prefix(length > 0 ? length : 1);
  }
  return out;
}

std::string visible(std::string_view text) {
  constexpr std::string_view kTurns[] = {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029",
                                         "\u202a", "\u202b", "\u202c", "\u202d", "\u202e",
                                         "\u2066", "\u2067", "\u2068", "\u2069"};
  std::string valid = validUtf8(text), out;
  out.reserve(valid.size());
  for (std::size_t at = 0; at < valid.size();) {
    std::string_view character =
        std::string_view(valid).substr(at, lengthOfFirst(std::string_view(valid).substr(at)));
    auto lead = static_cast<unsigned char>(character[0]);
    bool isControl = (lead < 0x20 && lead != '\n' && lead != '\t') || lead == 0x7F;
    bool isLongControl = lead == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;  // to U+009F
    bool turns = std::find(std::begin(kTurns), std::end(kTurns), character) != std::end(kTurns);
    if (isControl || isLongControl) out += ' ';
    else if (turns) out += kReplacement;
    else out += character;
    at += character.size();
  }
  return out;
}

std::string charactersOf(std::string_view bytes) {
  std::string out;
  for (char c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80)
      out += static_cast<char>(0xC0 | byte >> 6), out += static_cast<char>(0x80 | (byte & 0x3F));
    else out += c;
  }
  return out;
}

std::string bytesOf(std::string_view characters) {
  std::string out;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    auto lead = static_cast<unsigned char>(characters[i]);
    bool isLong = (lead == 0xC2 || lead == 0xC3) && i + 1 < characters.size();
    if (isLong)
      out += static_cast<char>((lead & 3) << 6 | (static_cast<unsigned char>(characters[++i]) & 0x3F));
    else if (lead < 0x80) out += characters[i];
  }
  return out;
}

std::string_view headOf(std::string_view text, std::size_t mostBytes) {
  if (text.size() <= mostBytes) return text;
  while (mostBytes > 0 && isContinuation(text[mostBytes])) --mostBytes;
  return text.substr(0, mostBytes);
}

}  // namespace kadvise
