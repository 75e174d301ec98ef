#include "kernels/rowprogram/call_problem.h"

#include "kernels/rowprogram/call_shapes.h"
#include "kernels/rowprogram/words.h"

#include <bit>

namespace kadvise::rowprogram {
namespace {

using at::Tensor;

constexpr int kAligned = 16;  // bytes of the widest access

// A tensor over all dimensions of the iteration space, before they are joined.
struct Walker {
  const Tensor* tensor;
  Statement::Kind kind;                        // of an input: Input, Table or Lists
  std::array<std::int64_t, kMostRank> stride;  // by dimension of the space; 0 where it is broadcast
};
using Walkers = c10::SmallVector<Walker, 8>;

// Dimensions in the order of memory, the fastest last, as places in the space.
using Order = c10::SmallVector<int, kMostRank>;

struct Space {
  const Program& program;
  Sizes<std::int64_t> sizes;
  std::uint32_t reduced = 0;  // bits of dimensions
  Walkers walkers;            // inputs, then outputs

  bool isReduced(int dim) const { return (reduced >> dim & 1) != 0; }
  std::int64_t size(int dim) const { return sizes[static_cast<std::size_t>(dim)]; }
};

// ---- what the generator does not serve

// Of the dimensions for which `isReduced` is as asked. Nothing beyond 64 bits.
std::optional<std::int64_t> points(const Space& space, const Sizes<std::int64_t>& sizes, bool ofReduced) {
  std::int64_t count = 1;
  for (int d = 0; d < space.program.rank; ++d) {
    if (space.isReduced(d) != ofReduced) continue;
    if (__builtin_mul_overflow(count, sizes[static_cast<std::size_t>(d)], &count)) return std::nullopt;
  }
  return count;
}

const char* unservedTensor(const Tensor& tensor, at::Device device) {
  if (tensor.device() != device && !isNumberOfHost(tensor, device)) return "a tensor lies elsewhere";
  if (tensor.layout() != at::kStrided || tensor.is_neg()) return "a tensor is not plain memory";
  if (tensor.scalar_type() == at::kDouble) return "float64 is computed by torch";
  return nullptr;
}

// A kernel walks the whole space: for what spans less of it, it would add the same element several times, or
// write it several times.
const char* unservedShape(const Space& space, at::TensorList inputs, at::TensorList outputs) {
  const auto rows = points(space, space.sizes, false), columns = points(space, space.sizes, true);
  std::int64_t all = 0;
  if (!rows || !columns || __builtin_mul_overflow(*rows, *columns, &all)) return "more than 2^63 points";
  if (all == 0) return "there is nothing to compute";
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& value =
        space.program.statements[static_cast<std::size_t>(space.program.outputs[i].statement)];
    if (outputs[i].numel() != (value.extent == Extent::Row ? *rows : all))
      return "an output is smaller than the iteration space";
  }
  for (const Statement& statement : space.program.statements) {
    if (statement.kind != Statement::Kind::Reduce) continue;
    const auto& value = space.program.statements[static_cast<std::size_t>(statement.operands[0].statement)];
    if (points(space, sizesOf<std::int64_t>(space.program, inputs, value.reads, value.along), true) !=
        columns)
      return "a reduction goes over less than the iteration space";
  }
  return nullptr;
}

// ---- strides by dimension of the space

// Of lists a kernel reads only those that the index has a place for: one, where its size is 1.
void limitLists(const Space& space, at::TensorList inputs, std::size_t lists, Walker& walker) {
  for (const Statement& pick : space.program.statements) {
    if (pick.kind != Statement::Kind::Pick || pick.operands[0].statement != static_cast<int>(lists)) continue;
    const auto& index = space.program.statements[static_cast<std::size_t>(pick.operands[1].statement)];
    const auto sizes = sizesOf<std::int64_t>(space.program, inputs, index.reads, index.along);
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (sizes[d] == 1) walker.stride[d] = 0;
  }
}

Walker inputWalker(const Space& space, at::TensorList inputs, std::size_t i) {
  const Tensor& tensor = inputs[i];
  const Statement::Kind kind = space.program.statements[i].kind;
  Walker walker{&tensor, kind, {}};
  if (kind == Statement::Kind::Table) return walker;
  const bool areLists = kind == Statement::Kind::Lists;  // whose last dimension is in no space
  const auto sizes = tensor.sizes().slice(0, static_cast<std::size_t>(tensor.dim()) - (areLists ? 1 : 0));
  const int missing = space.program.rank - static_cast<int>(sizes.size());
  const auto strides = tensor.strides();
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (sizes[k] != 1) walker.stride[static_cast<std::size_t>(missing) + k] = strides[k];
  if (areLists) limitLists(space, inputs, i, walker);
  return walker;
}

Walker outputWalker(const Space& space, at::TensorList inputs, const Output& output, const Tensor& tensor) {
  Walker walker{&tensor, Statement::Kind::Input, {}};
  const auto dropped = droppedDims(space.program, inputs, output);
  const auto strides = tensor.strides();
  std::size_t k = 0;
  for (int d = 0; d < space.program.rank; ++d) {
    if (std::find(dropped.begin(), dropped.end(), d) != dropped.end()) continue;
    if (tensor.sizes()[k] != 1) walker.stride[static_cast<std::size_t>(d)] = strides[k];
    ++k;
  }
  return walker;
}

// ---- order and joining

// Below 0: `a` is the faster dimension. The first tensor that steps along both decides; outputs come first,
// since writes scattered over memory cost more than such reads.
int compare(const Space& space, int a, int b) {
  const std::size_t count = space.walkers.size(), outputs = space.program.outputs.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto& stride = space.walkers[(i + count - outputs) % count].stride;
    const std::int64_t ofA = stride[static_cast<std::size_t>(a)], ofB = stride[static_cast<std::size_t>(b)];
    if (ofA != 0 && ofB != 0 && ofA != ofB) return ofA < ofB ? -1 : 1;
  }
  return 0;
}

