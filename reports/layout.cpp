#include "reports/layout.h"

#include <fmt/format.h>

#include <cmath>

#include "analyzer/core/utf8.h"

namespace kadvise {
namespace {

const char* codeOf(Ink ink) {
  switch (ink) {
    case Ink::Plain:
      return "";
    case Ink::Bold:
      return "\x1b[1m";
    case Ink::Dim:
      return "\x1b[2m";
    case Ink::Good:
      return "\x1b[1;32m";
    case Ink::Fair:
      return "\x1b[1;33m";
    case Ink::Bad:
      return "\x1b[1;31m";
  }
  return "";
}

}  // namespace

const char* word(Ink ink) {
  constexpr const char* kWords[] = {"plain", "bold", "dim", "good", "fair", "bad"};
  return kWords[static_cast<std::size_t>(ink)];
}

std::size_t columns(std::string_view utf8) {
  std::size_t n = 0;
  for (unsigned char c : utf8) n += (c & 0xC0) != 0x80;
  return n;
}

std::string firstColumns(std::string_view text, std::size_t most) {
  if (columns(text) <= most) return std::string(text);
  std::string out;
  std::size_t count = 0;
  for (char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80 && ++count >= most) break;
    out += c;
  }
  return out + "…";
}

namespace {

// What GitHub's runners take for commands of a step, wherever it stands in a line of the log: "##[group]".
std::string harmless(std::string text) {
  for (std::size_t at = 0; (at = text.find("##[", at)) != std::string::npos; at += 4)
    text.insert(at + 2, " ");
  return text;
}

}  // namespace

std::string unlikeCommand(std::string_view line) {
  auto first = line.find_first_not_of(' ');
  bool isLike = first != std::string_view::npos && line.substr(first).starts_with("::") &&
                line.find("::", first + 2) != std::string_view::npos;
  std::string out(line);
  if (isLike) out.insert(first + 1, " ");
  return out;
}

std::string printable(std::string_view text) {
  // Names come from the user's model: an escape sequence in one must not drive the terminal.
  std::string out = visible(text);
  for (char& c : out)
    if (c == '\n' || c == '\t') c = ' ';
  return harmless(std::move(out));
}

void Layout::blank() {
  if (!text_.empty()) text_ += '\n';
}

void Layout::heading(std::string_view text) {
  blank();
  line(printable(text), 0, Ink::Bold);
  blocks_.push_back({Block::Kind::Heading, 0, Ink::Bold, printable(text)});
}

void Layout::line(std::string_view text, int indent, Ink ink) {
  if (text.empty()) {
    text_ += '\n';
    return;
  }
  bool color = colored_ && ink != Ink::Plain;
  text_.append(static_cast<std::size_t>(indent), ' ');
  if (color) text_ += codeOf(ink);
  text_ += unlikeCommand(text);
  if (color) text_ += "\x1b[0m";
  text_ += '\n';
}

void Layout::paragraph(std::string_view given, int indent, int hanging, Ink ink) {
  std::string text = printable(given);
  if (text.empty()) return;  // words of something that a place does not have
  blocks_.push_back({Block::Kind::Paragraph, indent, ink, text});
  std::string current;
  int margin = indent;
  for (std::size_t at = 0; at < text.size();) {
    auto begin = text.find_first_not_of(' ', at);
    if (begin == std::string::npos) break;
    auto end = std::min(text.find(' ', begin), text.size());
    // Gaps of more than one space are columns: keep them unless the line breaks there.
    std::string gap(current.empty() ? 0 : begin - at, ' ');
    std::string word = text.substr(begin, end - begin);
    if (!current.empty() &&
        static_cast<int>(columns(current) + gap.size() + columns(word)) + margin > width_) {
      line(current, margin, ink);
      margin = hanging;
      current = word;
    } else {
      current += gap + word;
    }
    at = end;
  }
  if (!current.empty()) line(current, margin, ink);
}

void Layout::verbatim(std::string_view text, int indent) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\n', at), text.size());
    std::string one = printable(text.substr(at, end - at));
    line(one, indent, Ink::Plain);
    shown += one + (end < text.size() ? "\n" : "");
    at = end + 1;
  }
  blocks_.push_back({Block::Kind::Verbatim, indent, Ink::Plain, std::move(shown)});
}

std::string formatUs(double us) {
  if (!std::isfinite(us)) return "unknown";
  double size = std::abs(us);
  if (size >= 1e6) return fmt::format("{:.3g} s", us / 1e6);
  if (size >= 1e3)
    return fmt::format("{} ms",
                       size >= 99.95e3 ? fmt::format("{:.0f}", us / 1e3) : fmt::format("{:.3g}", us / 1e3));
  if (size >= 99.95) return fmt::format("{:.0f} µs", us);
  return fmt::format("{:.3g} µs", us);
}

std::string formatBytes(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  while (std::abs(bytes) >= 1024 && unit < 4) bytes /= 1024, ++unit;
  return std::abs(bytes) >= 100 || unit == 0 ? fmt::format("{:.0f} {}", bytes, units[unit])
                                             : fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string formatCount(double n) {
  if (n >= 1e9) return fmt::format("{:.4g} G", n / 1e9);
  if (n >= 1e6) return fmt::format("{:.4g} M", n / 1e6);
  if (n >= 1e4) return fmt::format("{:.4g} k", n / 1e3);
  return fmt::format("{:.0f}", n);
}

std::string formatFactor(double x) { return std::isfinite(x) ? fmt::format("{:.2f}x", x) : "unknown"; }

}  // namespace kadvise
