#include "reports/baseline.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/core/foreign_json.h"

namespace kadvise {
namespace {

constexpr int kVersion = 1;

std::string fileName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

auto key(const BaselineEntry& e) { return std::tie(e.module, e.rule, e.scope, e.id, e.message); }

std::vector<BaselineEntry> entriesOf(const Report& report) {
  std::vector<BaselineEntry> out;
  for (auto& f : report.findings)
    if (!suppressionOf(report, f.id) && f.round == 1)
      out.push_back({fileName(report.subject.path), f.rule, f.where.scope, f.id, f.message});
  return out;
}

}  // namespace

std::vector<BaselineEntry> readBaseline(const std::string& path) {
  // What the file holds is not quoted: kadvise.toml may name any file of the machine.
  const Error no(path, "is not a baseline of kadvise; --write-baseline FILE writes one");
  Json file = parseForeign(readFile(path));
  if (!file.is_object() || file.value("kadviseBaseline", Json()) != kVersion) throw no;
  try {
    return file.at("findings").get<std::vector<BaselineEntry>>();
  } catch (const std::exception&) {
    throw no;
  }
}

std::string baselineText(const Report& report, const std::vector<BaselineEntry>& before) {
  auto entries = entriesOf(report);
  for (auto& e : before)
    if (e.module != fileName(report.subject.path)) entries.push_back(e);
  return baselineText(std::move(entries));
}

std::string baselineText(std::vector<BaselineEntry> entries) {
  std::sort(entries.begin(), entries.end(), [](auto& a, auto& b) { return key(a) < key(b); });
  entries.erase(
      std::unique(entries.begin(), entries.end(), [](auto& a, auto& b) { return key(a) == key(b); }),
      entries.end());
  return toText(Json{{"kadviseBaseline", kVersion}, {"findings", entries}});
}

BaselineUse useBaseline(const Report& report, const std::vector<BaselineEntry>& entries,
                        const std::vector<std::string>& ranRules) {
  BaselineUse out;
  std::set<std::string> known, found, ran(ranRules.begin(), ranRules.end());
  for (auto& e : entries) known.insert(e.id);
  for (auto& f : report.findings) {
    found.insert(f.id);
    if (known.count(f.id) && !suppressionOf(report, f.id)) out.known.push_back(f.id);
  }
  for (auto& e : entries)
    if (e.module == fileName(report.subject.path) && ran.count(e.rule) && !found.count(e.id))
      out.fixed.push_back(e);
  return out;
}

bool isKnown(const Report& report, const std::string& finding) {
  if (!report.baseline) return false;
  auto& known = report.baseline->known;
  return std::find(known.begin(), known.end(), finding) != known.end();
}

const Suppressed* suppressionOf(const Report& report, const std::string& finding) {
  for (auto& s : report.suppressed)
    if (s.finding == finding) return &s;
  return nullptr;
}

bool counts(const Report& report, const Finding& f) {
  return f.round == 1 && !isKnown(report, f.id) && !suppressionOf(report, f.id);
}

}  // namespace kadvise
