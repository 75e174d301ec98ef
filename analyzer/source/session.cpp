#include "analyzer/source/session.h"

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/core/utf8.h"
#include "analyzer/source/examples.h"

namespace kadvise::source {
namespace {

constexpr std::size_t kMostBytes = 4u << 20;  // the longest source that somebody wrote by hand has 1 MB

HeaderChoice choiceFrom(const std::string& word) {
  if (word == "auto") return HeaderChoice::Auto;
  if (word == "stub") return HeaderChoice::Stub;
  if (word == "toolkit") return HeaderChoice::Toolkit;
  throw Error("prepare", "tier \"" + word + "\" is not one of auto, stub, toolkit");
}

LintSettings settingsFrom(const Json& a) {
  LintSettings out;
  out.headers.own = a.at("headers").get<std::string>();
  out.headers.toolkit = a.value("toolkit", "");
  out.headers.torch = a.value("torch", "");
  out.choice = choiceFrom(a.value("tier", "auto"));
  out.arch = a.value("arch", 0), out.gpu = a.value("gpu", "");
  return out;
}

std::optional<std::string> givenText(const Json& a, const char* asText, const char* asBytes) {
  if (a.contains(asText)) return a[asText].get<std::string>();
  if (a.contains(asBytes)) return kadvise::bytesOf(a[asBytes].get<std::string>());
  return std::nullopt;
}

std::string textOf(const Json& a, const std::string& file) {
  auto given = givenText(a, "text", "bytes");
  std::string text = given ? std::move(*given) : readFile(file, kMostBytes);
  if (text.find('\0') != std::string::npos)
    throw Error(file, "is no text: it holds zero bytes (`kadvise MODEL`, without lint, is for models)");
  return text;
}

Json summaryOf(const LintResult& r) {
  Json errors = Json::array(), unused = Json::array();
  for (auto& e : r.parsed.errors) errors.push_back({{"line", e.line}, {"message", e.message}});
  for (auto& u : r.unusedSuppressions)
    unused.push_back(
        {{"line", u.line}, {"selector", u.selector}, {"ran", u.ran}, {"unclosed", u.isUnclosed}});
  return {{"tier", word(r.tier)},
          {"errors", errors},
          {"errorCount", r.parsed.errorCount},
          {"missing", r.parsed.missing},
          {"dependencies", r.parsed.dependencies},
          {"kernels", r.kernels},
          {"brokenKernels", r.brokenKernels},
          {"suppressed", r.suppressed},
          {"record", r.record},
          {"searched", r.parsed.searched},
          {"hostErrorCount", r.hostErrorCount},
          {"unusedSuppressions", unused}};
}

}  // namespace

Json Session::handle(const std::string& verb, const Json& arguments, const Replies& replies) {
  if (verb == "prepare") return prepare(arguments);
  if (verb == "lint") return lint(arguments, replies);
  if (verb == "check-sources") return checkSources(arguments);
  throw Error(verb, "kadvise-source has no such verb");
}

Json Session::prepare(const Json& a) {
  settings_ = settingsFrom(a);
  preloads_ = std::make_unique<Preloads>(a.value("cache", ""));
  settings_.preloads = preloads_.get();
  book_ = loadRules(a.at("rules").get<std::vector<std::string>>());
  return Json::object();
}

Json Session::checkSources(const Json& a) {
  Preloads preloads(a.value("cache", ""));
  LintSettings settings = settingsFrom(a);
  settings.preloads = &preloads;
  return checkPages(a.at("rules").get<std::vector<std::string>>(), settings);
}

const CompileDatabase& Session::databaseAt(const std::string& path) {
  std::error_code ec;
  auto written = std::filesystem::last_write_time(path, ec);
  auto known = databases_.find(path);
  if (known == databases_.end() || known->second.written != written)
    known = databases_.insert_or_assign(path, KnownDatabase{written, CompileDatabase::read(path)}).first;
  return known->second.database;
}

Json Session::lint(const Json& a, const Replies& replies) {
  LintInput input;
  input.file = a.at("file").get<std::string>();
  input.text = textOf(a, input.file);
  if (a.contains("lines")) input.lines.emplace();
  for (auto& l : a.value("lines", Json::array()))
    input.lines->push_back({l.at(0).get<int>(), l.at(1).get<int>()});
  input.before = givenText(a, "before", "bytesBefore");
  if (a.contains("surroundings")) a["surroundings"].get_to(input.surroundings);
  if (std::string path = a.value("database", ""); !path.empty())
    input.command = databaseAt(path).of(input.file);
  LintResult result = lintFile(book_, settings_, input);
  for (auto& f : result.findings) replies.finding(f);
  return summaryOf(result);
}

}  // namespace kadvise::source
