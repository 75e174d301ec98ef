#include "kernels/rowprogram/overwritten.h"

namespace kadvise::rowprogram {
namespace {

// Where rows stay with their threads, or there are none, an input is read in one pass. Parts of a row are
// read again by a second kernel, and columns by a second walk.
bool readsInOnePass(Form form) { return form != Form::Split && form != Form::Columns; }

bool liesAs(const Access& input, const Access& output) {
  return input.element == output.element && !input.isNumber && input.outer == output.outer &&
         input.inner == output.inner && input.address >= output.address &&
         input.alignment >= output.alignment;
}

// Where some threads only keep others company they read the first row again, which may be overwritten by
// then: values that nobody uses, but for indices, of which a wrong one ends the kernel.
bool trustsStrangers(const Plan& plan) {
  return plan.schedule.form == Form::Lanes && (plan.program.takes || plan.program.picks);
}

// The pass in which the input comes from memory. What all rows read alike may come in any of them.
bool isReadBefore(const Plan& plan, int input, int statement) {
  const Access& access = plan.problem.inputs[static_cast<std::size_t>(input)];
  if (plan.flat()) return true;  // loads come before what is computed
  if (sameForAllRows(access)) return false;
  return plan.stage[input] <= 2 * plan.program.statements[static_cast<std::size_t>(statement)].phase;
}

bool isOverwritten(const Plan& plan, std::size_t output, int input) {
  const auto i = static_cast<std::size_t>(input);
  if (!readsInOnePass(plan.schedule.form) || plan.stage[i] < 0 || trustsStrangers(plan)) return false;
  if (!liesAs(plan.problem.inputs[i], plan.problem.outputs[output])) return false;
  if (!isReadBefore(plan, input, plan.program.outputs[output].statement)) return false;
  if (plan.flat()) return plan.dense[i] && plan.dense[plan.inputs.size() + output];
  // Ragged rows begin within vectors that their neighbours' threads read, too.
  return !plan.ragged && plan.inputs[i] == Reach::Vector && plan.outputs[output] == Reach::Vector;
}

}  // namespace

std::vector<char> overwrittenInputs(const Plan& plan) {
  std::vector<char> inputs(plan.inputs.size(), 0);
  const auto& outputs = plan.program.outputs;
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (const int over = outputs[o].over; over >= 0)
      inputs[static_cast<std::size_t>(over)] = isOverwritten(plan, o, over);
  return inputs;
}

}  // namespace kadvise::rowprogram
