#include "kernels/rowprogram/call_shapes.h"

#include "kernels/common/tensors.h"
#include "kernels/rowprogram/words.h"

#include <ATen/ExpandUtils.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>

namespace kadvise::rowprogram {
namespace {

using at::Tensor;

template <class Int>
constexpr bool kSymbolic = std::is_same_v<Int, c10::SymInt>;

template <class Int>
c10::ArrayRef<Int> ownSizes(const Tensor& tensor) {
  if constexpr (kSymbolic<Int>) return tensor.sym_sizes();
  else return tensor.sizes();
}
template <class Int>
c10::ArrayRef<Int> ownStrides(const Tensor& tensor) {
  if constexpr (kSymbolic<Int>) return tensor.sym_strides();
  else return tensor.strides();
}

bool has(std::uint32_t inputs, std::size_t i) { return (inputs >> i & 1) != 0; }

bool isTable(const Program& program, std::size_t input) {
  return program.statements[input].kind == Statement::Kind::Table;
}

template <class Int>
void broadcast(Int& into, const Int& size, int dim) {
  if (size == 1 || size == into) return;
  TORCH_CHECK(into == 1, "kadvise::row_program: sizes ", into, " and ", size, " in dimension ", dim,
              " of the iteration space do not broadcast");
  into = size;
}

// As torch.gather has it, but that a size of 1 stands for all of the index's.
template <class Int>
void checkLists(const Tensor& lists, const Sizes<Int>& ofIndex, int line) {
  const auto own = ownSizes<Int>(lists);
  const std::size_t leading = own.size() - 1, missing = ofIndex.size() - leading;
  for (std::size_t d = 0; d < leading; ++d)
    TORCH_CHECK(own[d] == 1 || ofIndex[missing + d] <= own[d], "kadvise::row_program, line ", line,
                " of the program: an index has size ", ofIndex[missing + d], " where there are ", own[d],
                " lists");
}

// An index that varied along the last dimension would read a table at other places than t[i, c].
template <class Int>
void checkIndices(const Program& program, at::TensorList inputs) {
  for (const Statement& statement : program.statements) {
    if (statement.kind != Statement::Kind::Take && statement.kind != Statement::Kind::Pick) continue;
    const Statement& index = program.statements[static_cast<std::size_t>(statement.operands[1].statement)];
    const auto sizes = sizesOf<Int>(program, inputs, index.reads, index.along);
    if (statement.kind == Statement::Kind::Pick) {
      checkLists<Int>(inputs[static_cast<std::size_t>(statement.operands[0].statement)], sizes,
                      statement.line);
      continue;
    }
    TORCH_CHECK(sizes.back() == 1, "kadvise::row_program, line ", statement.line,
                " of the program: an index has size 1 in the last dimension, not ", sizes.back());
  }
}

template <class Int>
void checkShapes(const Program& program, at::TensorList inputs) {
  sizesOf<Int>(program, inputs, ~std::uint32_t{0}, ~std::uint32_t{0});
  if (program.takes || program.picks) checkIndices<Int>(program, inputs);
}

bool isExpanded(const Tensor& tensor) {
  for (std::int64_t d = 0; d < tensor.dim(); ++d)
    if (tensor.stride(d) == 0 && tensor.size(d) > 1) return true;
  return false;
}

template <class Int>
Sizes<Int> contiguousStrides(const Sizes<Int>& sizes) {
  Sizes<Int> strides(sizes.size(), Int(1));
  for (std::size_t d = sizes.size(); d-- > 1;)
    strides[d - 1] = sizes[d] == 0 ? strides[d] : strides[d] * sizes[d];
  return strides;
}

// Dense, in the order of the first tensor of these sizes that has an order.
template <class Int>
void layOut(const Program& program, at::TensorList inputs, std::uint32_t along, Layout<Int>& form) {
  const auto take = [&form](auto strides) {
    form.strides.assign(strides.begin(), strides.end());
    form.isContiguous = false;
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& t = inputs[i];
    if (!has(along, i) || isTable(program, i) || ownSizes<Int>(t) != c10::ArrayRef<Int>(form.sizes)) continue;
    if (t.is_contiguous()) break;
    if (t.is_non_overlapping_and_dense()) return take(ownStrides<Int>(t));
    const Tensor inNumbers = withoutSymbols(t);
    if (!isExpanded(inNumbers)) return take(at::infer_dense_strides(inNumbers.sizes(), inNumbers.strides()));
  }
  form.strides = contiguousStrides(form.sizes);
}

template <class Int>
Tensor allocated(at::TensorList inputs, const Output& output, const Layout<Int>& form) {
  return empty(form, at::TensorOptions(deviceOf(inputs)).dtype(dtypeOf(output, isWide(inputs))));
}

template <class Int>
std::vector<Tensor> allocatedOutputs(const Program& program, at::TensorList inputs) {
  std::vector<Tensor> outputs;
  outputs.reserve(program.outputs.size());
  for (const Output& output : program.outputs)
    outputs.push_back(allocated(inputs, output, layoutOf<Int>(program, inputs, output)));
  return outputs;
}

bool isHeldByCallAlone(const Tensor& tensor) {
  return tensor.use_count() == 1 && tensor.storage().use_count() == 1;
}

// As a new tensor would be: the output may be needed where gradients are.
bool isPlain(const Tensor& tensor) {
  return !tensor.requires_grad() && !tensor._fw_grad(/*level=*/0).defined() &&
         tensor.is_inference() == c10::InferenceMode::is_enabled();
}

bool liesAs(const Tensor& tensor, const Layout<std::int64_t>& form) {
  return tensor.sizes() == at::IntArrayRef(form.sizes) && tensor.strides() == at::IntArrayRef(form.strides);
}

}  // namespace

// ---- dtypes

at::ScalarType scalarType(Element element) {
  constexpr at::ScalarType kTypes[] = {at::kBool, at::kByte, at::kChar,     at::kShort, at::kInt,
                                       at::kLong, at::kHalf, at::kBFloat16, at::kFloat, at::kDouble};
  return kTypes[static_cast<std::size_t>(element)];
}

bool isWide(at::TensorList inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const Tensor& t) { return t.scalar_type() == at::kDouble; });
}

