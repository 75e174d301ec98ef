#include "analyzer/source/later_standard.h"

#include <algorithm>
#include <cctype>

namespace kadvise::source {
namespace {

// Words of C++17 would be read as names there; "requires" and "concept" may be names of old sources, which is
// why a file is read again only where C++17 makes errors of it.
constexpr const char* kWords[] = {"requires", "concept",  "consteval", "constinit",
                                  "co_await", "co_yield", "co_return", "char8_t"};
constexpr const char* kTexts[] = {"<concepts>",
                                  "<ranges>",
                                  "<span>",
                                  "<bit>",
                                  "<numbers>",
                                  "<compare>",
                                  "<format>",
                                  "<coroutine>",
                                  "<source_location>",
                                  "<=>",
                                  "[]<",
                                  "[&]<",
                                  "[=]<",
                                  "using enum",
                                  ".starts_with(",
                                  ".ends_with(",
                                  "std::remove_cvref",
                                  "std::numbers",
                                  "std::span",
                                  "std::bit_cast",
                                  "std::type_identity",
                                  "<semaphore>",
                                  "<latch>",
                                  "<barrier>"};

bool isWordPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool hasWord(const std::string& text, const std::string& word) {
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    std::size_t end = at + word.size();
    if ((at == 0 || !isWordPart(text[at - 1])) && (end == text.size() || !isWordPart(text[end]))) return true;
  }
  return false;
}

// A comment that "requires" something says nothing of the language.
std::string withoutComments(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    bool isLine = text.compare(at, 2, "//") == 0, isBlock = text.compare(at, 2, "/*") == 0;
    if (!isLine && !isBlock) {
      out += text[at++];
      continue;
    }
    auto end = text.find(isLine ? "\n" : "*/", at + 2);
    at = end == text.npos ? text.size() : isLine ? end : end + 2;
    out += ' ';
  }
  return out;
}

}  // namespace

bool looksLikeCxx20(const std::string& whole) {
  const std::string text = withoutComments(whole);
  return std::any_of(std::begin(kWords), std::end(kWords), [&](auto* w) { return hasWord(text, w); }) ||
         std::any_of(std::begin(kTexts), std::end(kTexts),
                     [&](auto* t) { return text.find(t) != text.npos; });
}

}  // namespace kadvise::source
