// Text of other people, as UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kadvise {

// Where each byte that is no part of a character, and each character that XML has none of, is U+FFFD.
std::string validUtf8(std::string_view);

// Valid UTF-8 in which nothing moves a cursor or turns the reading direction round, so that no name of a
// model or a source shows as another: control characters but "\n" and "\t" become spaces, marks of direction
// and Unicode's own line ends U+FFFD.
std::string visible(std::string_view);

// Each byte as the character of its number, and back; characters above U+00FF are left out.
std::string charactersOf(std::string_view bytes);
std::string bytesOf(std::string_view characters);

// So many bytes at most, and no part of a character.
std::string_view headOf(std::string_view text, std::size_t mostBytes);

}  // namespace kadvise
