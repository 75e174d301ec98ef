// What of a module generated kernels could do, and what stands in the way of the rest: for who asks for whole
// lists.
#include <fmt/format.h>

#include <map>

#include "reports/sections.h"

namespace kadvise {
namespace {

const std::map<std::string, const char*> kWords = {
    {"alone-saves-nothing", "one pass over memory, and no neighbour to share it with"},
    {"between-two-products", "one pass over memory between two products or convolutions"},
    {"other-iteration-space", "neighbours go over other elements"},
    {"other-reduced-dimensions", "neighbours reduce over other dimensions"},
    {"expensive-to-repeat", "would be computed again wherever it is broadcast to"},
    {"needed-in-between", "something else stands between it and its neighbours"},
    {"too-large", "its neighbourhood is too large for one kernel"},
    {"too-many-inputs", "long rows of too many inputs"},
    {"writes-memory", "written to in place, or beside something that is"},
    {"random", "random numbers"},
    {"unused", "nobody reads the result"},
    {"shape-not-known", "the run did not see its shape"},
    {"number-is-computed", "an argument is computed in each call"},
    {"moves-between-devices", "moves data between devices"},
    {"unsupported-dtype", "a dtype that kernels are not generated for"},
    {"unsupported-form", "a form of the operator that kernels are not generated for"},
    {"unsupported-operator", "an operator that kernels are not generated for"}};

std::string wordsOf(const std::string& reason) {
  auto known = kWords.find(reason);
  return known == kWords.end() ? reason : known->second;
}

}  // namespace

void writeGenerated(TextPage& page) {
  auto& g = page.report.generated;
  if (!g || !page.style.verbose || g->bytes <= 0) return;
  page.layout.heading("Generated kernels");
  page.layout.paragraph(
      fmt::format("of what element-wise operators, norms and reductions of the module as it is move, {:.1f} "
                  "% could be "
                  "in {} ({}); estimate, from shapes",
                  100 * g->share(), plural(static_cast<std::size_t>(g->regions), "generated kernel"),
                  plural(static_cast<std::size_t>(g->operators), "operator")),
      2, kIndent);
  for (auto& l : g->leftOut)
    page.layout.paragraph(fmt::format("{:.1f} %: {} ({}, {})", 100 * l.bytes / g->bytes, wordsOf(l.reason),
                                      plural(static_cast<std::size_t>(l.operators), "operator"), l.example),
                          kIndent, kIndent + 2);
}

}  // namespace kadvise
