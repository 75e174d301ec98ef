#include "analyzer/source/findings.h"

#include <algorithm>
#include <map>

#include "analyzer/core/finding_identity.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/place.h"

namespace kadvise::source {
namespace {

std::string nameOf(const clang::FunctionDecl* f) {
  return f ? asWritten(f)->getQualifiedNameAsString() : std::string();
}

// Overloads of one name differ.
std::string keyOf(const clang::FunctionDecl* f) {
  return f ? nameOf(f) + "@" + std::to_string(asWritten(f)->getBeginLoc().getRawEncoding()) : std::string();
}

bool touches(const Location& where, const std::vector<LineRange>& lines) {
  return std::any_of(lines.begin(), lines.end(), [&](auto& l) {
    return where.line <= l.last && std::max(where.endLine, where.line) >= l.first;
  });
}

// Places that make the finding what it is: a witness's other half counts, lines of other files do not.
bool touches(const Finding& f, const std::vector<LineRange>& lines) {
  return touches(f.where, lines) || std::any_of(f.related.begin(), f.related.end(), [&](auto& r) {
           return r.file == f.where.file && touches(r, lines);
         });
}

// Functions are renamed and wrapped: only the rule and the line count.
std::pair<std::string, std::string> lineKeyOf(const Finding& f) {
  std::string line;
  for (char c : f.where.snippet)
    if (c != ' ' && c != '\t') line += c;
  return {f.rule, line};
}

}  // namespace

void Findings::add(const Unit& unit, const RulePage& page, Site site) {
  // What the host pass sees of device code is what "#if __CUDA_ARCH__ >= 700" leaves of it where that is not
  // defined: code for no device at all.
  if (unit.pass == Pass::Host && site.function && isDeviceCode(*site.function)) return;
  auto offset = offsetOf(unit, site.range.getBegin());
  if (!offset || !seen_.insert({page.id, *offset}).second) return;
  Place place;
  place.rule = &page;
  place.offset = *offset;
  place.function = keyOf(site.function);
  place.standsAlone = site.standsAlone;
  Finding& f = place.finding;
  f.rule = page.id;
  f.message = site.message;
  f.severity = page.severity;
  f.confidence = site.confidence.empty() ? page.confidence : site.confidence;
  f.where = placeOf(unit, site.range);
  f.where.scope = nameOf(site.function);
  f.related = std::move(site.related);
  f.fixes = std::move(site.fixes);
  f.price = std::move(site.price);
  places_.push_back(std::move(place));
}

void Findings::suppress(Suppressions& suppressions) {
  std::erase_if(places_, [&](auto& p) { return suppressions.covers(p.finding.rule, p.finding.where.line); });
}

void Findings::keepNew(const std::vector<LineRange>& lines, const Findings* before) {
  std::map<std::pair<std::string, std::string>, int> known;
  if (before)
    for (auto& p : before->places_) ++known[lineKeyOf(p.finding)];
  std::erase_if(places_, [&](auto& p) {
    bool isKnown = known[lineKeyOf(p.finding)]-- > 0;
    return (isKnown || !before) && !touches(p.finding, lines);
  });
}

std::vector<Finding> Findings::fold() const {
  std::vector<const Place*> sorted;
  for (auto& p : places_) sorted.push_back(&p);
  std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) {
    return a->offset != b->offset ? a->offset < b->offset : a->finding.rule < b->finding.rule;
  });
  std::vector<Finding> out;
  std::map<std::pair<std::string, std::string>, std::size_t> first;  // rule, function -> finding
  for (auto* p : sorted) {
    bool isAlone = p->standsAlone || p->function.empty();
    auto key = std::make_pair(p->finding.rule, p->function);
    auto known = isAlone ? first.end() : first.find(key);
    if (known == first.end()) {
      if (!isAlone) first.emplace(key, out.size());
      out.push_back(p->finding);
      continue;
    }
    Finding& f = out[known->second];
    f.related.push_back(p->finding.where);
    f.related.back().note = "and here";
    f.fixes.insert(f.fixes.end(), p->finding.fixes.begin(), p->finding.fixes.end());
  }
  if (!out.empty()) identify(out, out.front().where.file);
  return out;
}

}  // namespace kadvise::source
