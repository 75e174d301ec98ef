#include "reports/rule_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/sections.h"

namespace kadvise {
namespace {

RuleAnswer answerFor(const Report& r, const std::string& rule) {
  RuleAnswer a;
  a.rule = rule;
  for (auto& f : r.findings)
    if (f.rule == rule) a.found.push_back(&f);
  for (auto& x : r.refused)
    if (x.rule == rule) a.refused.push_back(&x);
  for (auto& n : r.whyNot->near)
    if (n.rule == rule) a.near.push_back(&n);
  for (auto& n : r.notApplicable)
    if (n.rule == rule) a.nothing = n.reason;
  return a;
}

enum class Nearness { Found, Refused, Near, Far, Nothing };

Nearness nearnessOf(const RuleAnswer& a) {
  if (!a.found.empty()) return Nearness::Found;
  if (!a.refused.empty()) return Nearness::Refused;
  if (a.near.empty()) return Nearness::Nothing;
  return isNear(*a.near.front()) ? Nearness::Near : Nearness::Far;
}

// The part of the pattern that is there; a place that no pattern describes has all but what differs.
double shareOf(const RuleAnswer& a) {
  if (a.near.empty()) return 0;
  auto& n = *a.near.front();
  return n.of == 0 ? 1 : static_cast<double>(n.matched) / n.of;
}

}  // namespace

std::string headOf(const RuleAnswer& a) {
  std::size_t places = 0;
  for (auto* f : a.found) places += 1 + f->related.size();
  std::string out = places ? "found at " + plural(places, "place") : "not found";
  if (!a.refused.empty()) out += fmt::format(", refused at {}", plural(a.refused.size(), "place"));
  return out;
}

std::vector<RuleAnswer> answersByNearness(const Report& r) {
  std::vector<RuleAnswer> out;
  for (auto& rule : r.whyNot->rules) out.push_back(answerFor(r, rule));
  std::stable_sort(out.begin(), out.end(), [](const RuleAnswer& a, const RuleAnswer& b) {
    auto x = nearnessOf(a), y = nearnessOf(b);
    return x != y ? x < y : shareOf(a) > shareOf(b);
  });
  return out;
}

bool isNear(const NearPlace& n) { return n.of == 0 || 2 * n.matched > n.of; }

std::string words(const Mismatch& m) { return (m.at.empty() ? "" : m.at + " ") + m.reason; }

}  // namespace kadvise
