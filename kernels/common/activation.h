// The activations that operators take by name.
#pragma once

#include <cstdint>

namespace kadvise {

enum class Activation : std::int32_t {
  Silu = 0,       // v * sigmoid(v)
  Gelu = 1,       // by the error function
  GeluTanh = 2,   // v * sigmoid(2 u), u = sqrt(2 / pi) * (v + 0.044715 v^3), which is the form with tanh(u)
  QuickGelu = 3,  // v * sigmoid(1.702 v)
  Sigmoid = 4,
  Relu = 5,
};

}  // namespace kadvise
