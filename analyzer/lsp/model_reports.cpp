#include "analyzer/lsp/model_reports.h"

#include <malloc.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <tuple>

#include "analyzer/core/glob.h"
#include "analyzer/lsp/uri.h"

namespace kadvise::lsp {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostReports = 50;
constexpr std::size_t kMostEntries = 2000;  // of a folder that a pattern is looked up in

bool isPattern(const fs::path& path) {
  return path.filename().string().find_first_of("*?") != std::string::npos;
}

std::vector<fs::path> filesOf(const fs::path& pattern) {
  std::string name = pattern.filename().string();
  if (!isPattern(pattern)) return {pattern};
  std::vector<fs::path> out;
  std::error_code ec;
  std::size_t seen = 0;
  for (fs::directory_iterator at(pattern.parent_path(), ec), end; !ec && at != end; at.increment(ec)) {
    if (++seen > kMostEntries) break;
    if (pathMatches(name, at->path().filename().string())) out.push_back(at->path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool isNewer(const fs::path& file, const fs::path& than) {
  std::error_code ec;
  auto changed = fs::last_write_time(file, ec);
  auto written = fs::last_write_time(than, ec);
  return !ec && changed > written;
}

}  // namespace

void ModelReports::lookIn(std::vector<fs::path> roots) {
  roots_ = std::move(roots);
  meant_.clear();
}

bool ModelReports::refresh(const std::vector<fs::path>& wanted, const Catalogue& book,
                           const std::function<void(const std::string&)>& tell) {
  std::set<fs::path> there;
  bool isChanged = false;
  for (auto& pattern : wanted)
    for (auto& path : filesOf(pattern)) {
      if (there.size() >= kMostReports) break;
      std::string stamp = stampOf(path);
      if (stamp.empty()) continue;
      there.insert(path);
      auto known = reports_.find(path);
      if (known != reports_.end() && known->second.stamp == stamp) {
        bool isStale = isModuleNewer(known->second);
        isChanged |= isStale != known->second.isStale;
        known->second.isStale = isStale;
        continue;
      }
      if (auto bad = useless_.find(path); bad != useless_.end() && bad->second == stamp) continue;
      std::string why;
      auto report = readModelReport(path, book, why);
      if (!report && (!isPattern(pattern) || isTooLong(path))) tell(path.string() + ": " + why);
      ::malloc_trim(0);  // the tree of its JSON was much larger than what is kept
      isChanged |= report || known != reports_.end();
      meant_.erase(path);
      if (report) reports_[path] = std::move(*report), useless_.erase(path);
      else reports_.erase(path), useless_[path] = stamp;
    }
  auto gone = std::erase_if(reports_, [&](auto& entry) { return !there.count(entry.first); });
  std::erase_if(useless_, [&](auto& entry) { return !there.count(entry.first); });
  return isChanged || gone > 0;
}

std::vector<const ModelReport*> ModelReports::all() const {
  std::vector<const ModelReport*> out;
  for (auto& [path, report] : reports_) out.push_back(&report);
  std::stable_sort(out.begin(), out.end(), [](auto* a, auto* b) { return a->time > b->time; });
  return out;
}

const ModelReport* ModelReports::find(const fs::path& path) const {
  auto it = reports_.find(path.lexically_normal());
  return it == reports_.end() ? nullptr : &it->second;
}

const std::map<std::string, fs::path>& ModelReports::meantBy(const ModelReport& report) const {
  auto known = meant_.find(report.path);
  if (known != meant_.end()) return known->second;
  std::map<std::string, ReportedFile> files;
  for (auto& f : report.findings) {
    auto& file = files[f.where.file];
    file.path = f.where.file, file.snippets.push_back(f.where.snippet);
  }
  std::vector<ReportedFile> reported;
  for (auto& [path, file] : files) reported.push_back(std::move(file));
  auto roots = roots_;
  roots.insert(roots.begin(), report.folder);
  return meant_[report.path] = meantFiles(reported, report.folder, roots);
}

std::vector<Shown> ModelReports::shownIn(const fs::path& file, const Text& text) const {
  std::vector<Shown> out;
  std::set<std::tuple<std::string, std::size_t>> said;  // rule, line
  fs::path own;
  for (auto* report : all()) {
    bool isNamed = std::any_of(report->findings.begin(), report->findings.end(),
                               [&](auto& f) { return fs::path(f.where.file).filename() == file.filename(); });
    if (!isNamed) continue;
    if (own.empty()) own = canonicalOf(file);
    std::size_t before = out.size();
    for (auto& [reported, meant] : meantBy(*report)) {
      if (meant != own) continue;
      for (auto& s : shownOf(*report, reported, text, isNewer(own, report->path)))
        if (!said.count({s.rule, s.range.start.line})) out.push_back(std::move(s));
    }
    for (std::size_t i = before; i < out.size(); ++i) said.insert({out[i].rule, out[i].range.start.line});
  }
  return out;
}

Json ModelReports::toJson() const {
  Json out = Json::array();
  for (auto* r : all())
    out.push_back({{"path", r->path.string()},
                   {"uri", uriOf(r->path)},
                   {"subject", r->subject},
                   {"headline", r->headline},
                   {"findings", r->findings.size()},
                   {"stale", r->isStale},
                   {"time", r->time}});
  return {{"reports", out}};
}

}  // namespace kadvise::lsp
