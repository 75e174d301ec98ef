#include "analyzer/graph/value_words.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>
#include <string_view>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace prim = jit::prim;

// Containers and size arithmetic have names in the graph that no author has seen.
struct Maker {
  std::string_view kind;
  const char* words;
};
constexpr Maker kMakers[] = {{"prim::ListConstruct", "a list made on the spot"},
                             {"prim::TupleConstruct", "a tuple made on the spot"},
                             {"prim::ListUnpack", "one part of a list"},
                             {"prim::TupleUnpack", "one part of a tuple"},
                             {"prim::NumToTensor", "a number made a tensor"},
                             {"prim::If", "an if"},
                             {"prim::Loop", "a loop"},
                             {"prim::dtype", "the dtype of a tensor"},
                             {"prim::device", "the device of a tensor"}};

// Names of schemas that say no more than which operand it is.
constexpr std::string_view kPlain[] = {"self", "other",  "input",  "tensor",   "tensors",  "mat1",
                                       "mat2", "batch1", "batch2", "tensor1",  "tensor2",  "a",
                                       "b",    "vec",    "x",      "exponent", "condition"};
constexpr const char* kOrdinals[] = {"first", "second", "third", "fourth", "fifth", "sixth"};

// 0.3, where a stream writes 0.29999999999999999.
std::string shortest(double x) {
  char text[32];
  auto [end, error] = std::to_chars(text, text + sizeof text, x);
  return error == std::errc() ? std::string(text, end) : "a number";
}

std::string show(const c10::IValue& v) {
  if (v.isTensor())
    return v.toTensor().dim() == 0 && v.toTensor().device().is_cpu()
               ? "the tensor " + show(v.toTensor().item())
               : "a constant tensor";
  if (v.isDouble()) return shortest(v.toDouble());
  std::ostringstream out;
  out << v;
  return out.str();
}

// The author's name for a value, without the count that keeps names of a graph apart; "" where the graph made
// it up.
std::string authorsName(const Value* v) {
  if (!v->hasDebugName()) return "";
  std::string name = v->debugName();
  auto dot = name.rfind('.');
  if (dot != std::string::npos && name.find_first_not_of("0123456789", dot + 1) == std::string::npos)
    name.resize(dot);
  return name;
}

// What a message can hold as it is.
bool isPlainKey(const std::string& key) {
  return std::all_of(key.begin(), key.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; });
}

bool isInput(const Value* v) {
  return v->node()->kind() == prim::Param && v->node()->owningBlock() == v->node()->owningGraph()->block();
}

}  // namespace

std::string makerWords(const Value* v) {
  auto* n = const_cast<Node*>(v->node());
  if (isInput(v)) return "the input " + authorsName(v);
  if (n->kind() == prim::Param) return "a value that a loop carries";
  if (n->kind() == prim::Constant) return "the constant " + show(*jit::toIValue(v));
  if (auto path = attributePath(const_cast<Value*>(v))) return "the parameter " + *path;
  for (auto& m : kMakers)
    if (m.kind == n->kind().toQualString()) return m.words;
  return n->kind().toQualString();
}

std::string valueWords(const Value* v) {
  std::string maker = makerWords(v);
  if (maker.rfind("aten::", 0) != 0 && maker.find("::") == std::string::npos) return maker;
  std::string name = authorsName(v);
  return (name.empty() ? "" : "`" + name + "`, ") + "the result of " + maker + (name.empty() ? "" : ",");
}

std::string pathWords(const Value* v) {
  if (auto name = authorsName(v); !name.empty()) return name;
  auto* n = const_cast<Node*>(v->node());
  auto kind = n->kind();
  if (kind == prim::ListUnpack || kind == prim::TupleUnpack)
    return pathWords(n->input()) + "[" + std::to_string(v->offset()) + "]";
  bool isElement = kind == jit::aten::__getitem__ || kind == prim::TupleIndex;
  if (!isElement) return valueWords(v);
  auto key = jit::toIValue(n->input(1));
  bool isShort = key && (key->isInt() || (key->isString() && isPlainKey(key->toStringRef())));
  return pathWords(n->input(0)) + (isShort ? "[" + show(*key) + "]" : " at some place");
}

std::string operandWords(const Node* reader, std::size_t operand) {
  std::string kind = reader->kind().toQualString();
  if (reader->kind() == prim::ListConstruct) kind = "a list";
  auto* schema = reader->maybeSchema();
  std::string name =
      schema && operand < schema->arguments().size() ? schema->arguments()[operand].name() : "";
  bool plain = name.empty() || std::find(std::begin(kPlain), std::end(kPlain), name) != std::end(kPlain);
  if (!plain) return "`" + name + "` of " + kind;
  if (reader->inputs().size() == 1) return "the operand of " + kind;
  if (operand < std::size(kOrdinals)) return std::string("the ") + kOrdinals[operand] + " operand of " + kind;
  return "operand " + std::to_string(operand + 1) + " of " + kind;
}

std::string otherFormWords(Node* wanted, Node* there) {
  auto sort = [](const Value* x) {
    return isTensor(x) ? "a tensor" : x->type()->isSubtypeOf(*c10::NumberType::get()) ? "a number" : "";
  };
  for (std::size_t i = 0; i < std::min(wanted->inputs().size(), there->inputs().size()); ++i) {
    std::string want = sort(wanted->input(i)), have = sort(there->input(i));
    if (want == have || want.empty() || have.empty()) continue;
    return "is made by " + std::string(there->kind().toQualString()) + " with " + have + " (" +
           valueWords(there->input(i)) + ") where the rule wants " + want;
  }
  return "is made by another form of " + std::string(wanted->kind().toQualString()) + " (." +
         there->schema().overload_name() + ") than the rule wants (." + wanted->schema().overload_name() +
         ")";
}

std::string constantWords(const c10::IValue& v, const Node* reader, std::size_t operand) {
  auto* schema = reader ? reader->maybeSchema() : nullptr;
  bool dtype =
      schema && operand < schema->arguments().size() && schema->arguments()[operand].name() == "dtype";
  if (dtype && v.isInt() && v.toInt() >= 0 &&
      v.toInt() < static_cast<std::int64_t>(c10::ScalarType::NumOptions))
    return nameOf(static_cast<c10::ScalarType>(v.toInt()));
  return show(v);
}

}  // namespace kadvise::graph
