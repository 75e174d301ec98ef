// kadvise::row_program: a group of operators that was fused into one text, as one kernel made for it at run
// time.
//
// program.h has the language. Whatever no kernel serves is the interpreter, which equals it in shapes,
// dtypes, strides and errors: the CPU, float64, gradients, empty tensors.
#include "kernels/common/dispatch.h"
#include "kernels/rowprogram/call.h"
#include "kernels/rowprogram/call_problem.h"
#include "kernels/rowprogram/call_shapes.h"
#include "kernels/rowprogram/interpret.h"
#include "kernels/rowprogram/run.h"

#include <c10/core/DeviceGuard.h>

#include <algorithm>

namespace kadvise {
std::vector<at::Tensor> rowprogram::callOnCuda(std::string_view text, const std::vector<at::Tensor>& inputs) {
  const auto program = parsed(text);
  checkCall(*program, inputs);
  const at::Device device = deviceOf(inputs);
  const c10::DeviceGuard guard(device);
  if (!isWide(inputs)) {
    std::vector<at::Tensor> outputs = outputsOverInputs(*program, inputs);
    const auto problem = problemOf(*program, inputs, outputs);
    if (problem && runOnCuda(*program, *problem, inputs, outputs, device)) return outputs;
  }
  return interpret(*program, inputs);
}

namespace {

using Tensors = std::vector<Tensor>;

Tensors composition(c10::string_view text, at::TensorList inputs) {
  return rowprogram::interpret(*rowprogram::parsed({text.data(), text.size()}), inputs);
}

// The arguments, and nothing that holds a tensor beside them: TorchScript has moved its own there.
std::pair<c10::IValue, Tensors> taken(torch::jit::Stack& stack) {
  Tensors inputs = torch::jit::pop(stack).toTensorVector();
  return {torch::jit::pop(stack), std::move(inputs)};
}

void onCudaStack(const c10::OperatorHandle&, torch::jit::Stack* stack) {
  const auto [text, inputs] = taken(*stack);
  stack->emplace_back(rowprogram::callOnCuda(text.toStringRef(), inputs));
}

void onAutogradStack(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const auto wantsGradient = [](const c10::IValue& input) { return needsGradient(input.toTensor()); };
  const auto list = stack->back().toListRef();
  if (std::any_of(list.begin(), list.end(), wantsGradient)) {
    const auto [text, inputs] = taken(*stack);
    stack->emplace_back(composition(text.toStringRef(), inputs));
    return;
  }
  const at::AutoDispatchBelowADInplaceOrView below;
  op.callBoxed(stack);
}

Tensors onMeta(c10::string_view text, at::TensorList inputs) {
  const auto program = rowprogram::parsed({text.data(), text.size()});
  rowprogram::checkCall(*program, inputs);
  return rowprogram::emptyOutputs(*program, inputs);
}

struct RowProgram {
  static constexpr const char* kName = "row_program";
  static constexpr const char* kQualifiedName = "kadvise::row_program";
  static constexpr const char* kSchema = "row_program(str program, Tensor[] inputs) -> Tensor[]";
  // The text says every dtype.
  static constexpr UnderAutocast kAutocast = UnderAutocast::ChangesNothing;
  static constexpr auto& composition = kadvise::composition;
  static constexpr auto& onCpu = kadvise::composition;
  static constexpr auto& onCudaStack = kadvise::onCudaStack;
  static constexpr auto& onAutogradStack = kadvise::onAutogradStack;
  static constexpr auto& onMeta = kadvise::onMeta;
};

}  // namespace

extern const Operator kRowProgram;
const Operator kRowProgram = Dispatch<RowProgram>::entry();

}  // namespace kadvise
