#include "analyzer/graph/joined_pieces.h"

#include <algorithm>

#include "analyzer/graph/image_programs.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/memory_rules.h"
#include "analyzer/graph/operands.h"
#include "analyzer/graph/operator_traits.h"
#include "analyzer/graph/program_calls.h"
#include "analyzer/graph/row_rewrite.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

constexpr double kMostRead = 1.25;  // of its result, by a piece that is computed for several concatenations

struct Join {
  Node* node;  // isCat()
  std::size_t dim, rank;
  std::int64_t total;  // along dim
  c10::ScalarType dtype;
};

// A piece of another dtype would be promoted, and one without elements may have any rank.
std::optional<Join> joinOf(Node* n, const TracedValues& traced) {
  auto* seen = isCat(n) ? traced.find(n->output()) : nullptr;
  Node* list = seen ? n->input(0)->node() : nullptr;
  if (!list || list->kind() != jit::prim::ListConstruct || list->output()->uses().size() != 1 ||
      list->owningBlock() != n->owningBlock() || list->inputs().size() < 2 || !isRowDtype(seen->dtype))
    return std::nullopt;
  const std::size_t rank = seen->shape.size();
  auto dim = n->inputs().size() > 1 ? dimensionAt(n->input(1), rank) : std::optional<std::size_t>(1);
  if (!dim || *dim >= rank) return std::nullopt;
  for (auto* piece : piecesOf(n)) {
    auto* p = traced.find(piece);
    if (!p || p->shape.size() != rank || p->dtype != seen->dtype || p->device != seen->device)
      return std::nullopt;
  }
  return Join{n, *dim, rank, seen->shape[*dim], seen->dtype};
}

double bytesOf(const Value* v, const TracedValues& traced) {
  auto* seen = traced.find(v);
  return seen ? denseBytes(*seen) : 0;
}

// Where others read it too, they are concatenations, which compute it again: nobody needs it by itself then.
bool isForJoins(const Value* piece, const ProgramCall& program, const TracedValues& traced) {
  auto& uses = piece->uses();
  if (uses.size() == 1) return true;
  double read = 0;
  for (auto* in : program.inputs) read += bytesOf(in, traced);
  return read <= kMostRead * bytesOf(piece, traced) && std::all_of(uses.begin(), uses.end(), [](auto& use) {
           auto& lists = use.user->output()->uses();
           return use.user->kind() == jit::prim::ListConstruct && lists.size() == 1 && isCat(lists[0].user);
         });
}

// Parameters, and views of them: of the same sizes in every call.
bool hasFixedSizes(Value* v) {
  if (attributePath(v)) return true;
  Node* n = v->node();
  bool isView = has(n, OperatorTrait::View) && isTensor(n->input(0));
  return isView &&
         std::all_of(n->inputs().begin() + 1, n->inputs().end(),
                     [](Value* in) { return jit::toIValue(in); }) &&
         hasFixedSizes(n->input(0));
}

// What alone reads the result, element by element, and where it reads it. Beside it parameters, which have a
// number for each place along the dimension or one for all: of the others nobody knows which it is in the
// next call. The result lies as the concatenation does.
struct Reader {
  ProgramCall program;
  std::size_t input;
};

// The dimension of a value of this shape that is the one of the concatenation, aligned from the right.
std::optional<std::size_t> dimensionOf(const Join& join, const TracedValue& seen) {
  const std::size_t own = seen.shape.size();
  return join.dim + own < join.rank ? std::nullopt : std::optional(join.dim + own - join.rank);
}

bool isBeside(Value* v, const Join& join, const TracedValues& traced) {
  auto* seen = traced.find(v);
  if (!seen || !hasFixedSizes(v) || seen->shape.size() > join.rank) return false;
  auto dim = dimensionOf(join, *seen);
  bool fits = !dim || seen->shape[*dim] == 1 || seen->shape[*dim] == join.total;
  std::int64_t others = 1;
  for (std::size_t d = 0; d < seen->shape.size(); ++d)
    if (d != dim) others *= seen->shape[d];
  return fits && (seen->shape.size() < join.rank || others == 1);
}

