#include "analyzer/graph/program_calls.h"

#include <algorithm>

#include "analyzer/graph/image_programs.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/row_rewrite.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

std::optional<ProgramCall> copyAsProgram(Node* copy, const TracedValues& traced) {
  auto* seen = traced.find(copy->output());
  auto text = seen ? readSimpleProgram(rowCopyText(seen->dtype, seen->shape.size())) : std::nullopt;
  return text ? std::optional(ProgramCall{*text, {copy->input(0)}, {copy}}) : std::nullopt;
}

}  // namespace

std::optional<ProgramCall> programCallOf(Node* item, const TracedValues& traced) {
  if (isGeneratedCopy(item)) return copyAsProgram(item, traced);
  Node* call = imageProgramOf(item);
  Node* list = call ? imagesOfProgram(call) : nullptr;
  auto text = list ? readSimpleProgram(programText(call)) : std::nullopt;
  if (!text || item->owningBlock() != list->owningBlock()) return std::nullopt;
  std::vector<Value*> inputs(list->inputs().begin(), list->inputs().end());
  bool areValues = std::all_of(inputs.begin(), inputs.end(), [](Value* v) {
    return isTensor(v) && v->node()->kind() != jit::prim::Constant;
  });
  if (!areValues || inputs.size() != text->inputs.size()) return std::nullopt;
  return ProgramCall{*text, inputs, {list, call, item}};
}

std::optional<ProgramCall> elementProgramCallOf(Node* item, const TracedValues& traced) {
  auto call = programCallOf(item, traced);
  return call && call->text.reduced.empty() ? call : std::nullopt;
}

}  // namespace kadvise::graph
