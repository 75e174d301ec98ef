#include "reports/lint_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analyzer/core/error.h"
#include "analyzer/core/utf8.h"
#include "reports/layout.h"
#include "reports/visible_json.h"

namespace kadvise {
namespace {

struct Format {
  const char* name;
  std::string (*render)(const LintReport&, const TextStyle&);
  bool tellsParseErrors = false;
};
constexpr Format kFormats[] = {
    {"text", lintText, true},
    {"concise", [](auto& r, auto&) { return lintConcise(r); }},
    {"json", [](auto& r, auto&) { return toText(Json(r)); }, true},
    {"sarif", [](auto& r, auto&) { return lintSarif(r); }, true},
    {"markdown", [](auto& r, auto&) { return lintMarkdown(r); }},
    {"github", [](auto& r, auto&) { return lintGithub(r); }},
    {"gitlab", [](auto& r, auto&) { return lintGitlab(r); }},
    {"junit", [](auto& r, auto&) { return lintJunit(r); }, true},
};

// https://docs.github.com: a workflow command ends at its line, and "," and ":" divide its properties.
std::string escaped(const std::string& text, bool isProperty) {
  std::string out;
  for (char c : visible(text)) {
    if (c == '%') out += "%25";
    else if (c == '\r') out += "%0D";
    else if (c == '\n') out += "%0A";
    else if (isProperty && c == ':') out += "%3A";
    else if (isProperty && c == ',') out += "%2C";
    else out += c;
  }
  return out;
}

const char* githubWord(Severity s) {
  return s == Severity::Error ? "error" : s == Severity::Warning ? "warning" : "notice";
}

const char* gitlabWord(Severity s) {
  switch (s) {
    case Severity::Error:
      return "critical";
    case Severity::Warning:
      return "major";
    case Severity::Opportunity:
      return "minor";
    case Severity::Note:
      return "info";
  }
  return "info";
}

}  // namespace

std::vector<std::string> lintFormats() {
  std::vector<std::string> out;
  for (auto& f : kFormats) out.emplace_back(f.name);
  return out;
}

bool tellsParseErrors(const std::string& format) {
  return std::any_of(std::begin(kFormats), std::end(kFormats),
                     [&](auto& f) { return format == f.name && f.tellsParseErrors; });
}

std::string renderLint(const LintReport& report, const std::string& format, const TextStyle& style) {
  for (auto& f : kFormats)
    if (format == f.name) return f.render(report, style);
  throw Error("--output-format", "\"" + format + "\" is not known");
}

std::string lintConcise(const LintReport& report) {
  std::string out;
  for (auto& file : report.files) {
    if (!file.failure.empty())
      out += unlikeCommand(fmt::format("{}: error: {}\n", printable(file.path), printable(file.failure)));
    for (auto& f : file.findings)
      out += unlikeCommand(fmt::format("{}:{}:{}: {}: {} [{}]\n", printable(f.where.file), f.where.line,
                                       f.where.column, word(f.severity), printable(f.message), f.rule));
  }
  return out;
}

std::string lintGithub(const LintReport& report) {
  std::string out;
  for (auto& file : report.files) {
    if (!file.failure.empty())
      out += fmt::format("::error file={},title=kadvise::{}\n", escaped(file.path, true),
                         escaped(file.failure, false));
    for (auto& f : file.findings)
      out += fmt::format("::{} file={},line={},endLine={},col={},title={}::{}\n", githubWord(f.severity),
                         escaped(f.where.file, true), f.where.line, std::max(f.where.line, f.where.endLine),
                         f.where.column, escaped("kadvise " + f.rule, true), escaped(f.message, false));
  }
  return out;
}

std::string lintGitlab(const LintReport& report) {
  Json out = Json::array();
  for (auto& file : report.files)
    for (auto& f : file.findings)
      out.push_back({{"description", f.message},
                     {"check_name", f.rule},
                     {"fingerprint", f.id},
                     {"severity", gitlabWord(f.severity)},
                     {"location", {{"path", f.where.file}, {"lines", {{"begin", f.where.line}}}}}});
  return toText(visibleJson(out));
}

std::string lintStatistics(const LintReport& report, const std::string& format) {
  struct Count {
    int all = 0, safe = 0, unsafe = 0;
  };
  std::map<std::string, Count> counts;
  for (auto& file : report.files)
    for (auto& f : file.findings) {
      auto& n = counts[f.rule];
      ++n.all;
      if (hasFix(f, Safety::Safe)) ++n.safe;
      else if (hasFix(f, Safety::Unsafe)) ++n.unsafe;
    }
  std::vector<std::pair<std::string, Count>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](auto& a, auto& b) { return a.second.all > b.second.all; });
  if (format == "json") {
    Json out = Json::array();
    for (auto& [rule, n] : sorted)
      out.push_back({{"rule", rule}, {"count", n.all}, {"fixable", n.safe}, {"unsafelyFixable", n.unsafe}});
    return toText(out);
  }
  std::string out;
  for (auto& [rule, n] : sorted) {
    std::string fixes = n.safe ? fmt::format("  [{} fixable with --fix]", n.safe) : "";
    if (n.unsafe) fixes += fmt::format("  [{} with --unsafe-fixes]", n.unsafe);
    out += fmt::format("{:>6}  {}{}\n", n.all, rule, fixes);
  }
  return out;
}

}  // namespace kadvise
