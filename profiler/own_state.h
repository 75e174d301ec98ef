// Modules that write their own attributes, a count of calls, a cache: what a call begins with, and what it
// leaves.
#pragma once

#include <torch/script.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kadvise {

using Attributes = std::vector<std::pair<std::string, c10::IValue>>;  // "encoder.steps" and its value

// The attributes that a call writes, and those that calls with other inputs may. Zeros hide much, so calls
// are judged with both.
struct OwnState {
  Attributes asLoaded, afterACall;
  std::size_t outputs = 0;  // of the module itself: the state stands behind them
  // Dictionaries that were empty before the first call, and in which a call with other inputs puts the same:
  // caches of what parameters decide. They stay filled, and a module that changes them again is not compared.
  std::vector<std::string> filledOnce;

  bool empty() const { return asLoaded.empty(); }
  Attributes changing() const;  // as loaded, those of them that the first call gave other values
  // Those that nothing was seen to write and a module does not have: it may have no use for them.
  void leaveOutUnwritten(const torch::jit::Module&);
  // "output 1[0]" -> "its own steps"
  std::string named(std::string text) const;
  // What a reader of the verdict has to know; "" where there is no state.
  std::string note() const;
};

// Why modules that change this, which cannot be put back, are not compared.
std::string undecidedFor(const std::string& attribute);

// The first name of them that a module does not have; "" when it has all.
std::string missingIn(const torch::jit::Module&, const Attributes&);

// The same with floating tensors in float64.
Attributes widened(const Attributes&);

// Gives a module these values, copied, for as long as it lives.
class WithState {
 public:
  WithState(torch::jit::Module, const Attributes&);
  ~WithState();
  WithState(const WithState&) = delete;
  WithState& operator=(const WithState&) = delete;
  // The elements of the output, and as one more what the attributes hold now.
  c10::IValue behind(const c10::IValue& output) const;

 private:
  torch::jit::Module module_;
  Attributes own_;
};

// What may be written of a module and can be put back: numbers, and tensors that share no memory with others,
// as far as they are no parameters and not larger than a GiB together.
Attributes rememberable(const torch::jit::Module&);

std::vector<std::string> emptyDictionaries(const torch::jit::Module&);
// False, too, where the module has no such attribute.
bool isDictionary(const torch::jit::Module&, const std::string& name);

// These, and copies of their values, as far as there is memory for them.
class Remembered {
 public:
  explicit Remembered(const torch::jit::Module&);
  std::vector<std::string> writable() const;  // that hold something else by now, or that forward can write
  bool has(const std::string& name) const { return kept_.contains(name); }
  // The names' values as they were and as they are, each with its own memory.
  OwnState stateOf(const std::vector<std::string>& names) const;
  void putBack(const std::vector<std::string>& names) const;  // the tensors themselves, with their old values

 private:
  struct Kept {
    c10::IValue held, copy;
  };
  torch::jit::Module module_;
  std::map<std::string, Kept> kept_;
};

}  // namespace kadvise
