#include "analyzer/core/page_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

namespace kadvise {
namespace {

struct FenceKind {
  const char *language, *role;
};
// A block without a role, such as ```python, is prose.
constexpr FenceKind kFences[] = {{"json", "rule"},      {"python", "match"}, {"python", "when"},
                                 {"python", "replace"}, {"python", "fires"}, {"python", "silent"},
                                 {"text", "matcher"},   {"text", "formula"}, {"text", "edit"},
                                 {"cpp", "fires"},      {"cpp", "silent"},   {"cpp", "fixed"}};

std::string trim(const std::string& s) {
  auto a = s.find_first_not_of(" \t\r\n"), b = s.find_last_not_of(" \t\r\n");
  return a == std::string::npos ? "" : s.substr(a, b - a + 1);
}

// {level=1 domain="rows masked entirely: NaN becomes 0"}
std::map<std::string, std::string> parseAttributes(const PagePlace& page, int line, const std::string& text) {
  std::map<std::string, std::string> out;
  if (text.empty()) return out;
  if (text.front() != '{' || text.back() != '}') page.fail(line, "attributes of a fence stand in {braces}");
  std::size_t at = 1, end = text.size() - 1;
  while (true) {
    while (at < end && text[at] == ' ') ++at;
    if (at >= end) return out;
    auto eq = text.find('=', at);
    if (eq == std::string::npos || eq >= end)
      page.fail(line, "attribute without a value: " + text.substr(at, end - at));
    std::string key = text.substr(at, eq - at), value;
    at = eq + 1;
    if (at < end && text[at] == '"') {
      auto close = text.find('"', at + 1);
      if (close == std::string::npos || close >= end)
        page.fail(line, "the value of " + key + " has no closing quote");
      value = text.substr(at + 1, close - at - 1);
      at = close + 1;
    } else {
      auto stop = std::min(text.find(' ', at), end);
      value = text.substr(at, stop - at);
      at = stop;
    }
    if (!out.emplace(key, value).second) page.fail(line, "attribute " + key + " is given twice");
  }
}

// The opening line of a fence: ```language role {attributes}
Fence openFence(const PagePlace& page, int line, const std::string& info) {
  Fence f;
  std::istringstream words(info);
  words >> f.language >> f.role;
  std::string rest;
  std::getline(words, rest);
  if (f.role.empty()) return f;
  bool known = std::any_of(std::begin(kFences), std::end(kFences),
                           [&](const FenceKind& k) { return f.language == k.language && f.role == k.role; });
  if (!known) page.fail(line, "unknown fence \"" + f.language + " " + f.role + "\"");
  f.attributes = parseAttributes(page, line, trim(rest));
  if (f.role != "replace" && f.role != "edit" && !f.attributes.empty())
    page.fail(line, "only a replace fence and an edit fence have attributes");
  return f;
}

}  // namespace

void splitPage(const PagePlace& page, const std::string& text, RulePage& out) {
  std::istringstream in(text);
  std::string line, heading;
  std::optional<Fence> open;
  for (int number = 1; std::getline(in, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.rfind("```", 0) == 0) {
      if (!open) {
        open = openFence(page, number, line.substr(3));
        open->line = number + 1;
        open->heading = heading;
      } else {
        if (!open->role.empty()) out.fences.push_back(std::move(*open));
        else out.sections[heading] += "```" + open->language + "\n" + open->text + "```\n";
        open.reset();
      }
      continue;
    }
    if (open) {
      open->text.append(line) += '\n';
    } else if (!line.empty() && line[0] == '#') {
      heading = trim(line.substr(
          line.find_first_not_of('#') == std::string::npos ? line.size() : line.find_first_not_of('#')));
      out.sections[heading];
    } else {
      out.sections[heading].append(line) += '\n';
    }
  }
  if (open) page.fail(open->line - 1, "this fence is never closed");
  for (auto& [name, prose] : out.sections) prose = trim(prose);
}

}  // namespace kadvise