std::optional<Reader> readerOf(const Join& join, const TracedValues& traced) {
  auto& uses = join.node->output()->uses();
  Node* list = uses.size() == 1 ? uses[0].user : nullptr;
  if (!list || list->kind() != jit::prim::ListConstruct || list->output()->uses().size() != 1)
    return std::nullopt;
  Node* call = list->output()->uses()[0].user;
  if (!isRowProgram(call) || call->output()->uses().size() != 1) return std::nullopt;
  auto program = elementProgramCallOf(call->output()->uses()[0].user, traced);
  auto* whole = traced.find(join.node->output());
  auto* made = program ? traced.find(program->nodes.back()->output()) : nullptr;
  if (!made || made->shape != whole->shape) return std::nullopt;
  bool fits = std::all_of(program->inputs.begin(), program->inputs.end(),
                          [&](Value* in) { return in == join.node->output() || isBeside(in, join, traced); });
  return fits ? std::optional(Reader{*program, uses[0].offset}) : std::nullopt;
}

// The input that has the piece's size along the dimension in every call: the parameter that has more than one
// place, else the only one that is none. nullptr where that is not known.
Value* sizedAs(const Join& join, const std::vector<Value*>& inputs, const TracedValues& traced) {
  Value *fixed = nullptr, *other = nullptr;
  std::size_t others = 0;
  for (auto* in : inputs) {
    auto* seen = traced.find(in);
    auto dim = seen ? dimensionOf(join, *seen) : std::nullopt;
    if (!dim) continue;
    if (!hasFixedSizes(in)) other = in, ++others;
    else if (seen->shape[*dim] != 1) fixed = in;
  }
  return fixed ? fixed : others == 1 ? other : nullptr;
}

struct Piece {
  SimpleProgram text;
  std::vector<Value*> inputs;
};

// The body of the replacement.
class Writer {
 public:
  Writer(const Join& join, const TracedValues& traced, const std::vector<Value*>& parameters)
      : join_(join), traced_(traced), parameters_(parameters) {}

  std::string body(const std::vector<Piece>& pieces, const std::optional<Reader>& reader) const {
    std::string inputs, text;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      for (auto* in : pieces[i].inputs) inputs += (inputs.empty() ? "" : ", ") + nameOf(in);
      if (reader) inputs += partsFor(i, *reader);
      text += textOf(reader ? composed(pieces[i].text, reader->program.text, reader->input) : pieces[i].text);
    }
    return (reader ? parted(pieces, *reader) : std::string()) +
           "    return ops.kadvise.joined_row_programs(" + rowTextLiteral(text) + ", [" + inputs + "], " +
           std::to_string(join_.dim) + ")\n";
  }

 private:
  std::string nameOf(const Value* v) const { return parameterName(parameters_, v); }

  // What the reader reads beside the concatenation, of which each piece meets its own part: how many places
  // those are is for the call to say, and for the parameter to refuse.
  std::string partsFor(std::size_t piece, const Reader& reader) const {
    std::string out;
    for (std::size_t i = 0; i < reader.program.inputs.size(); ++i) {
      if (i == reader.input) continue;
      auto* in = reader.program.inputs[i];
      out += ", " + nameOf(in) + (isInParts(in) ? "_parts[" + std::to_string(piece) + "]" : std::string());
    }
    return out;
  }

  std::string parted(const std::vector<Piece>& pieces, const Reader& reader) const {
    std::string sizes, out;
    for (auto& p : pieces) {
      auto* sized = sizedAs(join_, p.inputs, traced_);
      sizes +=
          (sizes.empty() ? "" : ", ") + ("torch.size(" + nameOf(sized) + ", " +
                                         std::to_string(*dimensionOf(join_, *traced_.find(sized))) + ")");
    }
    std::vector<const Value*> done;
    for (auto* in : reader.program.inputs) {
      if (in == join_.node->output() || !isInParts(in) ||
          std::find(done.begin(), done.end(), in) != done.end())
        continue;
      done.push_back(in);
      out += "    " + nameOf(in) + "_parts = torch.split_with_sizes(" + nameOf(in) + ", [" + sizes + "], " +
             std::to_string(*dimensionOf(join_, *traced_.find(in))) + ")\n";
    }
    return out;
  }

  bool isInParts(const Value* v) const {
    auto dim = dimensionOf(join_, *traced_.find(v));
    return dim && traced_.find(v)->shape[*dim] != 1;
  }

  const Join& join_;
  const TracedValues& traced_;
  const std::vector<Value*>& parameters_;
};

