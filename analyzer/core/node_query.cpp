#include "analyzer/core/node_query.h"

#include <algorithm>

#include "analyzer/core/error.h"

namespace kadvise {
namespace {

constexpr const char* kQueryKeys[] = {"op", "tag", "where", "is", "message", "breaks"};

// A word, or a list of words.
std::vector<std::string> wordsIn(const Json& j, const std::string& key) {
  if (j.is_string()) return {j.get<std::string>()};
  if (!j.is_array() || !std::all_of(j.begin(), j.end(), [](const Json& x) { return x.is_string(); }))
    throw Error("", "\"" + key + "\" is a word or a list of words");
  return j.get<std::vector<std::string>>();
}

std::string testFrom(const Json& j, const std::string& key) {
  if (j.is_string()) return j.get<std::string>();
  if (j.is_number() || j.is_boolean()) return "=" + j.dump();
  throw Error("", "the test of argument \"" + key + "\" is a word, a number or a truth value");
}

ArgumentTest argumentTestFrom(const std::string& key, const Json& j) {
  ArgumentTest out;
  for (std::size_t at = 0; at <= key.size();) {
    auto end = std::min(key.find('|', at), key.size());
    out.names.push_back(key.substr(at, end - at));
    at = end + 1;
  }
  if (j.is_array())
    for (auto& test : j) out.tests.push_back(testFrom(test, key));
  else out.tests.push_back(testFrom(j, key));
  return out;
}

std::vector<std::string> breaksIn(const Json& j) {
  auto out = wordsIn(j, "breaks");
  for (auto& word : out)
    if (std::none_of(std::begin(kBreaks), std::end(kBreaks), [&](const char* b) { return word == b; }))
      throw Error("", "\"breaks\" does not know \"" + word +
                          "\"; it knows sync, capture, fusion, export, cost and numerics");
  return out;
}

NodeQuery queryFrom(const Json& j) {
  if (!j.is_object())
    throw Error("", "each of \"nodes\" is an object: {\"op\": \"aten::item\", \"message\": \"…\"}");
  for (auto& [key, value] : j.items())
    if (std::none_of(std::begin(kQueryKeys), std::end(kQueryKeys), [&](const char* k) { return key == k; }))
      throw Error("", "unknown key \"" + key + "\" in \"nodes\"");
  NodeQuery out;
  if (j.contains("op")) out.operators = wordsIn(j["op"], "op");
  if (j.contains("tag")) out.tags = wordsIn(j["tag"], "tag");
  if (j.contains("is")) out.facts = wordsIn(j["is"], "is");
  if (j.contains("breaks")) out.breaks = breaksIn(j["breaks"]);
  if (j.contains("where")) {
    if (!j["where"].is_object()) throw Error("", "\"where\" is an object: {\"argument\": \"test\"}");
    for (auto& [key, value] : j["where"].items()) out.arguments.push_back(argumentTestFrom(key, value));
  }
  if (out.operators.empty() && out.tags.empty() && out.facts.empty())
    throw Error("", "an entry of \"nodes\" names an \"op\", a \"tag\" or what the node \"is\"");
  if (!j.contains("message") || !j["message"].is_string() || j["message"].get<std::string>().empty())
    throw Error("", "an entry of \"nodes\" has a \"message\" for the user");
  out.message = j["message"].get<std::string>();
  return out;
}

}  // namespace

NodeQueries nodeQueriesFrom(const Json& header) {
  NodeQueries out;
  if (header.contains("breaks")) out.breaks = breaksIn(header["breaks"]);
  if (header.contains("report")) {
    if (header["report"] != "once") throw Error("", "\"report\" can only be \"once\"");
    out.once = true;
  }
  if (!header.contains("nodes")) return out;
  if (!header["nodes"].is_array() || header["nodes"].empty())
    throw Error("", "\"nodes\" is a list of objects");
  for (auto& j : header["nodes"]) {
    out.queries.push_back(queryFrom(j));
    if (out.queries.back().breaks.empty()) out.queries.back().breaks = out.breaks;
  }
  return out;
}

}  // namespace kadvise
