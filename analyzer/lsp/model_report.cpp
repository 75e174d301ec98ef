#include "analyzer/lsp/model_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <system_error>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "reports/advice_words.h"
#include "reports/headline.h"
#include "reports/ranking.h"
#include "reports/sections.h"

namespace kadvise::lsp {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostBytes = 24u << 20;  // its tree in memory is several times that
constexpr std::size_t kMostScopes = 12;        // that a hover names

struct Places {
  std::vector<const Finding*> findings;  // on one line
  const Advice* advice = nullptr;
};

// In the order of the report's advice; findings without any come behind.
std::map<std::string, const Advice*> adviceByFinding(const std::vector<Advice>& advice) {
  std::map<std::string, const Advice*> out;
  for (auto& a : advice)
    for (auto& id : a.candidate->findings) out.emplace(id, &a);
  return out;
}

std::string gainWords(const Report& report, const Places& p) {
  const Finding* first = p.findings.front();
  if (!p.advice) return estimateWords(first, p.findings.size());
  if (p.advice->standing == Standing::Advised) return measuredWords(report, *p.advice);
  if (p.advice->verdict && p.advice->standing != Standing::NotMeasured) return whyNotUsed(report, *p.advice);
  std::string why = whyNotMeasured(report, *p.advice), estimate = estimateWords(first, p.findings.size());
  return why.empty() ? estimate : estimate.empty() ? why : estimate + "; " + why;
}

// What was tried and brings nothing is worth a mark, and no more.
Severity severityOf(const Places& p) {
  bool isOpen =
      !p.advice || p.advice->standing == Standing::Advised || p.advice->standing == Standing::NotMeasured;
  return isOpen ? p.findings.front()->severity : Severity::Note;
}

struct Section {
  std::string text;
  bool isOurs = false;  // of the rule book, and not of the report
};

Section sectionOf(const Report& report, const Catalogue& book, const std::string& rule, const char* name) {
  auto in = [&](const std::map<std::string, std::string>& sections) {
    auto it = sections.find(name);
    return it == sections.end() ? std::string() : it->second;
  };
  if (auto* page = book.find(rule))
    if (auto text = in(page->sections); !text.empty()) return {text, true};
  auto known = report.rules.find(rule);
  return {known == report.rules.end() ? "" : in(known->second.sections), false};
}

// A model that was written with LibTorch.
bool isCpp(const Location& where) {
  auto extension = fs::path(where.file).extension();
  constexpr const char* kExtensions[] = {".cpp", ".cc", ".cxx", ".cu", ".h", ".hpp", ".cuh"};
  return std::any_of(std::begin(kExtensions), std::end(kExtensions), [&](auto* e) { return extension == e; });
}

std::string proposalWords(const Advice& advice) {
  auto& c = *advice.candidate;
  std::string out = fmt::format("{} (level {}, {})", c.title, c.level, word(c.exactness));
  return c.domain.empty() ? out : out + "; differs by declaration: " + c.domain;
}

std::vector<Passage> detailOf(const Report& report, const Catalogue& book, const Places& p,
                              const std::string& message) {
  using Kind = Passage::Kind;
  std::vector<Passage> out = {{Kind::Words, message, {}}};
  if (p.advice) out.push_back({Kind::Words, proposalWords(*p.advice), {}});
  const Finding& first = *p.findings.front();
  for (auto* name : {isCpp(first.where) ? "In C++" : "", "What to write instead", "Why it costs"}) {
    auto section = sectionOf(report, book, first.rule, name);
    if (section.text.empty()) continue;
    out.push_back({Kind::Page, "**" + std::string(name) + "**", {}});
    out.push_back({section.isOurs ? Kind::Page : Kind::Words, section.text, {}});
  }
  std::vector<std::string> scopes;
  for (auto* f : p.findings)
    if (!f->where.scope.empty() && scopes.size() < kMostScopes) scopes.push_back(f->where.scope);
  if (!scopes.empty())
    out.push_back({Kind::Code, p.findings.size() > kMostScopes ? "Among them" : "In", scopes});
  return out;
}

// The first sentence of what to write, short enough for a list of problems.
std::string briefAdvice(const std::string& section) {
  auto end = std::min(section.find("\n\n"), section.find("```"));
  std::string out = section.substr(0, end);
  std::replace(out.begin(), out.end(), '\n', ' ');
  return firstColumns(out, 240);
}

ModelFinding findingOf(const Report& report, const Catalogue& book, const Places& p) {
  const Finding& f = *p.findings.front();
  ModelFinding out;
  out.id = f.id, out.rule = f.rule, out.severity = severityOf(p), out.where = f.where;
  out.message = f.message;
  if (p.findings.size() > 1) out.message += fmt::format(" ({} places)", p.findings.size());
  if (auto gain = gainWords(report, p); !gain.empty()) out.message += "\n" + gain;
  out.detail = detailOf(report, book, p, out.message);
  auto how = sectionOf(report, book, f.rule, isCpp(f.where) ? "In C++" : "What to write instead");
  if (how.text.empty()) how = sectionOf(report, book, f.rule, "What to write instead");
  if (!how.text.empty()) out.message += "\nInstead: " + briefAdvice(how.text);
  return out;
}

void addFindings(const Report& report, const Catalogue& book, ModelReport& out) {
  auto advice = rankedAdvice(report);
  auto byFinding = adviceByFinding(advice);
  std::map<std::string, bool> suppressed;
  for (auto& s : report.suppressed) suppressed[s.finding] = true;
  std::map<std::tuple<std::string, std::string, int>, Places> places;
  for (auto& f : report.findings) {
    if (f.where.file.empty() || f.where.line < 1 || suppressed.count(f.id)) continue;
    auto& p = places[{f.where.file, f.rule, f.where.line}];
    p.findings.push_back(&f);
    auto known = byFinding.find(f.id);
    if (known != byFinding.end() && !p.advice) p.advice = known->second;
  }
  for (auto& [where, p] : places) out.findings.push_back(findingOf(report, book, p));
  for (auto& a : advice)
    if (a.verdict && a.standing == Standing::Advised)
      out.measured.push_back({a.candidate->rule, measuredWords(report, a)});
}

}  // namespace

