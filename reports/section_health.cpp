#include <fmt/format.h>

#include <algorithm>

#include "reports/sections.h"

namespace kadvise {
namespace {

struct StatusLook {
  const char* status;
  const char* mark;
  Ink ink;
};
constexpr StatusLook kLooks[] = {
    {"ok", "ok", Ink::Plain}, {"problem", "PROBLEM", Ink::Bad}, {"lost", "not here", Ink::Fair}};

const StatusLook& lookOf(const std::string& status) {
  auto* look =
      std::find_if(std::begin(kLooks), std::end(kLooks), [&](auto& l) { return status == l.status; });
  return look == std::end(kLooks) ? kLooks[1] : *look;
}

}  // namespace

void writeHealth(TextPage& page) {
  const Report& r = page.report;
  Layout& out = page.layout;
  out.paragraph(fmt::format("{} {}", r.tool.name, r.tool.version), 0, 2, Ink::Dim);
  out.blank();
  constexpr int kText = 10;
  for (auto& line : *r.health) {
    auto& look = lookOf(line.status);
    out.paragraph(fmt::format("{:<{}}{}: {}", look.mark, kText, line.name, line.what), 0, kText, look.ink);
    if (!line.remedy.empty()) out.paragraph("to get it: " + line.remedy, kText, kText + 2);
  }
  writeErrors(page);
}

}  // namespace kadvise
