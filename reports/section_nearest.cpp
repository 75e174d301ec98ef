#include <fmt/format.h>

#include <algorithm>

#include "reports/rule_answer.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

constexpr std::size_t kMostNear = 12;

using Answers = std::vector<const RuleAnswer*>;

void writeLine(TextPage& page, const std::string& text) {
  constexpr int kColumns = 2;
  page.layout.paragraph(firstColumns(text, static_cast<std::size_t>(page.layout.width() - kColumns)),
                        kColumns, kIndent);
}

// "fusion/rope: 6 of 7 operators at model.py:12: the first operand of aten::mul is …"
std::string nearLine(const RuleAnswer& a) {
  const NearPlace& n = *a.near.front();
  std::string extent =
      n.of ? fmt::format("{} of {} at ", n.matched, plural(static_cast<std::size_t>(n.of), "operator"))
           : "at ";
  std::string why = n.differences.empty() ? "" : ": " + words(n.differences.front().mismatch);
  return a.rule + ": " + extent + siteWords(n.where, static_cast<std::size_t>(n.sites)) + why;
}

void writeAnswered(TextPage& page, const Answers& rows) {
  if (rows.empty()) return;
  page.layout.heading("Found or refused");
  for (auto* a : rows)
    writeLine(page, a->rule + ": " + headOf(*a) +
                        (a->found.empty() ? ": " + words(a->refused.front()->mismatch) : ""));
}

void writeNear(TextPage& page, const Answers& rows) {
  if (rows.empty()) return;
  page.layout.heading("Not found, and near: the nearest first");
  for (std::size_t i = 0; i < std::min(rows.size(), kMostNear); ++i) writeLine(page, nearLine(*rows[i]));
  if (rows.size() > kMostNear)
    page.layout.paragraph(fmt::format("… and {} more (--verbose)", rows.size() - kMostNear), 2, kIndent,
                          Ink::Dim);
}

}  // namespace

void writeNearest(TextPage& page) {
  auto answers = answersByNearness(page.report);
  Answers answered, near;
  for (auto& a : answers) {
    if (!a.found.empty() || !a.refused.empty()) answered.push_back(&a);
    else if (!a.near.empty() && isNear(*a.near.front())) near.push_back(&a);
  }
  writeAnswered(page, answered);
  writeNear(page, near);
  std::size_t far = answers.size() - answered.size() - near.size();
  page.layout.blank();
  if (far) page.layout.paragraph(fmt::format("Of {} more nothing is near.", plural(far, "rule")), 0, 2);
  page.layout.paragraph("kadvise why-not RULE " + shellQuoted(page.report.subject.path) +
                            " says all of one rule, --verbose all of all.",
                        0, 2);
}

}  // namespace kadvise
