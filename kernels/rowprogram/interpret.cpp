#include "kernels/rowprogram/interpret.h"

#include "kernels/common/dispatch.h"
#include "kernels/rowprogram/aten_operators.h"
#include "kernels/rowprogram/call_shapes.h"

#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/scalar_tensor.h>

#include <algorithm>
#include <optional>

namespace kadvise::rowprogram {
namespace {

using at::Tensor;

// Every value has the program's rank.
struct Run {
  const Program& program;
  at::TensorList inputs;
  bool isWide;
  at::Device device;
  std::vector<Tensor> values;  // by statement

  at::ScalarType dtype(Type type) const { return computedIn(type, isWide); }
  const Tensor& value(const Operand& operand) const {
    return values[static_cast<std::size_t>(operand.statement)];
  }
};

// What a statement's operand is in the type that it computes in.
Tensor operandAs(const Run& run, const Operand& operand, Type type) {
  if (operand.statement >= 0) return run.value(operand).to(run.dtype(type));
  const auto options = at::TensorOptions(run.device).dtype(run.dtype(type));
  if (type == Type::Bool) return at::scalar_tensor(operand.number != 0, options);
  if (type == Type::Int) return at::scalar_tensor(static_cast<std::int64_t>(operand.number), options);
  return at::scalar_tensor(operand.number, options);
}

// On the call's device: a number in a tensor may lie on the CPU, as ATen has it. Filled in, so that a CUDA
// graph can capture it.
Tensor onDevice(const Run& run, const Tensor& input) {
  if (input.device() == run.device) return input;
  TORCH_CHECK(input.is_cpu() && input.dim() == 0, "kadvise::row_program: inputs are on ", input.device(),
              " and ", run.device, ": move them to one device");
  return at::empty({}, input.options().device(run.device)).fill_(input);
}

Tensor inputValue(const Run& run, const Statement& statement) {
  Tensor value = onDevice(run, run.inputs[static_cast<std::size_t>(statement.input)]);
  if (statement.kind == Statement::Kind::Table) return value;
  const bool areLists = statement.kind == Statement::Kind::Lists;
  while (value.dim() < run.program.rank + (areLists ? 1 : 0)) value = value.unsqueeze(0);
  if (areLists) return value;
  return value.to(run.dtype(statement.type));
}

Tensor takeValue(const Run& run, const Statement& statement) {
  const Tensor& index = run.value(statement.operands[1]);
  return at::embedding(run.value(statement.operands[0]), index.squeeze(-1)).to(run.dtype(statement.type));
}

// torch.gather needs as many lists as there are indices.
Tensor pickValue(const Run& run, const Statement& statement) {
  const Tensor& lists = run.value(statement.operands[0]);
  const Tensor index = run.value(statement.operands[1]).unsqueeze(-1);
  auto sizes = lists.sym_sizes().vec();
  for (std::size_t d = 0; d + 1 < sizes.size(); ++d)
    if (sizes[d] == 1) sizes[d] = index.sym_sizes()[d];
  return at::gather(lists.expand_symint(sizes), -1, index).squeeze(-1).to(run.dtype(statement.type));
}

Tensor castValue(const Run& run, const Statement& statement) {
  const Tensor& value = run.value(statement.operands[0]);
  const bool isFloat = statement.type == Type::Float;
  if (run.isWide && isFloat) return value.to(at::kDouble);
  return value.to(scalarType(statement.element)).to(run.dtype(statement.type));
}

Tensor pointwiseValue(const Run& run, const Statement& statement) {
  const auto& operands = statement.operands;
  // torch's power by a number is not its power by a tensor: -inf ** 0.5 is NaN.
  if (statement.pointwise == Pointwise::Pow && operands[1].statement < 0)
    return at::pow(operandAs(run, operands[0], statement.operandType), operands[1].number);
  c10::SmallVector<Tensor, 3> values;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool isCondition = statement.pointwise == Pointwise::Where && i == 0;
    values.push_back(operandAs(run, operands[i], isCondition ? Type::Bool : statement.operandType));
  }
  return computed(statement.pointwise, {values.data(), values.size()});
}

Tensor valueOf(const Run& run, const Statement& statement) {
  switch (statement.kind) {
    case Statement::Kind::Input:
    case Statement::Kind::Table:
    case Statement::Kind::Lists:
      return inputValue(run, statement);
    case Statement::Kind::Take:
      return takeValue(run, statement);
    case Statement::Kind::Pick:
      return pickValue(run, statement);
    case Statement::Kind::Cast:
      return castValue(run, statement);
    case Statement::Kind::Pointwise:
      return pointwiseValue(run, statement);
    case Statement::Kind::Reduce:
      break;
  }
  const Sizes<std::int64_t> dims(run.program.reduced.begin(), run.program.reduced.end());
  return reduced(statement.reduction, run.value(statement.operands[0]), dims);
}

// For each statement the last one that reads it, so that memory is given back as soon as it can be; none for
// what no output needs.
constexpr std::size_t kNever = 0;
std::vector<std::size_t> lastReaders(const Program& program) {
  const std::size_t count = program.statements.size();
  std::vector<std::size_t> last(count, kNever);
  for (const Output& output : program.outputs) last[static_cast<std::size_t>(output.statement)] = count;
  for (std::size_t i = count; i-- > 0;) {
    if (last[i] == kNever) continue;
    for (const Operand& operand : program.statements[i].operands) {
      if (operand.statement < 0) continue;
      std::size_t& reader = last[static_cast<std::size_t>(operand.statement)];
      reader = std::max(reader, i);
    }
  }
  return last;
}

template <class Int>
bool isLaidOutAs(const Tensor& value, const Layout<Int>& form) {
  const c10::ArrayRef<Int> strides(form.strides);
  if constexpr (std::is_same_v<Int, c10::SymInt>) return value.sym_strides() == strides;
  else return value.strides() == strides;
}

// In its own memory, as the kernels give it.
template <class Int>
Tensor outputOf(const Run& run, const Output& output, const std::vector<Tensor>& before) {
  Tensor value = run.values[static_cast<std::size_t>(output.statement)];
  const auto dropped = droppedDims(run.program, run.inputs, output);
  if (!dropped.empty()) value = value.squeeze(at::IntArrayRef(dropped));
  value = value.to(dtypeOf(output, run.isWide));
  const auto shares = [&](const Tensor& other) { return value.is_alias_of(other); };
  const bool isShared = std::any_of(run.inputs.begin(), run.inputs.end(), shares) ||
                        std::any_of(before.begin(), before.end(), shares);
  const Layout<Int> form = layoutOf<Int>(run.program, run.inputs, output);
  return !isShared && isLaidOutAs(value, form) ? value : empty(form, value.options()).copy_(value);
}

// The outputs where none has an element. Indices are looked at all the same, and gradients need their graph.
std::optional<std::vector<Tensor>> nothingToCompute(const Program& program, at::TensorList inputs) {
  const auto isEmpty = [](const Tensor& tensor) { return tensor.numel() == 0; };
  if (haveSymbols(inputs) || needsGradient(inputs) || program.takes || program.picks) return std::nullopt;
  if (std::none_of(inputs.begin(), inputs.end(), isEmpty)) return std::nullopt;
  auto outputs = emptyOutputs(program, inputs);
  if (!std::all_of(outputs.begin(), outputs.end(), isEmpty)) return std::nullopt;
  return outputs;
}

}  // namespace

std::vector<Tensor> interpret(const Program& program, at::TensorList inputs) {
  checkCall(program, inputs);
  if (auto nothing = nothingToCompute(program, inputs)) return *std::move(nothing);
  Run run{program, inputs, isWide(inputs), deviceOf(inputs), std::vector<Tensor>(program.statements.size())};
  const auto last = lastReaders(program);
  for (std::size_t i = 0; i < program.statements.size(); ++i) {
    if (last[i] == kNever) continue;
    run.values[i] = valueOf(run, program.statements[i]);
    for (const Operand& operand : program.statements[i].operands)
      if (operand.statement >= 0 && last[static_cast<std::size_t>(operand.statement)] == i)
        run.values[static_cast<std::size_t>(operand.statement)] = Tensor();
  }
  const bool symbols = haveSymbols(inputs);
  std::vector<Tensor> outputs;
  for (const Output& output : program.outputs)
    outputs.push_back(symbols ? outputOf<c10::SymInt>(run, output, outputs)
                              : outputOf<std::int64_t>(run, output, outputs));
  return outputs;
}

}  // namespace kadvise::rowprogram
