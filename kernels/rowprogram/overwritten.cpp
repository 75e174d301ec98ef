#include "kernels/rowprogram/overwritten.h"

namespace kadvise::rowprogram {
namespace {

// Where rows stay with their threads, or there are none, an input is read once. Parts of a row are read again
// by a second kernel, and columns by a second walk.
bool readsOnce(Form form) { return form != Form::Split && form != Form::Columns; }

bool liesAs(const Access& input, const Access& output) {
  return input.element == output.element && !input.isNumber && input.outer == output.outer &&
         input.inner == output.inner && input.address >= output.address &&
         input.alignment >= output.alignment;
}

bool isOverwritten(const Plan& plan, std::size_t output, std::size_t input) {
  if (!readsOnce(plan.schedule.form) || plan.stage[input] < 0) return false;
  if (!liesAs(plan.problem.inputs[input], plan.problem.outputs[output])) return false;
  if (plan.flat()) return plan.dense[input] && plan.dense[plan.inputs.size() + output];
  // Ragged rows begin within vectors that their neighbours' threads read, too.
  return !plan.ragged && plan.inputs[input] == Reach::Vector && plan.outputs[output] == Reach::Vector;
}

}  // namespace

std::vector<char> overwrittenInputs(const Plan& plan) {
  std::vector<char> inputs(plan.inputs.size(), 0);
  const auto& outputs = plan.program.outputs;
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (const int over = outputs[o].over; over >= 0)
      inputs[static_cast<std::size_t>(over)] = isOverwritten(plan, o, static_cast<std::size_t>(over));
  return inputs;
}

}  // namespace kadvise::rowprogram
