#include "tests/fuzz/judge.h"

#include <malloc.h>

#include "analyzer/graph/ir.h"
#include "tests/fuzz/driver.h"
#include "tests/fuzz/same_values.h"

namespace kadvise::fuzz {
namespace {

namespace jit = torch::jit;

constexpr int kNearby = 3, kMoreNearby = 40;  // runs; more where something seems to differ

// The same inputs, but for the first size of one of them, and of all that share it or of none.
Values ofOtherSizes(const Values& inputs, Random& random) {
  Values out = inputs;
  auto& chosen = inputs[random.below(inputs.size())];
  if (!chosen.isTensor() || chosen.toTensor().dim() == 0 || chosen.toTensor().size(0) == 0) return out;
  auto size = chosen.toTensor().size(0);
  auto other = size > 1 && random.oneIn(2) ? 1 : size + 1;
  bool alone = random.oneIn(3);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!inputs[i].isTensor() || (alone && !inputs[i].is(chosen))) continue;
    auto& t = inputs[i].toTensor();
    if (t.dim() == 0 || t.size(0) != size) continue;
    out[i] = t.index_select(0, at::arange(other).remainder(size));
  }
  return out;
}

}  // namespace

std::optional<std::string> Judge::why(const jit::Module& m, bool nonFiniteMayChange) const {
  try {
    return whyDifferent(want, runTwice(m, inputs, state), nearby, nonFiniteMayChange);
  } catch (const std::exception& e) {
    if (mayRefuse) return std::nullopt;
    return std::string("now fails: ") + graph::briefly(e);
  }
}

void Judge::expectSame(const jit::Module& m, const std::string& kind, bool nonFiniteMayChange) {
  auto reason = why(m, nonFiniteMayChange);
  if (!reason) return;
  {
    OwnRun own;
    if (whyDifferent(want, executeTwice(original, inputs, state), nearby, nonFiniteMayChange)) return;
    for (int i = 0; i < kMoreNearby; ++i) nearby.push_back(nudgedRun(original, inputs, state));
  }
  if (why(m, nonFiniteMayChange))
    throw Finding{kind + (mayRefuse ? ", in another call" : ""),
                  "  " + *reason + "\n" + m.get_method("forward").graph()->toString(false)};
}

std::optional<Judge> judgeOf(const jit::Module& original, const Values& inputs) {
  Judge judge;
  judge.inputs = inputs;
  judge.original = original;
  for (const auto& b : original.named_buffers()) judge.state.push_back(b.name);
  OwnRun own;
  mallopt(M_PERTURB, 0x3c);
  judge.want = runTwice(original, inputs, judge.state);
  mallopt(M_PERTURB, 0xc3);
  auto again = runTwice(original, inputs, judge.state),
       filled = runTwiceFilled(original, inputs, judge.state);
  if (whyDifferent(judge.want, again, {}, false) || whyDifferent(judge.want, filled, {}, false))
    return std::nullopt;
  for (int i = 0; i < kNearby; ++i) judge.nearby.push_back(nudgedRun(original, inputs, judge.state));
  return judge;
}

std::optional<Judge> judgeOfAnotherCall(const Judge& first, Random& random) {
  if (first.inputs.empty()) return std::nullopt;
  try {
    auto judge = judgeOf(first.original, ofOtherSizes(first.inputs, random));
    if (judge) judge->mayRefuse = true;
    return judge;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace kadvise::fuzz