// Each piece by what makes it, or as it is; false where nothing would be saved.
bool readPieces(const Join& join, const std::optional<Reader>& reader, const TracedValues& traced,
                std::vector<Piece>& pieces, std::vector<Node*>& nodes) {
  bool saves = reader.has_value();
  for (auto* piece : piecesOf(join.node)) {
    auto made = elementProgramCallOf(piece->node(), traced);
    const std::size_t beside = reader ? reader->program.inputs.size() - 1 : 0;
    bool fits = made && made->nodes[0]->owningBlock() == join.node->owningBlock() &&
                made->text.dtype == nameOf(join.dtype) &&
                made->inputs.size() + beside <= kMostInputsOfProgram && isForJoins(piece, *made, traced) &&
                (!reader || sizedAs(join, made->inputs, traced));
    if (!fits) {
      pieces.push_back({copyProgram(join.dtype, join.rank), {piece}});
      continue;
    }
    saves = true;
    pieces.push_back({made->text, made->inputs});
    for (auto* n : made->nodes)
      if (std::find(nodes.begin(), nodes.end(), n) == nodes.end()) nodes.push_back(n);
  }
  return saves;
}

std::optional<CodedFinding> findingAt(const Join& join, const Analysis& a) {
  auto reader = readerOf(join, a.traced);
  std::vector<Piece> pieces;
  std::vector<Node*> nodes{join.node->input(0)->node(), join.node};
  if (!readPieces(join, reader, a.traced, pieces, nodes)) return std::nullopt;
  if (reader) nodes.insert(nodes.end(), reader->program.nodes.begin(), reader->program.nodes.end());
  sortByPlace(nodes);
  Value* result = reader ? reader->program.nodes.back()->output() : join.node->output();

  CodedFinding f;
  f.node = join.node;
  f.message = reader
                  ? "a concatenation of " + std::to_string(pieces.size()) +
                        " pieces is written for the kernel that reads it, which could read the pieces"
                  : "pieces of a concatenation are written by generated kernels, and copied to their places";
  MadeRewrite made;
  made.roots = {result->node()};
  std::vector<Value*> parameters;
  made.pattern = patternOf(nodes, {result}, parameters);
  made.replacement =
      replacementOf(*made.pattern, Writer(join, a.traced, parameters).body(pieces, reader),
                    {kLevelOfGenerated, Exactness::Reassociates, "", "one generated kernel for all pieces"});
  f.rewrite = std::move(made);
  return f;
}

}  // namespace

CodedResult findJoinedPieces(const RulePage&, const Analysis& a) {
  CodedResult out;
  forEachNode(a.graph.block(), [&](Node* n) {
    auto join = joinOf(n, a.traced);
    auto f = join ? findingAt(*join, a) : std::nullopt;
    if (f) out.findings.push_back(std::move(*f));
  });
  if (out.findings.empty())
    out.whyNothing = "no generated kernel makes a piece of a concatenation, or reads one";
  return out;
}

}  // namespace kadvise::graph
