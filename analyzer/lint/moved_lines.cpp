#include "analyzer/lint/moved_lines.h"

#include <algorithm>
#include <climits>
#include <string_view>

namespace kadvise {
namespace {

// An edit in lines: from first to last of the old text; so many more there are after it.
struct Shift {
  int first = 0, last = 0, more = 0;  // last before first: lines come in between
};

int linesIn(std::string_view text) { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

bool isOfWholeLines(std::string_view text) { return text.empty() || text.back() == '\n'; }

}  // namespace

LineRanges movedLines(const LineRanges& ranges, const std::string& text, std::vector<Edit> edits) {
  std::sort(edits.begin(), edits.end(), [](auto& a, auto& b) { return a.offset < b.offset; });
  std::string_view all = text;
  LineRanges out;
  std::vector<Shift> shifts;
  int line = 1, moved = 0;
  std::size_t counted = 0;
  for (auto& e : edits) {
    line += linesIn(all.substr(counted, e.offset - counted));
    counted = e.offset;
    auto removed = all.substr(e.offset, e.length);
    int added = linesIn(e.text);
    bool isWhole =
        (e.offset == 0 || all[e.offset - 1] == '\n') && isOfWholeLines(removed) && isOfWholeLines(e.text);
    int end = line + moved + added - isWhole;  // whole lines leave the one behind them as it was
    if (end >= line + moved) out.emplace_back(line + moved, end);
    shifts.push_back({line, line + linesIn(removed) - isWhole, added - linesIn(removed)});
    moved += shifts.back().more;
  }
  for (auto [first, last] : ranges) {
    int toFirst = 0, toLast = 0;
    for (auto& s : shifts) {
      if (s.last < first) toFirst += s.more;
      if (s.first <= last) toLast += s.more;
    }
    int end = last == INT_MAX ? INT_MAX : last + toLast;
    if (end >= first + toFirst) out.emplace_back(first + toFirst, end);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace kadvise