// By insertion, since tensors that do not know both dimensions make an order that is not a strict one.
void sortByMemory(const Space& space, Order& order) {
  for (std::size_t i = 1; i < order.size(); ++i)
    for (std::size_t at = i; at > 0; --at) {
      const int sign = compare(space, order[at - 1], order[at]);
      if (sign > 0) break;
      if (sign < 0) std::swap(order[at - 1], order[at]);
    }
}

// A gather needs to know the column: the last dimension stays what it is, even with size 1.
bool isColumn(const Space& space, int dim) { return space.program.takes && dim == space.program.rank - 1; }

Order orderOf(const Space& space, bool ofReduced) {
  Order order;
  bool hasColumn = false;
  for (int d = 0; d < space.program.rank; ++d) {
    if (space.isReduced(d) != ofReduced) continue;
    if (isColumn(space, d)) hasColumn = true;
    else if (space.size(d) != 1) order.push_back(d);
  }
  sortByMemory(space, order);
  if (hasColumn) order.push_back(space.program.rank - 1);
  return order;
}

// Dimensions that became one: the last of them has the strides.
struct Joined {
  std::int64_t size;
  int last;
};
using JoinedDims = c10::SmallVector<Joined, kMostRank>;

bool stepsOver(const Space& space, const Joined& slow, const Joined& fast) {
  if (isColumn(space, fast.last)) return false;
  for (const Walker& walker : space.walkers) {
    const auto stride = [&](const Joined& dim) { return walker.stride[static_cast<std::size_t>(dim.last)]; };
    if (walker.kind != Statement::Kind::Table && stride(slow) != stride(fast) * fast.size) return false;
  }
  return true;
}

JoinedDims joined(const Space& space, const Order& order) {
  JoinedDims dims;
  for (const int d : order) {
    const Joined next{space.size(d), d};
    if (!dims.empty() && stepsOver(space, dims.back(), next)) dims.back() = {dims.back().size * next.size, d};
    else dims.push_back(next);
  }
  return dims;
}

// ---- the problem

Dims stridesOf(const Walker& walker, const JoinedDims& dims) {
  Dims strides;
  for (const Joined& dim : dims)
    strides.push_back(dim.last < 0 ? 1 : walker.stride[static_cast<std::size_t>(dim.last)]);
  return strides;
}

int addressOf(const Tensor& tensor, bool isNumber) {
  if (isNumber) return kAligned;
  std::uint64_t all = kAligned;
  if (!tensor.is_meta()) all |= reinterpret_cast<std::uintptr_t>(tensor.const_data_ptr());
  return 1 << std::countr_zero(all);
}

