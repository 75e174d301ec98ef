#include "analyzer/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include "analyzer/terminal.h"
#include "reports/layout.h"

namespace kadvise {
namespace {

constexpr double kPlainAfterSeconds = 1, kRefreshSeconds = 0.1;

std::string detailOf(const Progress& p) {
  std::string out = p.detail.empty() ? "" : ": " + p.detail;
  if (p.total > 0) out += fmt::format(" {:.3g}/{:.3g}", p.done, p.total);
  return out;
}

void put(const std::string& text) {
  [[maybe_unused]] auto n = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

ProgressLine::Form progressForm(bool quiet) {
  if (quiet) return ProgressLine::Form::None;
  return takesEscapes(STDERR_FILENO) ? ProgressLine::Form::Rewritten : ProgressLine::Form::Plain;
}

void ProgressLine::show(const Progress& p) {
  bool samePhase = p.phase == phase_;
  if (form_ == Form::None) return;
  if (form_ == Form::Plain) {
    if (samePhase || p.seconds < kPlainAfterSeconds) return;
    phase_ = p.phase;
    put("kadvise: " + printable(p.phase) + " …\n");
    return;
  }
  if (samePhase && p.seconds - shownAt_ < kRefreshSeconds && p.seconds >= shownAt_) return;
  phase_ = p.phase;
  shownAt_ = p.seconds;
  // A line must not wrap, or the next one cannot replace it.
  auto most = static_cast<std::size_t>(terminalWidth(STDERR_FILENO) - 1);
  std::string line =
      firstColumns(printable(fmt::format("{:3.0f} s  {}{}", p.seconds, p.phase, detailOf(p))), most);
  if (line == onScreen_) return;
  onScreen_ = line;
  put("\r\x1b[K" + line);
}

void ProgressLine::clear() {
  if (!onScreen_.empty()) put("\r\x1b[K");
  onScreen_.clear();
}

}  // namespace kadvise
