#include "analyzer/graph/exported_sizes.h"

#include "analyzer/core/error.h"

namespace kadvise::graph {
namespace {

using jit::Value;

struct Operation {
  const char* target;
  const char* symbol;  // "" hands its one argument on
};

constexpr Operation kOperations[] = {
    {"torch.ops.aten.sym_size.int", "aten::size"},
    {"torch.ops.aten.sym_stride.int", "aten::stride"},
    {"torch.ops.aten.sym_numel.default", "aten::numel"},
    {"torch.ops.aten.sym_storage_offset.default", "aten::storage_offset"},
    {"_operator.add", "aten::add"},
    {"_operator.sub", "aten::sub"},
    {"_operator.mul", "aten::mul"},
    {"_operator.floordiv", "aten::floordiv"},
    {"_operator.truediv", "aten::div"},
    {"_operator.mod", "aten::remainder"},
    {"_operator.neg", "aten::neg"},
    {"_operator.pos", ""},
    {"_operator.eq", "aten::eq"},
    {"_operator.ne", "aten::ne"},
    {"_operator.lt", "aten::lt"},
    {"_operator.le", "aten::le"},
    {"_operator.gt", "aten::gt"},
    {"_operator.ge", "aten::ge"},
    {"_operator.and_", "aten::__and__"},
    {"_operator.or_", "aten::__or__"},
    {"math.trunc", "aten::Int"},
    {"math.floor", "aten::floor"},
    {"math.ceil", "aten::ceil"},
    {"math.sqrt", "aten::sqrt"},
    {"torch._sym_sqrt", "aten::sqrt"},
    {"torch.sym_sqrt", "aten::sqrt"},
    {"torch.sym_int", "aten::Int"},
    {"torch.sym_float", "aten::Float"},
    {"torch.sym_max", "prim::max"},
    {"torch.sym_min", "prim::min"},
    {"torch.sym_not", "aten::__not__"},
};

const Operation* find(const std::string& target) {
  for (auto& o : kOperations)
    if (target == o.target) return &o;
  return nullptr;
}

// Python's power of two whole numbers is one; TorchScript's is a float.
Value* power(jit::Graph& graph, const std::vector<Value*>& in) {
  constexpr std::int64_t kMost = 8;
  auto exponent = in.size() == 2 ? constantInt(in[1]) : std::nullopt;
  if (!exponent || *exponent < 1 || *exponent > kMost)
    throw Error("", "computes a size as a power, other than a small constant one");
  Value* out = in[0];
  for (std::int64_t i = 1; i < *exponent; ++i) out = graph.insert(jit::aten::mul, {out, in[0]});
  return out;
}

}  // namespace

bool isSizeArithmetic(const std::string& target) {
  return find(target) || target.rfind("_operator.", 0) == 0 || target.rfind("math.", 0) == 0 ||
         target.rfind("torch.sym_", 0) == 0 || target.rfind("torch._sym_", 0) == 0;
}

Value* sizeArithmetic(const ExportedValues& values, const std::string& target, const Json& inputs) {
  std::vector<Value*> in;
  for (auto& i : inputs) in.push_back(plainValue(values, i.at("arg")));
  if (target == "_operator.pow") return power(values.graph, in);
  auto* operation = find(target);
  if (!operation) throw Error("", "computes a size by " + target + ", which kadvise does not read yet");
  if (!*operation->symbol) return in.at(0);
  try {
    return values.graph.insert(c10::Symbol::fromQualString(operation->symbol),
                               std::vector<jit::NamedValue>(in.begin(), in.end()));
  } catch (const std::exception&) {
    throw Error("", "computes a size by " + target + " of values that TorchScript has no such operation on");
  }
}

}  // namespace kadvise::graph
