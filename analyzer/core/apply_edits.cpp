#include "analyzer/core/apply_edits.h"

#include <algorithm>

namespace kadvise {
namespace {

bool isSame(const Edit& a, const Edit& b) {
  return a.offset == b.offset && a.length == b.length && a.text == b.text;
}

// Two insertions at one place would come in an order that nobody chose.
bool overlap(const Edit& a, const Edit& b) {
  if (isSame(a, b)) return false;
  if (a.offset == b.offset) return true;
  const Edit &first = a.offset < b.offset ? a : b, &second = a.offset < b.offset ? b : a;
  return first.offset + first.length > second.offset;
}

bool fits(const std::vector<Edit>& taken, const std::vector<Edit>& more, std::size_t size) {
  return std::all_of(more.begin(), more.end(), [&](auto& e) {
    bool inside = e.offset <= size && e.length <= size - e.offset;
    return inside && std::none_of(taken.begin(), taken.end(), [&](auto& t) { return overlap(t, e); });
  });
}

}  // namespace

std::vector<Edit> editsOf(const std::string& text, const std::vector<const Fix*>& fixes, int* chosen) {
  std::vector<Edit> taken;
  int count = 0;
  for (auto* fix : fixes) {
    auto* edits = std::get_if<std::vector<Edit>>(&fix->change);
    if (!edits || edits->empty() || !fits(taken, *edits, text.size())) continue;
    ++count;
    for (auto& e : *edits)
      if (std::none_of(taken.begin(), taken.end(), [&](auto& t) { return isSame(t, e); })) taken.push_back(e);
  }
  // From the end, so that offsets before stay true.
  std::sort(taken.begin(), taken.end(), [](auto& a, auto& b) { return a.offset > b.offset; });
  if (chosen) *chosen = count;
  return taken;
}

std::string withFixes(const std::string& text, const std::vector<const Fix*>& fixes, int* chosen) {
  std::string out = text;
  for (auto& e : editsOf(text, fixes, chosen)) out.replace(e.offset, e.length, e.text);
  return out;
}

}  // namespace kadvise