at::ScalarType computedIn(Type type, bool isWide) {
  if (type == Type::Bool) return at::kBool;
  if (type == Type::Int) return at::kLong;
  return isWide ? at::kDouble : at::kFloat;
}

at::ScalarType dtypeOf(const Output& output, bool isWide) {
  const bool isFloat = wordOf(output.element).type == Type::Float;
  return isFloat && isWide ? at::kDouble : scalarType(output.element);
}

// ---- inputs

namespace {

void checkInputs(const Program& program, at::TensorList inputs) {
  TORCH_CHECK(static_cast<int>(inputs.size()) == program.inputs, "kadvise::row_program: the program has ",
              program.inputs, " inputs, ", inputs.size(), " were given");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Statement& statement = program.statements[i];
    const Tensor& t = inputs[i];
    TORCH_CHECK(t.defined(), "kadvise::row_program: input '", statement.name, "' is not there");
    const auto dtype = scalarType(statement.element);
    const bool fits =
        t.scalar_type() == dtype || (statement.type == Type::Float && t.scalar_type() == at::kDouble);
    TORCH_CHECK(fits, "kadvise::row_program: input '", statement.name, "' is ", t.scalar_type(),
                ", the program was made for ", dtype);
    if (statement.kind == Statement::Kind::Table) {
      TORCH_CHECK(t.dim() == 2, "kadvise::row_program: table '", statement.name, "' has ", t.dim(),
                  " dimensions, not 2");
    } else if (statement.kind == Statement::Kind::Lists) {
      TORCH_CHECK(t.dim() > 0 && t.dim() <= program.rank + 1, "kadvise::row_program: lists '", statement.name,
                  "' have ", t.dim(), " dimensions, the program was made for 1 to ", program.rank + 1);
    } else {
      TORCH_CHECK(t.dim() <= program.rank, "kadvise::row_program: input '", statement.name, "' has ", t.dim(),
                  " dimensions, the program was made for ", program.rank, " at most");
    }
  }
}

}  // namespace

void checkCall(const Program& program, at::TensorList inputs) {
  checkInputs(program, inputs);
  if (haveSymbols(inputs)) checkShapes<c10::SymInt>(program, inputs);
  else checkShapes<std::int64_t>(program, inputs);
}

bool haveSymbols(at::TensorList inputs) { return std::any_of(inputs.begin(), inputs.end(), hasSymbols); }

