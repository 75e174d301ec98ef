#include "analyzer/core/configuration.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "analyzer/core/device_word.h"
#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/core/json.h"
#include "analyzer/core/nearest.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLimitBytes = 1u << 20;

struct Reader {
  const fs::path& path;

  std::string at(const toml::source_region& source) const {
    return path.string() + ":" + std::to_string(source.begin.line);
  }
  [[noreturn]] void fail(const toml::source_region& source, const std::string& what) const {
    throw Error(at(source), what);
  }
  // key: as the user wrote it; wanted: "a string".
  [[noreturn]] void wrongType(const toml::node& node, const std::string& key, const char* wanted) const {
    fail(node.source(), "\"" + key + "\" must be " + wanted);
  }

  std::string string(const toml::node& node, const std::string& key) const {
    auto* text = node.as_string();
    if (!text) wrongType(node, key, "a string in quotes");
    return text->get();
  }

  std::vector<std::string> rules(const toml::node& node, const std::string& key, Configuration& out) const {
    std::vector<std::string> list;
    auto* array = node.as_array();
    if (!array) wrongType(node, key, "a list of rules or categories, such as [\"fusion\"]");
    for (auto& item : *array) {
      list.push_back(string(item, key));
      out.named.emplace_back(list.back(), at(item.source()));
    }
    return list;
  }
};

using Read = void (*)(const Reader&, const std::string& key, const toml::node&, Configuration&);
struct Key {
  const char* name;
  Read read;
};

void readDevice(const Reader& r, const std::string& key, const toml::node& node, Configuration& out) {
  out.device = r.string(node, key);
  if (!isDeviceWord(*out.device))
    r.fail(node.source(), "device \"" + *out.device + "\" is not one of auto, cpu, cuda, cuda:N");
}

void readExclude(const Reader& r, const std::string& key, const toml::node& node, Configuration& out) {
  auto* array = node.as_array();
  if (!array) r.wrongType(node, key, "a list of patterns, such as [\"third_party/**\"]");
  for (auto& item : *array) out.exclude.push_back(r.string(item, key));
}

std::optional<Severity> severityWord(const Reader& r, const toml::node& node, const std::string& key,
                                     const char* none) {
  std::string text = r.string(node, key);
  if (text == none) return std::nullopt;
  for (auto s : {Severity::Note, Severity::Opportunity, Severity::Warning, Severity::Error})
    if (text == word(s)) return s;
  r.fail(node.source(),
         "\"" + text + "\" is not a severity; it is one of note, opportunity, warning, error, " + none);
}

void readFailOn(const Reader& r, const std::string& key, const toml::node& node, Configuration& out) {
  out.failOn = FailOn{severityWord(r, node, key, "never")};
}

void readBudget(const Reader& r, const std::string& key, const toml::node& node, Configuration& out) {
  auto seconds = node.is_number() ? node.value<double>() : std::nullopt;
  if (!seconds) r.wrongType(node, key, "a number of seconds");
  if (!(*seconds > 0) || !std::isfinite(*seconds))
    r.fail(node.source(), "\"" + key + "\" must be greater than 0");
  out.budgetSeconds = *seconds;
}

void readBaseline(const Reader& r, const std::string& key, const toml::node& node, Configuration& out) {
  std::string text = r.string(node, key);
  if (text.empty()) r.fail(node.source(), "\"" + key + "\" names no file");
  out.baseline = r.path.parent_path() / text;
}

const toml::table& tableOf(const Reader& r, const std::string& key, const toml::node& node,
                           const char* wanted) {
  auto* table = node.as_table();
  if (!table) r.wrongType(node, key, wanted);
  return *table;
}

// Entries in the order of the file: toml++ keeps its tables sorted by key.
std::vector<std::pair<const toml::key*, const toml::node*>> inOrder(const toml::table& table) {
  std::vector<std::pair<const toml::key*, const toml::node*>> out;
  for (auto&& [key, node] : table) out.emplace_back(&key, &node);
  std::stable_sort(out.begin(), out.end(), [](auto& a, auto& b) {
    auto x = a.first->source().begin, y = b.first->source().begin;
    return x.line != y.line ? x.line < y.line : x.column < y.column;
  });
  return out;
}

void readPathIgnores(const Reader& r, const std::string& name, const toml::node& node, Configuration& out) {
  for (auto& [key, value] : inOrder(tableOf(
           r, name, node, "a table: [per-path-ignores] and lines such as \"legacy/**\" = [\"fusion\"]")))
    out.pathIgnores.push_back(
        {std::string(key->str()), r.rules(*value, std::string(key->str()), out), r.at(key->source())});
}

void readSeverities(const Reader& r, const std::string& name, const toml::node& node, Configuration& out) {
  for (auto& [key, value] :
       inOrder(tableOf(r, name, node, "a table: [severity] and lines such as \"graph-break\" = \"error\""))) {
    std::string rule(key->str());
    out.severities.push_back({rule, severityWord(r, *value, rule, "off")});
    out.named.emplace_back(rule, r.at(key->source()));
  }
}

