// What a replacement may not change at all, whatever its accuracy: structure, kinds, shapes, dtypes, devices,
// which memory an output shares, what happens to the inputs, and where NaN and infinities are.
#pragma once

#include <torch/script.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiler/values.h"

namespace kadvise {

// One run: what went in (as it was after the run) and what came out.
struct Run {
  std::vector<c10::IValue> inputs;
  c10::IValue output;
};

// Leaves of the output by their place in leavesOf().
using LeafPlaces = std::set<std::size_t>;

// The first breach as a clause: "output 0 has dtype float16 where the original has float32". Values of
// floating tensors are not compared here, nor those of excused leaves. ownInRun: leaves of the original that
// had memory of their own with the inputs that were given; where it is in an input's here, because
// contiguous() or reshape() found nothing to do, memory of its own serves as well.
std::optional<std::string> breachOf(const Run& original, const Run& candidate, const LeafPlaces& excused = {},
                                    const LeafPlaces& ownInRun = {});
// Leaves of the output that are in no input's memory.
LeafPlaces ownLeaves(const Run&);

// How a difference is said: "output 0", "shape", the candidate's, the original's.
using DifferenceWords = std::string (*)(const std::string& at, const std::string& what,
                                        const std::string& candidate, const std::string& original);
std::string originalHas(const std::string& at, const std::string& what, const std::string& candidate,
                        const std::string& original);

// The same for two outputs of one structure by their leaves: kinds, dtypes, shapes, devices, and what is
// exact.
std::optional<std::string> leafBreach(const std::vector<Leaf>& original, const std::vector<Leaf>& candidate,
                                      const LeafPlaces& excused = {}, DifferenceWords = originalHas);

// An output that lives in a parameter or buffer: the next call, or the caller, would change the weights.
std::optional<std::string> ownedOutput(const c10::IValue& output, const torch::jit::Module&);

// "output 0 is the memory of input 0; output 0 and output 1 are the same memory"; "" when each has its own.
std::string sharingNote(const Run&);

// A declared difference in meaning, as a rule's page writes it ("rows masked entirely: NaN becomes 0"): which
// values of the original may become finite ones. Of each part (they are joined by "; ") what stands between
// the last colon and "become" is what was; a text without that word is about NaN.
struct DomainDifference {
  bool nan = false, infinity = false;
};
DomainDifference domainFrom(const std::string& text);

// NaN and infinities. truth (float64, or undefined) widens this in two places: where the original overflows
// although the truth is finite, it says nothing of how a candidate has to, and a finite one is better; and
// within 10% of the dtype's largest number rounding decides.
std::optional<std::string> specialsBreach(const at::Tensor& original, const at::Tensor& candidate,
                                          const at::Tensor& truth, DomainDifference);

// "output 0 has strides [1,4] where the original has [4,1]"; "" when alike. Not a breach.
std::string stridesNote(const c10::IValue& original, const c10::IValue& candidate);

}  // namespace kadvise