int alignmentOf(const Access& access, int bytes) {
  auto all = static_cast<std::uint64_t>(access.address);
  for (const std::int64_t stride : access.outer)
    all |= static_cast<std::uint64_t>(stride) * static_cast<std::uint64_t>(bytes);
  for (std::size_t i = 0; i + 1 < access.inner.size(); ++i)
    all |= static_cast<std::uint64_t>(access.inner[i]) * static_cast<std::uint64_t>(bytes);
  return 1 << std::countr_zero(all);
}

Access accessOf(const Space& space, const Walker& walker, Element element, const JoinedDims& outer,
                const JoinedDims& inner) {
  Access access;
  access.element = element;
  access.isNumber = isNumberOfHost(*walker.tensor, space.walkers.back().tensor->device());
  if (walker.kind == Statement::Kind::Table) {
    access.inner = {walker.tensor->stride(0), walker.tensor->stride(1)};
  } else {
    access.outer = stridesOf(walker, outer);
    access.inner = stridesOf(walker, inner);
  }
  if (walker.kind == Statement::Kind::Lists) access.step = walker.tensor->stride(-1);
  access.address = addressOf(*walker.tensor, access.isNumber);
  access.alignment = alignmentOf(access, wordOf(element).bytes);
  return access;
}

Problem build(const Space& space, JoinedDims outer, JoinedDims inner) {
  const Program& program = space.program;
  if (program.reduced.empty() && !outer.empty()) {
    inner.push_back(outer.back());
    outer.pop_back();
  }
  if (inner.empty()) inner.push_back({1, -1});  // one point in each row
  Problem problem;
  problem.program = &program;
  for (const Joined& dim : outer) problem.outer.push_back(dim.size);
  for (const Joined& dim : inner) problem.inner.push_back(dim.size);
  const auto inputs = static_cast<std::size_t>(program.inputs);
  problem.inputs.reserve(inputs);
  problem.outputs.reserve(program.outputs.size());
  problem.bounds.resize(inputs, 0);
  for (std::size_t i = 0; i < inputs; ++i) {
    problem.inputs.push_back(accessOf(space, space.walkers[i], program.statements[i].element, outer, inner));
    const Walker& walker = space.walkers[i];
    if (walker.kind == Statement::Kind::Table) problem.bounds[i] = walker.tensor->size(0);
    else if (walker.kind == Statement::Kind::Lists) problem.bounds[i] = walker.tensor->size(-1);
  }
  for (std::size_t i = 0; i < program.outputs.size(); ++i)
    problem.outputs.push_back(
        accessOf(space, space.walkers[inputs + i], program.outputs[i].element, outer, inner));
  return problem;
}

}  // namespace

bool isNumberOfHost(const Tensor& tensor, at::Device device) {
  return tensor.dim() == 0 && tensor.is_cpu() && !device.is_cpu();
}

std::optional<Problem> problemOf(const Program& program, at::TensorList inputs, at::TensorList outputs,
                                 const char** whyNot) {
  Space space{program, sizesOf<std::int64_t>(program, inputs, ~std::uint32_t{0}, ~std::uint32_t{0}), 0, {}};
  for (const int dim : program.reduced) space.reduced |= std::uint32_t{1} << dim;
  const char* reason = nullptr;
  for (const Tensor& input : inputs)
    if (reason == nullptr) reason = unservedTensor(input, outputs[0].device());
  if (reason == nullptr) reason = unservedShape(space, inputs, outputs);
  if (reason == nullptr && program.takes && !program.reduced.empty() && !space.isReduced(program.rank - 1))
    reason = "a gather along a dimension that is not reduced";
  if (reason != nullptr) {
    if (whyNot != nullptr) *whyNot = reason;
    return std::nullopt;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) space.walkers.push_back(inputWalker(space, inputs, i));
  for (std::size_t i = 0; i < outputs.size(); ++i)
    space.walkers.push_back(outputWalker(space, inputs, program.outputs[i], outputs[i]));
  return build(space, joined(space, orderOf(space, false)), joined(space, orderOf(space, true)));
}

}  // namespace kadvise::rowprogram
