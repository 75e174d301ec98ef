#include "analyzer/graph/image_programs.h"

#include <sstream>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

const c10::Symbol kRowProgram = c10::Symbol::fromQualString("kadvise::row_program");

}  // namespace

std::string programText(const Node* program) {
  auto text = jit::toIValue(program->inputs()[0]);
  return text && text->isString() ? text->toStringRef() : "";
}

bool isRowProgram(const Node* n) { return n->kind() == kRowProgram; }

Node* imageProgramOf(const Node* n) {
  if (n->kind() != jit::aten::__getitem__) return nullptr;
  Node* program = const_cast<Value*>(n->inputs()[0])->node();
  if (!isRowProgram(program) || program->output()->uses().size() != 1 ||
      constantInt(const_cast<Value*>(n->inputs()[1])) != 0)
    return nullptr;
  std::istringstream lines(programText(program));
  int outputs = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("out ")) ++outputs;
    if (line.ends_with(" table") || line.ends_with(" lists")) return nullptr;
  }
  return outputs == 1 ? program : nullptr;
}

std::size_t rankOfProgram(const Node* program) {
  std::istringstream words(programText(program));
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
  std::istringstream lines(programText(program));
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

}  // namespace kadvise::graph
