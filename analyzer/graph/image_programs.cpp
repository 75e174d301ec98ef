#include "analyzer/graph/image_programs.h"

#include <sstream>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/row_rewrite.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

const c10::Symbol kRowProgram = c10::Symbol::fromQualString("kadvise::row_program");

std::string textOf(const Node* program) {
  auto text = jit::toIValue(program->inputs()[0]);
  return text && text->isString() ? text->toStringRef() : "";
}

Node* inserted(Node* before, c10::Symbol kind, at::ArrayRef<Value*> inputs, const c10::TypePtr& type) {
  Node* made = before->owningGraph()->create(kind, inputs)->insertBefore(before);
  made->setSourceRange(jit::SourceRange());
  made->output()->setType(type);
  return made;
}

}  // namespace

Node* imageProgramOf(const Node* n) {
  if (n->kind() != jit::aten::__getitem__) return nullptr;
  Node* program = const_cast<Value*>(n->inputs()[0])->node();
  if (program->kind() != kRowProgram || program->output()->uses().size() != 1 ||
      constantInt(const_cast<Value*>(n->inputs()[1])) != 0)
    return nullptr;
  std::istringstream lines(textOf(program));
  int outputs = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("out ")) ++outputs;
    if (line.ends_with(" table") || line.ends_with(" lists")) return nullptr;
  }
  return outputs == 1 ? program : nullptr;
}

std::size_t rankOfProgram(const Node* program) {
  std::istringstream words(textOf(program));
  for (std::string word; words >> word;)
    if (std::size_t rank = 0; word == "rank" && words >> rank) return rank;
  return 0;
}

Node* imagesOfProgram(const Node* program) {
  Node* list = const_cast<Value*>(program->inputs()[1])->node();
  bool isOwn = list->kind() == jit::prim::ListConstruct && list->output()->uses().size() == 1;
  return isOwn ? list : nullptr;
}

void storeContiguous(Node* program) {
  std::istringstream lines(textOf(program));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("out ")) {
      line = line.substr(0, line.find(" over "));
      if (line.find(" contiguous") == std::string::npos) line += " contiguous";
    }
    text += line + "\n";
  }
  jit::WithInsertPoint here(program);
  program->replaceInput(0, program->owningGraph()->insertConstant(text));
}

Value* insertRowCopy(Value* v, c10::ScalarType dtype, std::size_t rank, Node* before) {
  auto& graph = *before->owningGraph();
  jit::WithInsertPoint here(before);
  Value* text = graph.insertConstant(rowCopyText(dtype, rank));
  Value* first = graph.insertConstant(std::int64_t{0});
  Node* list = inserted(before, jit::prim::ListConstruct, {v}, c10::ListType::ofTensors());
  Node* program = inserted(before, kRowProgram, {text, list->output()}, c10::ListType::ofTensors());
  return inserted(before, jit::aten::__getitem__, {program->output(), first}, c10::TensorType::get())
      ->output();
}

}  // namespace kadvise::graph
