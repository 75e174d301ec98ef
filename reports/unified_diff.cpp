#include "reports/unified_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace kadvise {
namespace {

constexpr std::size_t kContext = 3;
constexpr std::size_t kMostCells = 16u << 20;  // of the table; longer differences are shown as one block

using Lines = std::vector<std::string_view>;

Lines linesOf(std::string_view text) {
  Lines out;
  while (!text.empty()) {
    auto end = text.find('\n');
    auto size = end == std::string_view::npos ? text.size() : end + 1;
    out.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out;
}

struct Step {
  char kind;         // ' ' both, '-' before, '+' after
  std::size_t line;  // of before for ' ' and '-', of after for '+'
};

// A longest common subsequence of what lies between the common beginning and end.
void align(const Lines& a, const Lines& b, std::size_t from, std::size_t aEnd, std::size_t bEnd,
           std::vector<Step>& out) {
  std::size_t n = aEnd - from, m = bEnd - from;
  if (n * m > kMostCells) {
    for (std::size_t i = 0; i < n; ++i) out.push_back({'-', from + i});
    for (std::size_t j = 0; j < m; ++j) out.push_back({'+', from + j});
    return;
  }
  std::vector<std::uint32_t> longest((n + 1) * (m + 1), 0);
  auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return longest[i * (m + 1) + j]; };
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = m; j-- > 0;)
      at(i, j) = a[from + i] == b[from + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  for (std::size_t i = 0, j = 0; i < n || j < m;) {
    if (i < n && j < m && a[from + i] == b[from + j]) out.push_back({' ', from + i}), ++i, ++j;
    else if (i < n && (j == m || at(i + 1, j) >= at(i, j + 1))) out.push_back({'-', from + i++});
    else out.push_back({'+', from + j++});
  }
}

std::vector<Step> stepsOf(const Lines& a, const Lines& b) {
  std::size_t head = 0, tail = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  std::vector<Step> out;
  for (std::size_t i = 0; i < head; ++i) out.push_back({' ', i});
  align(a, b, head, a.size() - tail, b.size() - tail, out);
  for (std::size_t i = a.size() - tail; i < a.size(); ++i) out.push_back({' ', i});
  return out;
}

std::string hunk(const std::vector<Step>& steps, std::size_t from, std::size_t to, std::size_t aLine,
                 std::size_t bLine, const Lines& a, const Lines& b) {
  std::size_t aCount = 0, bCount = 0;
  std::string body;
  for (std::size_t i = from; i < to; ++i) {
    auto& s = steps[i];
    aCount += s.kind != '+', bCount += s.kind != '-';
    std::string_view line = s.kind == '+' ? b[s.line] : a[s.line];
    body += s.kind + std::string(line);
    if (line.empty() || line.back() != '\n') body += "\n\\ No newline at end of file\n";
  }
  // An empty side is named by the line before it.
  return fmt::format("@@ -{},{} +{},{} @@\n{}", aLine + (aCount > 0), aCount, bLine + (bCount > 0), bCount,
                     body);
}

}  // namespace

std::string unifiedDiff(const std::string& path, const std::string& before, const std::string& after) {
  if (before == after) return "";
  Lines a = linesOf(before), b = linesOf(after);
  auto steps = stepsOf(a, b);
  std::string out = fmt::format("--- {}\n+++ {}\n", path, path);
  std::size_t i = 0, aLine = 0, bLine = 0;  // lines before step i
  while (i < steps.size()) {
    std::size_t change = i;
    while (change < steps.size() && steps[change].kind == ' ') ++change;
    if (change == steps.size()) break;
    std::size_t from = change - i > kContext ? change - kContext : i;
    aLine += from - i, bLine += from - i;
    std::size_t to = change, quiet = 0;  // past the last change that is near enough to the one before
    for (std::size_t k = change; k < steps.size() && quiet <= 2 * kContext; ++k) {
      quiet = steps[k].kind == ' ' ? quiet + 1 : 0;
      if (steps[k].kind != ' ') to = k + 1;
    }
    to = std::min(to + kContext, steps.size());
    out += hunk(steps, from, to, aLine, bLine, a, b);
    for (; from < to; ++from) aLine += steps[from].kind != '+', bLine += steps[from].kind != '-';
    i = to;
  }
  return out;
}

}  // namespace kadvise
