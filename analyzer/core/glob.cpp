#include "analyzer/core/glob.h"

#include <algorithm>

namespace kadvise {
namespace {

constexpr char kNone = '\0';

// Where matching goes on after a star: the star takes more of the text, one character or one folder at a
// time.
struct Backtrack {
  std::size_t pattern = std::string_view::npos, text = 0;
  bool byFolder = false;

  bool advance(std::string_view whole, char separator) {
    if (pattern == std::string_view::npos) return false;
    if (!byFolder) return ++text, true;
    auto slash = whole.find(separator, text);
    if (slash == std::string_view::npos) return false;
    return text = slash + 1, true;
  }
};

// Whether the whole text matches. Only the last star of each kind is tried again, so no pattern takes
// exponential time: an earlier `*` cannot do better than stop at the same slash, and an earlier `**` than
// where it stopped first.
bool matches(std::string_view pattern, std::string_view text, char separator) {
  std::size_t p = 0, t = 0;
  Backtrack star, deep;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      auto end = std::min(pattern.find_first_not_of('*', p), pattern.size());
      bool folders = separator != kNone && end - p > 1;
      p = end;
      if (separator != kNone && !folders) {
        star = {p, t, false};
        continue;
      }
      // "**/x" also matches "x": no folder at all.
      bool wholeFolders =
          folders && p < pattern.size() && pattern[p] == separator && (t == 0 || text[t - 1] == separator);
      if (wholeFolders) ++p;
      deep = {p, t, wholeFolders};
      star = {};
      continue;
    }
    if (p < pattern.size() && (pattern[p] == text[t] || (pattern[p] == '?' && text[t] != separator))) {
      ++p, ++t;
      continue;
    }
    if (star.pattern != std::string_view::npos && text[star.text] != separator) {
      star.advance(text, separator);
      p = star.pattern, t = star.text;
      continue;
    }
    if (!deep.advance(text, separator)) return false;
    p = deep.pattern, t = deep.text, star = {};
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

bool pathMatches(std::string_view pattern, std::string_view path) {
  while (!pattern.empty() && pattern.back() == '/') pattern.remove_suffix(1);
  bool anywhere = pattern.find('/') == std::string_view::npos;
  // The path itself, and each folder above it.
  for (auto end = path.size(); end != std::string_view::npos && end > 0; end = path.rfind('/', end - 1)) {
    auto whole = path.substr(0, end);
    auto last = whole.substr(whole.rfind('/') + 1);
    if (matches(pattern, anywhere ? last : whole, '/')) return true;
  }
  return false;
}

bool scopeMatches(std::string_view pattern, std::string_view scope) { return matches(pattern, scope, kNone); }

}  // namespace kadvise
