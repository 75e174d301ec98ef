#include "kernels/rowprogram/schedule.h"

#include <array>
#include <charconv>

namespace kadvise::rowprogram {
namespace {

constexpr std::array<std::string_view, 8> kForms = {"flat",    "lanes", "block",   "shared",
                                                    "cluster", "split", "columns", "tiles"};

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1 || value > 1 << 20)
    return std::nullopt;
  return value;
}

bool readPart(Schedule& s, std::string_view part) {
  if (part == "persistent") return s.persistent = true;
  if (part == "generic") return s.generic = true;
  if (part.size() < 2) return false;
  const auto value = number(part.substr(1));
  if (!value) return false;
  switch (part[0]) {
    case 't':
      s.threads = *value;
      return true;
    case 'k':
      s.vectors = *value;
      return true;
    case 'b':
      s.block = *value;
      return true;
    case 'p':
      s.parts = *value;
      return true;
    case 'v':
      s.width = *value;
      return true;
    case 'o':
      s.blocks = *value;
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string toText(const Schedule& s) {
  std::string text(kForms[static_cast<std::size_t>(s.form)]);
  text +=
      "/t" + std::to_string(s.threads) + "/k" + std::to_string(s.vectors) + "/b" + std::to_string(s.block);
  if (s.width > 0) text += "/v" + std::to_string(s.width);
  if (s.parts > 1) text += "/p" + std::to_string(s.parts);
  if (s.blocks > 0) text += "/o" + std::to_string(s.blocks);
  if (s.persistent) text += "/persistent";
  if (s.generic) text += "/generic";
  return text;
}

std::optional<Schedule> scheduleOf(const std::string& text) {
  Schedule s;
  if (text.empty() || text.back() == '/') return std::nullopt;
  std::string_view rest = text;
  for (bool first = true; first || !rest.empty(); first = false) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
    if (!first) {
      if (!readPart(s, part)) return std::nullopt;
      continue;
    }
    std::size_t form = 0;
    while (form < kForms.size() && kForms[form] != part) ++form;
    if (form == kForms.size()) return std::nullopt;
    s.form = static_cast<Form>(form);
  }
  return s;
}

}  // namespace kadvise::rowprogram
