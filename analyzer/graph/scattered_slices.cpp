#include "analyzer/graph/scattered_slices.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analyzer/graph/channels_last_choice.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/placement.h"
#include "analyzer/graph/row_writer.h"
#include "analyzer/graph/slice_writes.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;

constexpr std::size_t kMostParts = 8;  // as kadvise::scatter_slices has (kernels/scatter_slices/launch.h)
constexpr std::size_t kMostDims = 6;

// A tensor that is filled with one number, or with none, and the first writes to it.
struct Scatter {
  Node* maker;
  std::vector<SliceWrite> parts;
  std::string rest;  // of the body: the number
  bool isUnset;      // empty() leaves the rest as it is
  std::vector<std::int64_t> shape;
};

std::optional<std::string> numberText(const c10::IValue& v) {
  if (v.isInt()) return std::to_string(v.toInt());
  if (v.isBool()) return v.toBool() ? "1" : "0";
  if (!v.isDouble() || std::isnan(v.toDouble())) return std::nullopt;  // no constant is equal to NaN
  if (std::isinf(v.toDouble())) return v.toDouble() < 0 ? "float(\"-inf\")" : "float(\"inf\")";
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", v.toDouble());
  std::string out = text;
  return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

std::optional<std::string> restOf(const Node* maker) {
  std::string_view kind = maker->kind().toQualString();
  if (kind.find("ones") != kind.npos) return "1";
  if (kind.find("full") == kind.npos) return "0";
  Value* v = argumentNamed(maker, "fill_value");
  auto number = v ? jit::toIValue(v) : std::nullopt;
  return number ? numberText(*number) : std::nullopt;
}

// The replacement has the dtype and the device of the first part: what the maker is given for them must be
// what the run has shown in every call. Of the tensors that it asks, the ranks and dtypes are checked in
// each.
bool isAsSeen(const Node* maker) {
  auto isFixed = [&](const char* name) {
    Value* v = argumentNamed(maker, name);
    return !v || jit::toIValue(v).has_value();
  };
  Value* device = argumentNamed(maker, "device");
  return isFixed("dtype") && (isFixed("device") || device->node()->kind() == jit::prim::device);
}

bool areNumbers(const SliceWrite& part) {
  return std::all_of(part.views.begin(), part.views.end(), [](Node* view) {
    return std::all_of(view->inputs().begin() + 1, view->inputs().end(), [](Value* in) {
      return jit::toIValue(in).has_value() || in->type()->kind() == c10::TypeKind::IntType;
    });
  });
}

// Has the whole's dtype and lies where the whole does. Attributes, which no run has shown, lie where the
// module runs.
bool isLike(const TracedValue& whole, Value* source, const Analysis& a) {
  if (auto* seen = a.traced.find(source))
    return !seen->varies && seen->dtype == whole.dtype && seen->device == whole.device;
  auto path = a.module ? attributePath(source) : std::nullopt;
  auto attribute = path ? attributeAt(*a.module, *path) : c10::IValue();
  return attribute.isTensor() && attribute.toTensor().scalar_type() == whole.dtype &&
         whole.device.starts_with(a.target.device);
}

// Copies such a tensor. It is read behind the last write: nobody may write it from the first on, so it is no
// view of the whole either.
bool isServed(const SliceWrite& part, Node* maker, const TracedValue& whole, const Analysis& a) {
  if (part.write->kind() != aten::copy_ || !areNumbers(part)) return false;
  Value* source = part.write->input(1);
  return isTensor(source) && isLike(whole, source, a) && !a.aliases.hasWritersFrom(source, maker);
}

// What lies with channels last stays: convolutions read it so, and what takes its place lies in the order of
// its dimensions.
std::optional<Scatter> scatterAt(Node* maker, const Analysis& a) {
  auto* whole = makesFilled(maker) ? a.traced.find(maker->output()) : nullptr;
  if (!whole || whole->varies || !isRowDtype(whole->dtype) || whole->shape.empty() ||
      whole->shape.size() > kMostDims || layoutOf(*whole) == ImageLayout::Last || !isAsSeen(maker))
    return std::nullopt;
  auto rest = restOf(maker);
  if (!rest) return std::nullopt;
  auto [parts, reader] = sliceWritesOf(maker);
  const bool isUnset = std::string_view(maker->kind().toQualString()).find("empty") != std::string_view::npos;
  Scatter out{maker, {}, *rest, isUnset, whole->shape};
  for (auto& part : parts) {
    bool isSeen = reader && reader->kind() != jit::prim::Return && reader->isBefore(part.write);
    if (isSeen || out.parts.size() == kMostParts || !isServed(part, maker, *whole, a)) break;
    out.parts.push_back(part);
  }
  // Nothing fills an empty tensor: one copy into it is one kernel already.
  if (out.parts.size() < (out.isUnset ? 2u : 1u)) return std::nullopt;
  return out;
}

// What the body calls an operand: the parameter, or the number that it is.
std::string operandText(const std::vector<Value*>& parameters, Value* v, std::int64_t none) {
  if (auto constant = jit::toIValue(v)) return std::to_string(constant->isInt() ? constant->toInt() : none);
  return parameterName(parameters, v);
}

std::string viewText(const std::vector<Value*>& parameters, Node* view) {
  auto text = [&](std::size_t i, std::int64_t none) {
    return i < view->inputs().size() ? operandText(parameters, view->input(i), none) : std::to_string(none);
  };
  if (view->kind() == aten::select) return text(1, 0) + ", " + text(2, 0) + ", 0, 0";
  return text(1, 0) + ", " + text(2, 0) + ", " + text(3, std::numeric_limits<std::int64_t>::max()) + ", " +
         text(4, 1);
}

// The list of sizes where the maker is given one.
Value* sizesOf(const Node* maker) { return argumentNamed(maker, "size"); }

std::string listText(const std::vector<std::int64_t>& numbers) {
  std::string out;
  for (auto n : numbers) out += (out.empty() ? "" : ", ") + std::to_string(n);
  return "[" + out + "]";
}

std::string sizesText(const Scatter& s, const std::vector<Value*>& parameters) {
  Value* sizes = sizesOf(s.maker);
  auto list = sizes ? jit::toIValue(sizes) : std::nullopt;
  if (list) return listText(list->toIntVector());
  if (!sizes) {
    Value* like = s.maker->inputs()[0];
    return jit::toIValue(like) ? listText(s.shape) : parameterName(parameters, like) + ".size()";
  }
  if (sizes->node()->kind() != jit::prim::ListConstruct) return parameterName(parameters, sizes);
  std::string out;
  for (Value* size : sizes->node()->inputs())
    out += (out.empty() ? "" : ", ") + operandText(parameters, size, 0);
  return "[" + out + "]";
}

std::vector<Node*> nodesOf(const Scatter& s) {
  std::vector<Node*> nodes;
  Value* sizes = sizesOf(s.maker);
  if (sizes && sizes->node()->kind() == jit::prim::ListConstruct) nodes.push_back(sizes->node());
  nodes.push_back(s.maker);
  for (auto& part : s.parts) {
    nodes.insert(nodes.end(), part.views.begin(), part.views.end());
    nodes.push_back(part.write);
  }
  sortByPlace(nodes);
  return nodes;
}

MadeRewrite rewriteOf(const Scatter& s) {
  MadeRewrite made;
  std::vector<Value*> results = {s.maker->output()}, parameters;
  for (auto& part : s.parts) results.push_back(part.write->output());
  for (auto* v : results) made.roots.push_back(v->node());
  auto pattern = patternOf(nodesOf(s), results, parameters);
  pattern->anchor = s.parts.size();  // where all that is written has been computed
  std::string tensors, slices;
  for (auto& part : s.parts) {
    tensors += (tensors.empty() ? "" : ", ") + parameterName(parameters, part.write->input(1));
    slices += (slices.empty() ? "" : ", ") + std::to_string(part.views.size());
    for (Node* view : part.views) slices += ", " + viewText(parameters, view);
  }
  made.replacement = replacementOf(*pattern,
                                   "    return ops.kadvise.scatter_slices([" + tensors + "], [" + slices +
                                       "], " + sizesText(s, parameters) + ", " + s.rest + ")\n",
                                   {5, Exactness::Exact, "", "one kernel writes every element once"});
  made.pattern = pattern;
  return made;
}

CodedFinding findingAt(const Scatter& s) {
  CodedFinding f;
  f.node = s.maker;
  auto count = s.parts.size();
  std::string copies =
      count == 1 ? "another writes a slice of it" : std::to_string(count) + " more write slices of it";
  f.message = s.isUnset ? std::to_string(count) + " kernels write slices of a new tensor, which one can"
                        : "a kernel fills a new tensor, and " + copies + ", where one can do both";
  f.rewrite = rewriteOf(s);
  return f;
}

}  // namespace

CodedResult findScatteredSlices(const RulePage&, const Analysis& a) {
  CodedResult out;
  forEachNode(a.graph.block(), [&](Node* n) {
    if (auto s = scatterAt(n, a)) out.findings.push_back(findingAt(*s));
  });
  if (out.findings.empty()) out.whyNothing = "no slice of a new tensor is written before the tensor is read";
  return out;
}

}  // namespace kadvise::graph
