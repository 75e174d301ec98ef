#include "analyzer/graph/padding_forms.h"

#include <algorithm>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

// Whatever the strides of their first operand, they make the same of it.
constexpr std::string_view kConvolutions[] = {"aten::conv1d", "aten::conv2d", "aten::conv3d",
                                              "aten::convolution", "aten::_convolution"};

// A list that nobody changes after it was made.
bool isOnlyRead(const Value* list) {
  auto& uses = list->uses();
  return std::all_of(uses.begin(), uses.end(), [](auto& use) {
    auto* schema = use.user->maybeSchema();
    return schema && !schema->is_mutable() && use.user->kind().is_aten();
  });
}

// More numbers than an image has sides may be an error, as an odd number of them is.
constexpr std::size_t kMostSides = 4;
bool areSides(std::size_t numbers) { return numbers % 2 == 0 && numbers <= kMostSides; }

bool padsNothing(Node* n) {
  Value* pads = n->input(1);
  if (pads->node()->kind() == prim::ListConstruct) {
    auto sides = pads->node()->inputs();
    return areSides(sides.size()) && isOnlyRead(pads) &&
           std::all_of(sides.begin(), sides.end(), [](Value* side) { return constantInt(side) == 0; });
  }
  auto known = jit::toIValue(pads);
  if (!known || !known->isIntList()) return false;
  auto sides = known->toIntVector();
  return areSides(sides.size()) &&
         std::all_of(sides.begin(), sides.end(), [](auto side) { return side == 0; });
}

bool isIdle(const Step& s, Node* n) {
  auto& uses = n->output()->uses();
  bool isConvolved = !uses.empty() && std::all_of(uses.begin(), uses.end(), [](auto& use) {
    return use.offset == 0 && isOneOf(kConvolutions, use.user);
  });
  return isConvolved && padsNothing(n) && s.onlyRead(n);
}

}  // namespace

void constantPad(const Step& s, Node* n) {
  auto mode = n->inputs().size() == 4 ? jit::toIValue(n->input(2)) : std::nullopt;
  if (!mode || !mode->isString() || mode->toStringRef() != "constant") return;
  auto value = jit::toIValue(n->input(3));
  Value* filler = value && value->isNone() ? s.constant(n, 0.0) : n->input(3);
  if (filler->type()->kind() != c10::TypeKind::FloatType) return;
  if (isIdle(s, n)) return s.replace(n, n->input(0));
  s.replace(n, s.insert(n, aten::constant_pad_nd, {n->input(0), n->input(1), filler})->output());
}

void padOfNothing(const Step& s, Node* n) {
  if (isIdle(s, n)) s.replace(n, n->input(0));
}

}  // namespace kadvise::graph
