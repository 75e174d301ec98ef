#include "analyzer/core/rule_page.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/core/foreign_json.h"
#include "analyzer/core/json.h"
#include "analyzer/core/page_text.h"

namespace kadvise {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kSections[] = {"What it finds", "Why it costs", "What to write instead", "Limits",
                                     "References"};
constexpr const char* kHeaderKeys[] = {
    "id",     "title", "severity", "tags",    "devices",    "dtypes",  "dtypesOn", "cases",       "function",
    "breaks", "nodes", "report",   "message", "confidence", "default", "price",    "behindOthers"};
constexpr const char* kConfidences[] = {"certain", "likely", "possible"};
constexpr const char* kEditKeys[] = {"safety", "title"};
constexpr const char* kReplaceKeys[] = {"level", "exactness", "domain", "domainWith", "title"};

template <std::size_t N>
bool isOneOf(const char* const (&list)[N], const std::string& s) {
  return std::any_of(std::begin(list), std::end(list), [&](const char* x) { return s == x; });
}

Case parseCase(const PagePlace& page, int line, const OrderedJson& values) {
  if (!values.is_object())
    page.fail(line, "each of cases is an object: {\"x\": \"float[2,17,64]\", \"eps\": 1e-5}");
  Case out;
  for (auto& [name, value] : values.items()) {
    CaseValue v{name, std::nullopt, ""};
    bool infinite = value == "inf" || value == "-inf";  // which JSON has no number for
    bool isText =
        value.is_object() && value.size() == 1 && value.contains("text") && value["text"].is_string();
    if (isText) {
      v.literal = value["text"].dump();
    } else if (value.is_string() && !infinite) {
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

OrderedJson headerIn(const PagePlace& page, const Fence& fence) {
  if (isNestedTooDeeply(fence.text)) page.fail(fence.line, "the rule header is nested too deeply");
  try {
    OrderedJson header = OrderedJson::parse(fence.text);
    if (!header.is_object()) page.fail(fence.line, "the rule header is one JSON object");
    return header;
  } catch (const OrderedJson::parse_error& e) {
    int lines = static_cast<int>(
        std::count(fence.text.begin(), fence.text.begin() + std::min(e.byte, fence.text.size()), '\n'));
    page.fail(fence.line + lines, std::string("the rule header is not JSON: ") + e.what());
  } catch (const OrderedJson::exception& e) {  // a number that no double holds
    page.fail(fence.line, std::string("the rule header: ") + e.what());
  }
}

void readHeader(const PagePlace& page, const Fence& fence, RulePage& out) {
  OrderedJson header = headerIn(page, fence);
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
    if (header.contains("message")) header["message"].get_to(out.message);
    if (header.contains("confidence")) header["confidence"].get_to(out.confidence);
    out.isOff = header.value("default", "on") == "off";
    out.isBehindOthers = header.value("behindOthers", false);
    out.price = header.value("price", "");
    if (!out.price.empty() && out.price != "fp64")
      page.fail(fence.line, "\"price\" is \"fp64\" or not there");
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
void checkCases(const PagePlace& page, const RulePage& rule) {
  for (auto& given : rule.cases)
    for (auto& value : given) {
      bool isKnown = std::any_of(rule.fences.begin(), rule.fences.end(), [&](auto& f) {
        return f.language == "python" && hasWord(f.text, value.name);
      });
      if (!isKnown)
        page.fail(1, "a case gives \"" + value.name + "\", which no pattern or example of this page takes");
    }
}

// Of a rule over sources: each edit stands behind a matcher or a formula, and what it makes of an example is
// shown.
void checkSources(const PagePlace& page, const RulePage& rule) {
  if (!isOneOf(kConfidences, rule.confidence))
    page.fail(1, "\"confidence\" is certain, likely or possible, not \"" + rule.confidence + "\"");
  auto edits = rule.with("edit");
  auto finds = std::find_if(rule.fences.begin(), rule.fences.end(),
                            [](auto& f) { return f.role == "matcher" || f.role == "formula"; });
  if (!edits.empty() && (finds == rule.fences.end() || finds->line > edits[0]->line))
    page.fail(edits[0]->line, "an edit stands after the `matcher` or `formula` fence whose parts it names");
  for (auto* edit : edits) editInfo(rule, *edit);
  auto fixed = rule.with("fixed");
  if (!edits.empty() && fixed.empty())
    page.fail(edits[0]->line,
              "a rule with an edit shows a `cpp fixed` example under the heading of its `fires`");
  for (auto* f : fixed)
    if (std::none_of(rule.fences.begin(), rule.fences.end(), [&](auto& other) {
          return other.role == "fires" && other.language == "cpp" && other.heading == f->heading;
        }))
      page.fail(f->line, "`fixed` stands under the heading of the `fires` example that it is made from");
}

// What is missing from the page, told together: who begins one would else learn of it piece by piece.
void checkParts(const PagePlace& page, const RulePage& rule) {
  std::vector<std::string> missing;
  for (auto* section : kSections)
    if (auto it = rule.sections.find(section); it == rule.sections.end() || it->second.empty())
      missing.push_back(std::string("section \"") + section + "\" is missing or empty");
  if (rule.with("fires").empty()) missing.push_back("no `fires` example: a rule shows what it finds");
  if (rule.with("silent").empty())
    missing.push_back("no `silent` example: a rule shows what it leaves alone");
  if (rule.with("match").empty() && rule.function.empty() && rule.with("matcher").empty() &&
      rule.with("formula").empty())
    missing.push_back(
        "neither a `match`, `matcher` or `formula` fence nor a \"function\" in the header: this rule can "
        "find "
        "nothing");
  if (missing.empty()) return;
  std::string all;
  for (auto& what : missing) all += (all.empty() ? "" : "; ") + what;
  page.fail(1, all);
}

void check(const PagePlace& page, const RulePage& rule) {
  checkParts(page, rule);
  for (auto& device : rule.devices)
    if (device != "cpu" && device != "cuda")
      page.fail(1, "\"devices\" are \"cpu\" and \"cuda\", not \"" + device + "\"");
  auto matches = rule.with("match"), replacements = rule.with("replace");
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
  checkSources(page, rule);
}

}  // namespace

bool RulePage::readsModules() const {
  return std::any_of(fences.begin(), fences.end(), [](auto& f) { return f.language == "python"; });
}

bool RulePage::readsSources() const {
  return std::any_of(fences.begin(), fences.end(),
                     [](auto& f) { return f.language == "cpp" || f.language == "text"; });
}

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
  PagePlace page{rule.path};
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

EditInfo editInfo(const RulePage& rule, const Fence& fence) {
  PagePlace page{rule.path};
  EditInfo info;
  for (auto& [key, value] : fence.attributes) {
    if (!isOneOf(kEditKeys, key)) page.fail(fence.line - 1, "unknown attribute \"" + key + "\" of an edit");
    if (key == "title") info.title = value;
    if (key != "safety") continue;
    try {
      info.safety = safetyFrom(value);
    } catch (const Error& e) {
      page.fail(fence.line - 1, "safety " + e.reason);
    }
  }
  if (info.title.empty()) page.fail(fence.line - 1, "an edit has a title: what it does, as a command");
  return info;
}

RulePage parseRulePage(const std::string& path, const std::string& text) {
  PagePlace page{path};
  RulePage out;
  out.path = path;
  splitPage(page, text, out);
  auto headers = out.with("rule");
  if (headers.size() != 1) page.fail(1, "a rule page has exactly one `json rule` fence");
  readHeader(page, *headers[0], out);
  check(page, out);
  return out;
}

RulePage readRulePage(const std::string& path) {
  constexpr std::size_t kMostBytes = 1 << 20;
  return parseRulePage(path, readFile(path, kMostBytes));
}

}  // namespace kadvise
