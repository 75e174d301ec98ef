// Operators that compare and choose, as statements. They read 16-bit values as the module has them.
#include "analyzer/graph/ir.h"
#include "analyzer/graph/placement.h"
#include "analyzer/graph/row_forms.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

void unaryTest(const Node* n, RowWriter& w, const char* word) {
  w.define(n->output(), w.say(RowType::Bool, word, {w.as(RowType::Float, w.roundedTermOf(n->inputs()[0]))}));
}

void finite(const Node* n, RowWriter& w, const char*) {
  RowTerm x = w.as(RowType::Float, w.roundedTermOf(n->inputs()[0]));
  RowTerm nan = w.say(RowType::Bool, "isnan", {x}), inf = w.say(RowType::Bool, "isinf", {x});
  w.define(n->output(), w.say(RowType::Bool, "not", {w.say(RowType::Bool, "or", {nan, inf})}));
}

// Operands meet in the wider of their types; a number counts as what it is.
void comparison(const Node* n, RowWriter& w, const char* word) {
  RowTerm a = w.roundedTermOf(n->inputs()[0]), b = w.roundedTermOf(n->inputs()[1]);
  w.define(n->output(), w.say(RowType::Bool, word, {a, b}));
}

void logical(const Node* n, RowWriter& w, const char* word) {
  auto truth = [&](std::size_t i) { return w.as(RowType::Bool, w.roundedTermOf(n->inputs()[i])); };
  if (n->inputs().size() == 1) return w.define(n->output(), w.say(RowType::Bool, word, {truth(0)}));
  w.define(n->output(), w.say(RowType::Bool, word, {truth(0), truth(1)}));
}

// & of bools is the logical one.
void bits(const Node* n, RowWriter& w, const char* word) {
  RowType type = rowTypeOf(rowResultOf(n, w));
  std::string form = type == RowType::Bool ? word : std::string("bit_") + word;
  if (n->inputs().size() == 1) return w.define(n->output(), w.say(type, form, {rowOperand(n, w, 0, type)}));
  w.define(n->output(), w.say(type, form, {rowOperand(n, w, 0, type), rowOperand(n, w, 1, type)}));
}

RowTerm chosen(const RowTerm& c, const RowTerm& a, const RowTerm& b, RowType type, RowWriter& w) {
  if (c.type != RowType::Bool || c.isNumber) rowUnsupported("chooses by what is no bool");
  return w.say(type, "where", {c, w.as(type, a), w.as(type, b)});
}

void choice(const Node* n, RowWriter& w, const char*) {
  if (n->inputs().size() != 3) rowUnsupported("lists where a mask is true");
  RowType type = rowTypeOf(rowResultOf(n, w));
  w.define(n->output(),
           chosen(w.termOf(n->inputs()[0]), w.termOf(n->inputs()[1]), w.termOf(n->inputs()[2]), type, w));
}

void filled(const Node* n, RowWriter& w, const char*) {
  RowType type = rowTypeOf(rowResultOf(n, w));
  w.define(n->output(),
           chosen(w.termOf(n->inputs()[1]), w.termOf(n->inputs()[2]), w.termOf(n->inputs()[0]), type, w));
}

// clamp, clamp_min, clamp_max, by numbers or tensors; hardtanh.
void clamped(const Node* n, RowWriter& w, const char*) {
  RowType type = rowArithmeticType(n, w);
  RowTerm x = rowOperand(n, w, 0, type);
  auto bound = [&](const char* name, const char* other, const char* word) {
    Value* v = argumentNamed(n, name);
    if (!v) v = argumentNamed(n, other);
    if (!v || isNone(v)) return;
    x = w.say(type, word, {x, w.as(type, w.termOf(v))});
  };
  bound("min", "min_val", "maximum");
  bound("max", "max_val", "minimum");
  w.define(n->output(), x);
}

void threshold(const Node* n, RowWriter& w, const char*) {
  RowType type = rowArithmeticType(n, w);
  RowTerm x = w.roundedTermOf(n->inputs()[0]);
  RowTerm below = w.say(RowType::Bool, "le", {x, w.termOf(n->inputs()[1])});
  w.define(n->output(), chosen(below, w.termOf(n->inputs()[2]), x, type, w));
}

}  // namespace

const RowWord kRowChoices[] = {{"aten::isnan", unaryTest, "isnan"},
                               {"aten::isinf", unaryTest, "isinf"},
                               {"aten::isfinite", finite},
                               {"aten::eq", comparison, "eq"},
                               {"aten::ne", comparison, "ne"},
                               {"aten::lt", comparison, "lt"},
                               {"aten::le", comparison, "le"},
                               {"aten::gt", comparison, "gt"},
                               {"aten::ge", comparison, "ge"},
                               {"aten::logical_and", logical, "and"},
                               {"aten::logical_or", logical, "or"},
                               {"aten::logical_xor", logical, "xor"},
                               {"aten::logical_not", logical, "not"},
                               {"aten::bitwise_and", bits, "and"},
                               {"aten::bitwise_or", bits, "or"},
                               {"aten::bitwise_xor", bits, "xor"},
                               {"aten::bitwise_not", bits, "not"},
                               {"aten::__and__", bits, "and"},
                               {"aten::__or__", bits, "or"},
                               {"aten::__xor__", bits, "xor"},
                               {"aten::where", choice},
                               {"aten::masked_fill", filled},
                               {"aten::clamp", clamped},
                               {"aten::clamp_min", clamped},
                               {"aten::clamp_max", clamped},
                               {"aten::hardtanh", clamped},
                               {"aten::threshold", threshold},
                               {nullptr, nullptr}};

}  // namespace kadvise::graph