std::string stampOf(const fs::path& file) {
  std::error_code ec;
  auto size = fs::file_size(file, ec);
  if (ec) return "";
  auto time = fs::last_write_time(file, ec);
  return std::to_string(size) + ":" + std::to_string(time.time_since_epoch().count());
}

bool isModuleNewer(const ModelReport& report) {
  if (report.module.empty()) return false;
  std::error_code ec;
  auto changed = fs::last_write_time(report.module, ec);
  if (ec) return false;
  auto written = fs::last_write_time(report.path, ec);
  return !ec && changed > written;
}

bool isTooLong(const fs::path& report) {
  std::error_code ec;
  auto size = fs::file_size(report, ec);
  return !ec && size > kMostBytes;
}

std::optional<ModelReport> readModelReport(const fs::path& path, const Catalogue& book, std::string& why) {
  std::error_code ec;
  if (isTooLong(path)) {
    why =
        "the report is too long to be shown on the lines of the code (over 24 MiB); kadvise report shows it";
    return std::nullopt;
  }
  ModelReport out;
  out.path = path, out.stamp = stampOf(path);
  try {
    Report report = readReport(path.string());
    out.subject = report.subject.path, out.headline = headline(report).text, out.command = report.command;
    addFindings(report, book, out);
    // The folder of the run is the one that holds .kadvise.
    out.folder = path.parent_path();
    if (out.folder.filename() == ".kadvise") out.folder = out.folder.parent_path();
    fs::path module = (out.folder / report.subject.path).lexically_normal();
    if (fs::is_regular_file(module, ec)) out.module = module;
  } catch (const Error& e) {
    why = e.reason;
    return std::nullopt;
  } catch (const std::exception& e) {
    why = e.what();
    return std::nullopt;
  }
  auto written = fs::last_write_time(path, ec);
  out.isStale = isModuleNewer(out);
  out.time = std::chrono::duration_cast<std::chrono::seconds>(
                 std::chrono::file_clock::to_sys(written).time_since_epoch())
                 .count();
  return out;
}

}  // namespace kadvise::lsp
