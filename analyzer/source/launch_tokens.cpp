#include "analyzer/source/launch_tokens.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

namespace kadvise::source {
namespace {

constexpr std::size_t kNowhere = std::string::npos;

// Where "<<<" ends that begins here, with blanks between its characters or without.
std::optional<std::size_t> endOfToken(std::string_view text, std::size_t at, char of) {
  int seen = 0;
  for (; at < text.size() && seen < 3; ++at) {
    if (text[at] == of) ++seen;
    else if (seen == 0 || (text[at] != ' ' && text[at] != '\t')) return std::nullopt;
  }
  return seen == 3 ? std::optional(at) : std::nullopt;
}

void putTogether(std::string& text, std::size_t at, std::size_t end) {
  std::stable_partition(text.begin() + static_cast<std::ptrdiff_t>(at),
                        text.begin() + static_cast<std::ptrdiff_t>(end),
                        [&](char c) { return c == text[at]; });
}

// ">> >" before the arguments, in the statement that begins with "<<<"; none where it is whole, or no launch.
std::optional<std::pair<std::size_t, std::size_t>> splitEnd(std::string_view text, std::size_t from) {
  std::size_t last = std::min(text.find_first_of(";{}", from), text.size());
  for (std::size_t at = text.find('>', from); at < last; at = text.find('>', at + 1)) {
    auto end = endOfToken(text, at, '>');
    if (!end) continue;
    std::size_t next = text.find_first_not_of(" \t\r\n\\", *end);
    if (next == kNowhere || text[next] != '(') continue;
    return std::pair(at, *end);
  }
  return std::nullopt;
}

bool isOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t findWord(std::string_view text, std::string_view word, std::size_t from = 0) {
  for (std::size_t at = text.find(word, from); at != kNowhere; at = text.find(word, at + 1)) {
    std::size_t end = at + word.size();
    if ((at == 0 || !isOfName(text[at - 1])) && (end == text.size() || !isOfName(text[end]))) return at;
  }
  return kNowhere;
}

// Of "1, n, 0, stream": n, where it is a name.
std::string_view blockIn(std::string_view configuration) {
  auto first = configuration.find(',');
  if (first == kNowhere) return {};
  auto block = configuration.substr(first + 1);
  block = block.substr(0, block.find(','));
  block.remove_prefix(std::min(block.find_first_not_of(" \t\r\n"), block.size()));
  block = block.substr(0, block.find_last_not_of(" \t\r\n") + 1);
  return std::all_of(block.begin(), block.end(), isOfName) ? block : std::string_view();
}

}  // namespace

std::string withWholeLaunchTokens(std::string text) {
  for (std::size_t at = text.find("<<"); at != kNowhere; at = text.find("<<", at)) {
    auto begin = endOfToken(text, at, '<');
    auto end = begin ? splitEnd(text, *begin) : std::nullopt;
    if (end) {
      putTogether(text, at, *begin);
      putTogether(text, end->first, end->second);
    }
    at = end ? end->second : at + 2;
  }
  return text;
}

bool givesBlockOf(std::string_view text, std::string_view kernel) {
  for (std::size_t at = findWord(text, kernel); at != kNowhere; at = findWord(text, kernel, at + 1)) {
    auto statement = text.substr(at, text.find_first_of(";{", at) - at);
    auto begin = statement.find("<<<"), end = statement.find(">>>", begin);
    if (begin == kNowhere || end == kNowhere) continue;
    auto block = blockIn(statement.substr(begin + 3, end - begin - 3));
    if (!block.empty() && findWord(statement, block, end) != kNowhere) return true;
  }
  return false;
}

}  // namespace kadvise::source
