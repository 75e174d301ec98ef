#include "analyzer/graph/scopes.h"

#include <algorithm>
#include <map>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Block;
using jit::Function;
using jit::Node;
using jit::Value;

std::optional<std::string> pathFrom(Value* v, Value* self) {
  if (v == self) return std::string();
  return attributePath(v);
}

Function* callee(Node* n) {
  if (n->kind() == jit::prim::CallMethod) {
    auto type = n->input(0)->type()->cast<c10::ClassType>();
    return type ? &type->getMethod(n->s(jit::attr::name)) : nullptr;
  }
  if (n->kind() == jit::prim::CallFunction)
    return n->input(0)->type()->expectRef<c10::FunctionType>().function();
  return nullptr;
}

// The frames of outer, then those of inner. LibTorch inlines from the inside out and so never joins two
// stacks itself.
jit::InlinedCallStackPtr join(const jit::InlinedCallStackPtr& outer,
                              const std::optional<jit::InlinedCallStackPtr>& inner) {
  auto frames = outer->vec();
  auto joined = inner;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    auto& [function, range, instance] = *frame;
    joined = joined ? c10::make_intrusive<jit::InlinedCallStack>(*joined, function, range, instance)
                    : c10::make_intrusive<jit::InlinedCallStack>(function, range, instance);
  }
  return *joined;
}

void prependCallStack(Node* n, const jit::InlinedCallStackPtr& outer) {
  n->setCallStack(join(outer, n->callstack()));
  for (Block* inner : n->blocks())
    for (Node* m : inner->nodes()) prependCallStack(m, outer);
}

// The line of the saved text, which LibTorch writes a statement to. 0: not known.
std::size_t savedLine(const Node* n) {
  auto place = n->sourceRange().file_line_col();
  return place ? std::get<1>(*place) : 0;
}

bool hasLostItsPlace(const Node* n) {
  auto original = n->sourceRange().findSourceRangeThatGenerated();
  auto place = original ? original->file_line_col() : std::nullopt;
  return place && std::get<0>(*place).empty() && std::get<1>(*place) == 0;
}

// Saving a module loses where its functions were called: F.relu(self.fc(x)) knows only of fc. What stands in
// one line of the saved text was one statement, and lends its place.
void findLostPlaces(Block* block) {
  std::map<std::size_t, jit::SourceRange> places;
  for (Node* n : block->nodes())
    if (!hasLostItsPlace(n)) places.try_emplace(savedLine(n), n->sourceRange());
  for (Node* n : block->nodes()) {
    for (Block* inner : n->blocks()) findLostPlaces(inner);
    if (n->kind() != jit::prim::CallFunction || !hasLostItsPlace(n)) continue;
    if (auto known = places.find(savedLine(n)); known != places.end()) n->setSourceRange(known->second);
  }
}

void inlineBlock(Block* block, Value* self) {
  jit::Graph& graph = *block->owningGraph();
  for (auto it = block->nodes().begin(); it != block->nodes().end();) {
    Node* n = *it++;
    for (Block* inner : n->blocks()) inlineBlock(inner, self);
    Function* function = callee(n);
    auto* body = function ? jit::tryToGraphFunction(*function) : nullptr;
    if (!body) continue;
    auto scope = n->scope();
    if (n->kind() == jit::prim::CallMethod) {
      if (auto path = pathFrom(n->input(0), self))
        scope = c10::make_intrusive<jit::Scope>()->push(c10::Symbol::scope(*path));
    } else {
      n->removeInput(0);  // the function itself
    }
    auto copy = body->graph()->copy();
    findLostPlaces(copy->block());
    jit::WithCurrentScope guard(graph, scope);
    Node *before = n->prev(), *after = n->next();
    auto outer = n->callstack();
    jit::inlineCallTo(n, body, copy.get());
    for (Node* m = before->next(); outer && m != after; m = m->next()) prependCallStack(m, *outer);
    it = before->next()->iterator();  // the inlined body may hold calls itself
  }
}

bool isOurs(const std::string& file) { return file.empty() || file[0] == '<'; }

bool isLibrary(const std::string& file) {
  return file.find("/torch/nn/") != std::string::npos || file.find("/torch/jit/") != std::string::npos ||
         file.find("/torch/functional.py") != std::string::npos || file.find("/torch/_") != std::string::npos;
}

std::optional<Location> placeOf(const jit::SourceRange& given) {
  auto range = given;
  if (auto original = range.findSourceRangeThatGenerated()) range = *original;
  auto place = range.file_line_col();
  if (!place) return std::nullopt;
  auto [file, line, column] = *place;
  if (line == 0 || isOurs(file) || file.rfind("code/", 0) == 0) return std::nullopt;
  Location out;
  out.file = file;
  out.line = static_cast<int>(line);
  out.column = static_cast<int>(column) + (column > 0 ? 1 : 0);  // traces know no column
  return out;
}

// The author's absolute path says nothing to the reader: the last three parts do.
std::string shorten(const std::string& file) {
  std::size_t at = file.size();
  for (int parts = 0; parts < 3 && at != std::string::npos && at > 0; ++parts) at = file.rfind('/', at - 1);
  return at == std::string::npos || at == 0 ? file : file.substr(at + 1);
}

// LibTorch saves `self.c = x` without its line. What is stored is mostly made by the same statement.
const Node* nodeWithLine(const Node* n) {
  return n->kind() == jit::prim::SetAttr ? n->inputs()[1]->node() : n;
}

}  // namespace

void inlineWithScopes(jit::Module& module) {
  auto graph = module.get_method("forward").graph();
  findLostPlaces(graph->block());
  inlineBlock(graph->block(), graph->inputs().at(0));
}

Location userLocation(const Node* given) {
  const Node* n = nodeWithLine(given);
  Location best;
  auto consider = [&](const jit::SourceRange& range) {
    auto place = placeOf(range);
    if (!place) return false;
    best = *place;
    return !isLibrary(place->file);
  };
  bool found = consider(n->sourceRange());
  // The call stack runs from the outermost call to the innermost; the reader wants the innermost line of
  // their own.
  if (auto stack = n->callstack(); stack && !found) {
    auto frames = (*stack)->vec();
    for (auto frame = frames.rbegin(); frame != frames.rend() && !found; ++frame)
      found = consider(std::get<1>(*frame));
  }
  // A line inside LibTorch says nothing about the user's program; the module path does (traces often know no
  // more).
  if (!found) best = Location{};
  best.file = shorten(best.file);
  best.scope = given->scopeName();
  return best;
}

}  // namespace kadvise::graph