Suppression readSuppression(const Reader& r, const toml::table& table, Configuration& out) {
  Suppression s;
  s.at = r.at(table.source());
  const std::pair<const char*, std::string*> fields[] = {
      {"id", &s.id}, {"rule", &s.rule}, {"where", &s.where}, {"reason", &s.reason}};
  for (auto& [key, value] : inOrder(table)) {
    auto* field = std::find_if(std::begin(fields), std::end(fields),
                               [&k = *key](auto& f) { return k.str() == f.first; });
    if (field == std::end(fields))
      r.fail(key->source(), "unknown key \"" + std::string(key->str()) +
                                "\" in [[suppress]]; it has id, or rule and where, and reason");
    *field->second = r.string(*value, field->first);
  }
  if (s.reason.find_first_not_of(" \t") == std::string::npos)
    r.fail(table.source(), "[[suppress]] needs a reason");
  bool byId = !s.id.empty(), byPlace = !s.rule.empty() && !s.where.empty();
  if (byId == byPlace || (byId && !(s.rule.empty() && s.where.empty())))
    r.fail(table.source(),
           "[[suppress]] needs either the id of a finding, or rule and where (\"*\" is everywhere)");
  if (!s.rule.empty()) out.named.emplace_back(s.rule, s.at);
  return s;
}

void readSuppressions(const Reader& r, const std::string& key, const toml::node& node, Configuration& out) {
  auto* array = node.as_array();
  if (!array) r.wrongType(node, key, "a list of tables: [[suppress]]");
  for (auto& item : *array)
    out.suppressions.push_back(
        readSuppression(r, tableOf(r, key, item, "a list of tables: [[suppress]]"), out));
}

constexpr Key kKeys[] = {
    {"select", [](auto& r, auto& key, auto& node, auto& out) { out.select = r.rules(node, key, out); }},
    {"ignore", [](auto& r, auto& key, auto& node, auto& out) { out.ignore = r.rules(node, key, out); }},
    {"exclude", readExclude},
    {"device", readDevice},
    {"fail-on", readFailOn},
    {"budget", readBudget},
    {"baseline", readBaseline},
    {"per-path-ignores", readPathIgnores},
    {"severity", readSeverities},
    {"suppress", readSuppressions},
};

// Options that a reader may expect here, and that would let a folder decide what runs on the machine.
constexpr const char* kOnlyOnCommandLine[] = {"rules",    "op-library", "op-libraries", "engines",
                                              "work-dir", "cache",      "plugin",       "plugins"};

std::string unknownKey(const std::string& name) {
  for (auto* option : kOnlyOnCommandLine)
    if (name == option)
      return "\"" + name +
             "\" cannot stand in this file: what is loaded or run is named on the command line only";
  std::vector<std::string> known;
  std::string all;
  for (auto& k : kKeys) known.push_back(k.name), all += (all.empty() ? "" : ", ") + known.back();
  std::string nearest = nearestOf(name, known);
  return "unknown key \"" + name + "\"; " +
         (nearest.empty() ? "the keys are " + all : "did you mean \"" + nearest + "\"?");
}

void readKey(const Reader& reader, const toml::key& key, const toml::node& node, Configuration& out) {
  std::string name(key.str());
  auto* known = std::find_if(std::begin(kKeys), std::end(kKeys), [&](auto& k) { return name == k.name; });
  if (known == std::end(kKeys)) reader.fail(key.source(), unknownKey(name));
  known->read(reader, name, node, out);
}

// One error for all keys that are wrong, the first of the file in front.
void failTogether(const std::vector<Error>& wrong) {
  if (wrong.empty()) return;
  std::string all = wrong.front().reason;
  for (std::size_t i = 1; i < wrong.size(); ++i) all += std::string("; ") + wrong[i].what();
  throw Error(wrong.front().where, all);
}

}  // namespace

fs::path findConfiguration(const fs::path& folder) {
  std::error_code ec;
  for (fs::path at = fs::absolute(folder).lexically_normal(); !at.empty(); at = at.parent_path()) {
    if (fs::exists(at / kConfigurationName, ec)) return at / kConfigurationName;
    if (at == at.parent_path()) break;
  }
  return {};
}

Configuration parseConfiguration(const fs::path& path, const std::string& text) {
  Configuration out;
  out.path = path;
  Reader reader{path};
  try {
    toml::table file = toml::parse(text);
    std::vector<Error> wrong;
    for (auto& [key, node] : inOrder(file)) try {
        readKey(reader, *key, *node, out);
      } catch (const Error& e) {
        wrong.push_back(e);
      }
    failTogether(wrong);
  } catch (const toml::parse_error& e) {
    reader.fail(e.source(), "is not TOML: " + std::string(e.description()));
  }
  return out;
}

Configuration readConfiguration(const fs::path& path) {
  return parseConfiguration(path, readFile(path, kLimitBytes));
}

bool selectorCovers(const std::string& selector, const std::string& rule) {
  return rule == selector || rule.rfind(selector + "/", 0) == 0;
}

bool anyCovers(const std::vector<std::string>& selectors, const std::string& rule) {
  return std::any_of(selectors.begin(), selectors.end(), [&](auto& s) { return selectorCovers(s, rule); });
}

std::optional<Severity> severityOf(const Configuration& configuration, const std::string& rule,
                                   Severity ofPage) {
  const SeveritySetting* best = nullptr;
  for (auto& s : configuration.severities)
    if (selectorCovers(s.rule, rule) && (!best || s.rule.size() > best->rule.size())) best = &s;
  return best ? best->severity : std::optional(ofPage);
}

}  // namespace kadvise
