#include "analyzer/core/rule_page.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "analyzer/core/error.h"
#include "analyzer/core/json.h"

namespace kadvise {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct FenceKind {
  const char *language, *role;
};
// A block without a role, such as ```python, is prose.
constexpr FenceKind kFences[] = {{"json", "rule"},      {"python", "match"}, {"python", "when"},
                                 {"python", "replace"}, {"python", "fires"}, {"python", "silent"},
                                 {"text", "matcher"},   {"text", "edit"},    {"cpp", "fires"},
                                 {"cpp", "silent"},     {"cpp", "fixed"}};
constexpr const char* kSections[] = {"What it finds", "Why it costs", "What to write instead", "Limits",
                                     "References"};
constexpr const char* kHeaderKeys[] = {"id",       "title", "severity", "tags",   "devices", "dtypes",
                                       "dtypesOn", "cases", "function", "breaks", "nodes",   "report"};
constexpr const char* kReplaceKeys[] = {"level", "exactness", "domain", "domainWith", "title"};

struct Page {  // where we are while reading
  std::string path;
  [[noreturn]] void fail(int line, const std::string& what) const {
    throw Error(path + ":" + std::to_string(line), what);
  }
};

template <std::size_t N>
bool isOneOf(const char* const (&list)[N], const std::string& s) {
  return std::any_of(std::begin(list), std::end(list), [&](const char* x) { return s == x; });
}

std::string trim(const std::string& s) {
  auto a = s.find_first_not_of(" \t\r\n"), b = s.find_last_not_of(" \t\r\n");
  return a == std::string::npos ? "" : s.substr(a, b - a + 1);
}

// {level=1 domain="rows masked entirely: NaN becomes 0"}
std::map<std::string, std::string> parseAttributes(const Page& page, int line, const std::string& text) {
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
Fence openFence(const Page& page, int line, const std::string& info) {
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
  if (f.role != "replace" && !f.attributes.empty()) page.fail(line, "only a replace fence has attributes");
  return f;
}

// Splits the page into fences and prose under headings.
void split(const Page& page, const std::string& text, RulePage& out) {
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
      open->text += line + "\n";
    } else if (!line.empty() && line[0] == '#') {
      heading = trim(line.substr(
          line.find_first_not_of('#') == std::string::npos ? line.size() : line.find_first_not_of('#')));
      out.sections[heading];
    } else {
      out.sections[heading] += line + "\n";
    }
  }
  if (open) page.fail(open->line - 1, "this fence is never closed");
  for (auto& [name, prose] : out.sections) prose = trim(prose);
}

Case parseCase(const Page& page, int line, const OrderedJson& values) {
  if (!values.is_object())
    page.fail(line, "each of cases is an object: {\"x\": \"float[2,17,64]\", \"eps\": 1e-5}");
  Case out;
  for (auto& [name, value] : values.items()) {
    CaseValue v{name, std::nullopt, ""};
    bool infinite = value == "inf" || value == "-inf";  // which JSON has no number for
    if (value.is_string() && !infinite) {
      try {
        v.tensor = parseInputSpec(value.get<std::string>());
      } catch (const Error& e) {
        page.fail(line, std::string("case value ") + name + ": " + e.what());
      }
    } else {
      v.literal = value.dump();
    }
    out.push_back(std::move(v));
  }
  return out;
}

void readHeader(const Page& page, const Fence& fence, RulePage& out) {
  OrderedJson header;
  try {
    header = OrderedJson::parse(fence.text);
  } catch (const OrderedJson::parse_error& e) {
    int lines = static_cast<int>(
        std::count(fence.text.begin(), fence.text.begin() + std::min(e.byte, fence.text.size()), '\n'));
    page.fail(fence.line + lines, std::string("the rule header is not JSON: ") + e.what());
  } catch (const OrderedJson::exception& e) {  // a number that no double holds
    page.fail(fence.line, std::string("the rule header: ") + e.what());
  }
  if (!header.is_object()) page.fail(fence.line, "the rule header is one JSON object");
  for (auto& [key, value] : header.items())
    if (!isOneOf(kHeaderKeys, key)) page.fail(fence.line, "unknown key \"" + key + "\" in the rule header");
  try {
    header.at("id").get_to(out.id);
    header.at("title").get_to(out.title);
    out.severity = severityFrom(header.at("severity").get<std::string>());
    if (header.contains("tags")) header["tags"].get_to(out.tags);
    if (header.contains("devices")) header["devices"].get_to(out.devices);
    if (header.contains("dtypes")) header["dtypes"].get_to(out.dtypes);
    if (header.contains("dtypesOn")) header["dtypesOn"].get_to(out.dtypesOn);
    if (header.contains("function")) header["function"].get_to(out.function);
    out.nodes = nodeQueriesFrom(Json(header));
    if (header.contains("cases"))
      for (auto& c : header["cases"]) out.cases.push_back(parseCase(page, fence.line, c));
  } catch (const OrderedJson::exception& e) {
    page.fail(fence.line, std::string("in the rule header: ") + e.what());
  } catch (const Error& e) {
    if (!e.where.empty()) throw;
    page.fail(fence.line, "in the rule header: " + e.reason);
  }
}

