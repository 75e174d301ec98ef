#include <fmt/format.h>

#include <algorithm>

#include "reports/headline.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

struct StatusLook {
  const char* status;
  const char* mark;
  Ink ink;
};
constexpr StatusLook kLooks[] = {{"pass", "ok", Ink::Plain},
                                 {"fail", "FAIL", Ink::Bad},
                                 {"unknown", "unknown", Ink::Fair},
                                 {"skipped", "skipped", Ink::Dim}};

const StatusLook& lookOf(const std::string& status) {
  auto* look =
      std::find_if(std::begin(kLooks), std::end(kLooks), [&](auto& l) { return status == l.status; });
  return look == std::end(kLooks) ? kLooks[2] : *look;
}

std::size_t count(const ComponentCheck& c, const char* status) {
  return static_cast<std::size_t>(
      std::count_if(c.properties.begin(), c.properties.end(), [&](auto& p) { return p.status == status; }));
}

}  // namespace

Headline componentHeadline(const ComponentCheck& c) {
  auto failed = count(c, "fail"), unknown = count(c, "unknown"), passed = count(c, "pass");
  if (failed)
    return {fmt::format("not what {} promises: {} of {} failed", c.kind, failed,
                        plural(failed + passed, "check")),
            Ink::Bad};
  if (unknown)
    return {fmt::format("undecided: {} has no reference for {}", c.kind, plural(unknown, "check")),
            Ink::Fair};
  return {fmt::format("{}: {} passed, none failed", c.kind, plural(passed, "check")), Ink::Good};
}

void writeComponent(TextPage& page) {
  const Report& r = page.report;
  Layout& out = page.layout;
  out.paragraph(fmt::format("{} {}  {} on {}", r.tool.name, r.tool.version, r.subject.path, deviceWords(r)),
                0, 2, Ink::Dim);
  if (r.errors.empty()) {
    out.blank();
    Headline head = componentHeadline(*r.component);
    out.paragraph(head.text, 0, 2, head.ink);
  }
  for (auto& p : r.component->properties) {
    auto& look = lookOf(p.status);
    out.paragraph(fmt::format("{:<8}{}: {}", look.mark, p.name, p.figures), 2, 10, look.ink);
  }
  writeErrors(page);
}

}  // namespace kadvise
