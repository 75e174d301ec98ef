// The reference of an attention module, recovered from its parameters.
#pragma once

#include "profiler/component.h"

namespace kadvise {

// What was learnt from the module's behaviour.
struct AttentionFacts {
  bool causal = false;
  std::int64_t window = 0;  // each output depends on so many last tokens; 0: no window
  at::Tensor maskedKeys;    // [tokens], true where no output depends on the key; undefined: none
  bool strange = false;     // there is no reference for it
};

struct Scaling {
  std::string name;  // "1/sqrt(64)"
  bool usual = true;
};

struct AttentionFit {
  std::string trouble;  // why there is no reference
  std::int64_t heads = 0, keyHeads = 0, headSize = 0;
  Scaling scaling;
  Formula formula;
};

// Heads, their layout and the scale are those under which the reference gives the module's outputs; --heads
// and the module's own attributes decide where they are known.
AttentionFit fitAttention(const Specimen&, const AttentionFacts&);

}  // namespace kadvise
