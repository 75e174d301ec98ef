// Memory that nobody has written holds something, and what it holds must not matter. While a Canary lives,
// every tensor that an operator asks for without values (outputs and workspaces alike) is filled with
// something that shows: an element that was never written, or read before it was, changes the output.
#pragma once

#include <ATen/record_function.h>

namespace kadvise {

class Canary {
 public:
  enum class Fill {
    Nan,    // floats NaN, integers 0x5a in every byte, bools true
    None,   // memory as it comes, for a tool that watches it
    Large,  // floats a large finite number, for what a NaN would be lost in; integers 0x25, bools false
  };
  // One at a time.
  explicit Canary(Fill);
  ~Canary();
  Canary(const Canary&) = delete;
  Canary& operator=(const Canary&) = delete;

 private:
  at::CallbackHandle handle_;
};

}  // namespace kadvise
