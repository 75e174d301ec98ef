#include "analyzer/graph/first_of_all.h"

namespace kadvise::graph {

using jit::Node;
namespace aten = jit::aten;

void firstOfAll(const Step& s, Node* n) {
  Node* places = n->input(2)->node();
  constexpr std::size_t kOfEnd = 5;  // end, dtype, layout, device, pin_memory
  bool isAll = places->kind() == aten::arange && places->inputs().size() == kOfEnd &&
               places->input(0)->type()->kind() == c10::TypeKind::IntType &&
               !s.aliases.hasWriters(n->input(2));
  if (!isAll ||
      (!isNone(places->input(1)) && constantInt(places->input(1)) != static_cast<std::int64_t>(at::kLong)))
    return;
  Node* first =
      s.insert(n, aten::narrow, {n->input(0), n->input(1), s.constant(n, std::int64_t{0}), places->input(0)});
  auto format = s.constant(n, static_cast<std::int64_t>(at::MemoryFormat::Contiguous));
  s.replace(n, s.insert(n, aten::clone, {first->output(), format})->output());
}

}  // namespace kadvise::graph
