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

std::vector<fs::path> filesOf(const fs::path& pattern) {
  std::string name = pattern.filename().string();
  if (name.find_first_of("*?") == std::string::npos) return {pattern};
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

}  // namespace

bool ModelReports::refresh(const std::vector<fs::path>& wanted, const Catalogue& book) {
  std::set<fs::path> there;
  bool isChanged = false;
  for (auto& pattern : wanted)
    for (auto& path : filesOf(pattern)) {
      if (there.size() >= kMostReports) break;
      std::string stamp = stampOf(path);
      if (stamp.empty()) continue;
      there.insert(path);
      auto known = reports_.find(path);
      if (known != reports_.end() && known->second.stamp == stamp) continue;
      if (auto bad = useless_.find(path); bad != useless_.end() && bad->second == stamp) continue;
      auto report = readModelReport(path, book);
      ::malloc_trim(0);  // the tree of its JSON was much larger than what is kept
      isChanged |= report || known != reports_.end();
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

std::vector<Shown> ModelReports::shownIn(const fs::path& file, const Text& text) const {
  std::vector<Shown> out;
  std::set<std::tuple<std::string, std::size_t>> said;  // rule, line
  for (auto* report : all()) {
    auto found = shownOf(*report, file, text);
    std::size_t before = out.size();
    for (auto& s : found)
      if (!said.count({s.rule, s.range.start.line})) out.push_back(std::move(s));
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
