#include "kernels/rowprogram/shared_rows.h"

#include <algorithm>

namespace kadvise::rowprogram {

bool SharedRows::saved(int i) const {
  return plan_.lastUse[i] > plan_.stage[i] && !sameForAllRows(plan_.problem.inputs[i]);
}

std::string SharedRows::slot(std::size_t s, Element e) {
  const int pieces = std::max(1, kernel_.words(e) / 4);
  auto [at, added] = slots_.try_emplace(s, sharedBytes_);
  if (added) sharedBytes_ += pieces * 16 * s_.vectors * s_.threads;
  return cat("shared_bytes + ", at->second, " + (k * ", s_.threads, " + t) * 16");
}

// Vectors of fewer than 16 bytes take a slot of 16.
void SharedRows::move(std::size_t s, const std::string& name, Element e, bool read) {
  const int words = kernel_.words(e), stride = 16 * s_.vectors * s_.threads;
  const std::string at = slot(s, e);
  if (words < 4) {
    if (read)
      kernel_.line("  { u32 w[4]; near16(w, ", at, "); for (int i = 0; i < ", words, "; ++i) ", name,
                   "[i] = w[i]; }");
    else
      kernel_.line("  { u32 w[4] = {}; for (int i = 0; i < ", words, "; ++i) w[i] = ", name,
                   "[i]; set_near16(", at, ", w); }");
    return;
  }
  for (int p = 0; p < words / 4; ++p)
    kernel_.line(read ? cat("  near16(", name, " + ", 4 * p, ", ", at, " + ", p * stride, ");")
                      : cat("  set_near16(", at, " + ", p * stride, ", ", name, " + ", 4 * p, ");"));
}

// The inputs and kept values that a pass needs, from global memory the first time.
void SharedRows::fetch(int stage, const Place& place) {
  const std::vector<char> need = plan_.needed(stage, false);
  for (std::size_t i = 0; i < program_.statements.size(); ++i) {
    const int s = static_cast<int>(i);
    if (kernel_.keeps(i) && need[i]) {
      kernel_.line("  u32 k", s, "[", kernel_.words(kernel_.keptElement(s)), "];");
      if (plan_.stage[i] < stage) move(i, cat("k", s), kernel_.keptElement(s), true);
    } else if (s < program_.inputs && need[i]) {
      const Element e = plan_.problem.inputs[i].element;
      if (plan_.stage[i] < stage && saved(s)) {
        kernel_.line("  u32 r", s, "[", kernel_.words(e), "];");
        move(i, cat("r", s), e, true);
        continue;
      }
      kernel_.declareInput(s, "");
      kernel_.load(s, place);
      if (kernel_.settles(s)) kernel_.settle(s, place);
      if (plan_.stage[i] == stage && saved(s)) move(i, cat("r", s), e, false);
    } else if (plan_.takesVector[i] && need[i]) {
      kernel_.line("  u32 r", s, "[", kernel_.words(kernel_.tableOf(i).element), "];");
      kernel_.loadTake(s, place);
    }
  }
}

void SharedRows::keep(int stage) {
  for (std::size_t s = 0; s < program_.statements.size(); ++s)
    if (kernel_.keeps(s) && plan_.stage[s] == stage)
      move(s, cat("k", s), kernel_.keptElement(static_cast<int>(s)), false);
}

}  // namespace kadvise::rowprogram
