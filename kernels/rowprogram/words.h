// The words of the language in tables: what the parser accepts and the interpreter computes.
#pragma once

#include "kernels/rowprogram/program.h"

#include <span>
#include <string_view>

namespace kadvise::rowprogram {

// What operands an operator takes, the type that they are converted to, and what it gives.
enum class Rule : std::uint8_t {
  ToFloat,  // any; floats; a float
  Floats,   // at least one float among them; floats; a float
  Numbers,  // not bools alone; the widest type among them; of that type
  Compare,  // any; the widest type among them; a bool
  Truth,    // any; bools, true where not 0; a bool
  Bits,     // ints and bools; the widest type among them; of that type
  Where,    // a bool, then two of any type; the widest of the two; of that type
};

struct PointwiseWord {
  std::string_view name;
  Pointwise op;
  int operands;
  Rule rule;
};

struct ReductionWord {
  std::string_view name;
  Reduction op;
  bool takes[3];  // by Type of the operand: bool, int, float
  Type gives[3];
};

struct ElementWord {
  std::string_view name;  // as torch.dtype has it
  Element element;
  Type type;
  int bytes;
};

std::span<const PointwiseWord> pointwiseWords();
std::span<const ReductionWord> reductionWords();
std::span<const ElementWord> elementWords();  // float64 last: a text cannot say it

const PointwiseWord& wordOf(Pointwise op);
const ReductionWord& wordOf(Reduction op);
const ElementWord& wordOf(Element element);

}  // namespace kadvise::rowprogram