at::Device deviceOf(at::TensorList inputs) {
  for (const Tensor& t : inputs)
    if (!t.is_cpu()) return t.device();
  return inputs[0].device();
}

// ---- shapes

template <class Int>
Sizes<Int> sizesOf(const Program& program, at::TensorList inputs, std::uint32_t reads, std::uint32_t along) {
  Sizes<Int> all(static_cast<std::size_t>(program.rank), Int(1));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!has(reads, i) || program.statements[i].kind == Statement::Kind::Lists) continue;
    const bool table = isTable(program, i);
    const auto own = ownSizes<Int>(inputs[i]);
    const auto sizes = table ? own.slice(1) : own;  // of a table its columns
    const int first = program.rank - static_cast<int>(sizes.size());
    for (int d = first; d < program.rank; ++d) {
      if (isReduced(program, d) && !has(along, i)) continue;
      broadcast(all[static_cast<std::size_t>(d)], sizes[static_cast<std::size_t>(d - first)], d);
    }
  }
  return all;
}

Sizes<std::int64_t> droppedDims(const Program& program, at::TensorList inputs, const Output& output) {
  const Statement& value = program.statements[static_cast<std::size_t>(output.statement)];
  int dims = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (has(value.reads, i))
      dims = std::max(dims, isTable(program, i) ? 1 : static_cast<int>(inputs[i].dim()));
  Sizes<std::int64_t> dropped;
  for (int d = 0; d < program.rank; ++d)
    if (d < program.rank - dims || (output.dropsReduced && isReduced(program, d))) dropped.push_back(d);
  return dropped;
}

template <class Int>
Layout<Int> layoutOf(const Program& program, at::TensorList inputs, const Output& output) {
  const Statement& value = program.statements[static_cast<std::size_t>(output.statement)];
  const auto all = sizesOf<Int>(program, inputs, value.reads, value.along);
  const auto dropped = droppedDims(program, inputs, output);
  Layout<Int> form;
  for (std::size_t d = 0; d < all.size(); ++d)
    if (std::find(dropped.begin(), dropped.end(), d) == dropped.end()) form.sizes.push_back(all[d]);
  if (output.isContiguous) form.strides = contiguousStrides(form.sizes);
  else layOut(program, inputs, value.along, form);
  return form;
}

template <class Int>
Tensor empty(const Layout<Int>& form, const at::TensorOptions& options) {
  if constexpr (kSymbolic<Int>) {
    return form.isContiguous ? at::empty_symint(form.sizes, options)
                             : at::empty_strided_symint(form.sizes, form.strides, options);
  } else {
    return form.isContiguous ? at::empty(form.sizes, options)
                             : at::empty_strided(form.sizes, form.strides, options);
  }
}

template Sizes<std::int64_t> sizesOf(const Program&, at::TensorList, std::uint32_t, std::uint32_t);
template Sizes<c10::SymInt> sizesOf(const Program&, at::TensorList, std::uint32_t, std::uint32_t);
template Layout<std::int64_t> layoutOf(const Program&, at::TensorList, const Output&);
template Layout<c10::SymInt> layoutOf(const Program&, at::TensorList, const Output&);
template Tensor empty(const Layout<std::int64_t>&, const at::TensorOptions&);
template Tensor empty(const Layout<c10::SymInt>&, const at::TensorOptions&);

std::vector<Tensor> emptyOutputs(const Program& program, at::TensorList inputs) {
  return haveSymbols(inputs) ? allocatedOutputs<c10::SymInt>(program, inputs)
                             : allocatedOutputs<std::int64_t>(program, inputs);
}

std::vector<Tensor> outputsOverInputs(const Program& program, at::TensorList inputs) {
  const at::Device device = deviceOf(inputs);
  std::vector<Tensor> outputs;
  outputs.reserve(program.outputs.size());
  for (const Output& output : program.outputs) {
    const auto form = layoutOf<std::int64_t>(program, inputs, output);
    const Tensor* over = output.over >= 0 ? &inputs[static_cast<std::size_t>(output.over)] : nullptr;
    const bool isUsed = over != nullptr && isHeldByCallAlone(*over) && isPlain(*over) &&
                        over->device() == device && liesAs(*over, form);
    outputs.push_back(isUsed ? *over : allocated(inputs, output, form));
  }
  return outputs;
}

}  // namespace kadvise::rowprogram