bool hasWord(const std::string& text, const std::string& word) {
  auto isPartOfWord = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if (!(at > 0 && isPartOfWord(at - 1)) && !isPartOfWord(at + word.size())) return true;
  return false;
}

// A case with a misspelt parameter fits no pattern, and would be left out of the proof without a word.
void checkCases(const Page& page, const RulePage& rule) {
  for (auto& given : rule.cases)
    for (auto& value : given) {
      bool isKnown = std::any_of(rule.fences.begin(), rule.fences.end(), [&](auto& f) {
        return f.language == "python" && hasWord(f.text, value.name);
      });
      if (!isKnown)
        page.fail(1, "a case gives \"" + value.name + "\", which no pattern or example of this page takes");
    }
}

void check(const Page& page, const RulePage& rule) {
  for (auto* section : kSections)
    if (auto it = rule.sections.find(section); it == rule.sections.end() || it->second.empty())
      page.fail(1, std::string("section \"") + section + "\" is missing or empty");
  for (auto& device : rule.devices)
    if (device != "cpu" && device != "cuda")
      page.fail(1, "\"devices\" are \"cpu\" and \"cuda\", not \"" + device + "\"");
  if (rule.with("fires").empty()) page.fail(1, "no `fires` example: a rule shows what it finds");
  if (rule.with("silent").empty()) page.fail(1, "no `silent` example: a rule shows what it leaves alone");
  auto matches = rule.with("match"), replacements = rule.with("replace");
  if (matches.empty() && rule.function.empty() && rule.with("matcher").empty())
    page.fail(1, "neither a `match` fence nor a \"function\" in the header: this rule can find nothing");
  if (!rule.nodes.queries.empty() && rule.function.empty())
    page.fail(1, "\"nodes\" are read by a \"function\", such as \"graph-break\"");
  if (!replacements.empty() && (matches.empty() || matches[0]->line > replacements[0]->line))
    page.fail(replacements[0]->line, "a replacement stands after the `match` fence that it replaces");
  if (!replacements.empty() && rule.cases.empty())
    page.fail(replacements[0]->line,
              "a rule with a replacement gives \"cases\" in its header, or it cannot be proven");
  if (!replacements.empty() && rule.dtypes.empty())
    page.fail(replacements[0]->line, "a rule with a replacement names the \"dtypes\" it holds for");
  for (auto* fence : replacements) replacementInfo(rule, *fence);
  std::set<std::string> headings;
  for (auto& f : rule.fences)
    if ((f.role == "fires" || f.role == "silent") && !headings.insert(f.language + f.heading).second)
      page.fail(f.line,
                "two examples under the heading \"" + f.heading + "\": the heading is the test's name");
  checkCases(page, rule);
}

}  // namespace

bool RulePage::isAbout(const std::string& device) const {
  return devices.empty() || std::find(devices.begin(), devices.end(), device) != devices.end();
}

const std::vector<std::string>& RulePage::dtypesFor(const std::string& device) const {
  auto it = dtypesOn.find(device);
  return it == dtypesOn.end() ? dtypes : it->second;
}

std::vector<const Fence*> RulePage::with(const std::string& role) const {
  std::vector<const Fence*> out;
  for (auto& f : fences)
    if (f.role == role) out.push_back(&f);
  return out;
}

ReplacementInfo replacementInfo(const RulePage& rule, const Fence& fence) {
  Page page{rule.path};
  ReplacementInfo info{1, Exactness::Exact, "", rule.title};
  for (auto& [key, value] : fence.attributes) {
    if (!isOneOf(kReplaceKeys, key))
      page.fail(fence.line - 1, "unknown attribute \"" + key + "\" of a replacement");
    if (key == "domain") info.domain = value;
    if (key == "title") info.title = value;
    if (key == "level") {
      if (value.size() != 1 || value[0] < '1' || value[0] > '5')
        page.fail(fence.line - 1, "level is a number from 1 to 5");
      info.level = value[0] - '0';
    }
    if (key == "exactness") {
      try {
        info.exactness = exactnessFrom(value);
      } catch (const Error& e) {
        page.fail(fence.line - 1, "exactness " + e.reason);
      }
    }
  }
  return info;
}

RulePage parseRulePage(const std::string& path, const std::string& text) {
  Page page{path};
  RulePage out;
  out.path = path;
  split(page, text, out);
  auto headers = out.with("rule");
  if (headers.size() != 1) page.fail(1, "a rule page has exactly one `json rule` fence");
  readHeader(page, *headers[0], out);
  check(page, out);
  return out;
}

}  // namespace kadvise
