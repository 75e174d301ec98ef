#include "analyzer/graph/norm_between_programs.h"

#include <algorithm>

#include "analyzer/graph/channels_last_choice.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/norm_statements.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/placement.h"
#include "analyzer/graph/program_calls.h"
#include "analyzer/graph/row_forms.h"
#include "analyzer/graph/row_rewrite.h"
#include "analyzer/graph/split_dimension.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

constexpr std::string_view kGroupNorms[] = {"aten::group_norm", "kadvise::group_norm"};
constexpr std::string_view kInstanceNorms[] = {"aten::instance_norm", "kadvise::instance_norm"};

// Over groups of neighbouring channels of each image, an instance norm over each channel.
struct ImageNorm {
  Node* node;
  TracedValue image;
  std::int64_t groups, width;  // width: channels of a group
  double eps;
};

// A norm and the generated kernels beside it: what computes the image for it alone, and what alone reads its
// result.
struct NormPlace {
  ImageNorm norm;
  std::optional<ProgramCall> before, after;
  std::size_t input = 0;  // of `after`: the norm's result
};

bool lacks(const Node* n, const char* name) {
  auto* v = argumentNamed(n, name);
  return !v || isNone(v);
}

std::optional<std::int64_t> groupsOf(const Node* n, std::int64_t channels) {
  if (isOneOf(kGroupNorms, n))
    return constantInt(argumentNamed(n, n->kind().is_aten() ? "num_groups" : "groups"));
  if (!isOneOf(kInstanceNorms, n)) return std::nullopt;
  const bool hasOwn = n->kind().is_aten();  // statistics that are kept from call to call
  if (hasOwn && !(lacks(n, "running_mean") && lacks(n, "running_var") && rowFlagOf(n, "use_input_stats")))
    return std::nullopt;
  return channels;
}

std::optional<ImageNorm> imageNormOf(Node* n, const TracedValues& traced) {
  if (!isOneOf(kGroupNorms, n) && !isOneOf(kInstanceNorms, n)) return std::nullopt;
  auto image = tensorOf(n->input(0), traced), result = tensorOf(n->output(), traced);
  if (!image || !result || image->shape.size() < 3 || image->shape[1] < 1 || image->dtype != result->dtype ||
      !c10::isFloatingType(image->dtype) || !isRowDtype(image->dtype) || !lacks(n, "shift"))
    return std::nullopt;
  const auto groups = groupsOf(n, image->shape[1]);
  const auto eps = rowNumberOf(n, "eps");
  if (!groups || *groups < 1 || !eps) return std::nullopt;
  return ImageNorm{n, *image, *groups, image->shape[1] / *groups, *eps};
}

// What alone reads the elements of a value; nullptr for none, or several.
Node* soleReader(const Value* v) {
  Node* reader = nullptr;
  for (auto& use : v->uses()) {
    if (asksAboutTensors(use.user)) continue;
    if (reader) return nullptr;
    reader = use.user;
  }
  return reader;
}

// The kernel that alone reads the norm's result, all of it.
void findAfter(NormPlace& place, const TracedValues& traced) {
  Value* result = place.norm.node->output();
  Node* list = soleReader(result);
  if (!list || list->kind() != jit::prim::ListConstruct || !isReadOnce(list->output())) return;
  Node* program = list->output()->uses()[0].user;
  if (program->outputs().size() != 1 || !isReadOnce(program->output())) return;
  auto after = programCallOf(program->output()->uses()[0].user, traced);
  if (!after || static_cast<std::size_t>(after->text.rank) != place.norm.image.shape.size()) return;
  auto given = tensorOf(after->nodes.back()->output(), traced);
  if (!given || given->shape != place.norm.image.shape || !isContiguous(*given)) return;
  place.input = static_cast<std::size_t>(std::find(after->inputs.begin(), after->inputs.end(), result) -
                                         after->inputs.begin());
  place.after = after;
}

void findBefore(NormPlace& place, const TracedValues& traced) {
  Value* image = place.norm.node->input(0);
  if (soleReader(image) != place.norm.node) return;
  auto before = programCallOf(image->node(), traced);
  if (before && static_cast<std::size_t>(before->text.rank) == place.norm.image.shape.size())
    place.before = before;
}

// The call's inputs, with the groups as a dimension of their own.
class GroupedInputs {
 public:
  GroupedInputs(const ImageNorm& norm, const std::vector<Value*>& parameters, const TracedValues& traced)
      : split_{norm.image.shape.size(), 1, norm.groups, norm.width},
        parameters_(parameters),
        traced_(traced) {}

  void add(const Value* v) {
    auto input = splitInput(parameterName(parameters_, v), v, split_, traced_);
    isKnown_ = isKnown_ && input;
    if (input) say(*input);
  }
  void addWeight(const Value* v) {
    std::string sizes = std::to_string(split_.outer) + ", " + std::to_string(split_.inner);
    for (std::size_t d = 2; d < split_.rank; ++d) sizes += ", 1";
    say("torch.reshape(" + parameterName(parameters_, v) + ", [" + sizes + "])");
  }
  // nullopt where an input's channels are not known.
  std::optional<std::string> text() const { return isKnown_ ? std::optional(text_) : std::nullopt; }

 private:
  void say(const std::string& input) { text_ += (text_.empty() ? "" : ", ") + input; }

  SplitDimension split_;
  const std::vector<Value*>& parameters_;
  const TracedValues& traced_;
  std::string text_;
  bool isKnown_ = true;
};

std::vector<Value*> weightsOf(const Node* norm) {
  std::vector<Value*> out;
  for (const char* name : {"weight", "bias"})
    if (!lacks(norm, name)) out.push_back(argumentNamed(norm, name));
  return out;
}

// The norm alone. Its reduced dimensions are behind that of the groups.
SimpleProgram programOf(const ImageNorm& norm, const TracedValues& traced) {
  RowWriter w(traced);
  auto* n = norm.node;
  RowTerm x = w.declareInput(norm.image.dtype, RowRead::Elements);
  std::optional<RowTerm> weight, bias;
  for (auto [name, term] : {std::pair("weight", &weight), std::pair("bias", &bias)})
    if (!lacks(n, name))
      *term = w.declareInput(tensorOf(argumentNamed(n, name), traced)->dtype, RowRead::Elements);
  RowTerm y = normTerm(w, x, weight, bias, norm.eps);
  if (!lacks(n, "activation")) {
    const std::string activation = rowStringOf(n, "activation");
    const bool hasSlope = activation == "leaky_relu";
    y = hasSlope ? w.say(RowType::Float, activation, {y, rowNumber(rowNumberOf(n, "slope").value_or(0))})
                 : rowActivation(activation, y, w);
  }
  w.define(n->output(), y);
  w.storeAs(n->output(), {.dtype = norm.image.dtype, .isContiguous = true});
  return readSimpleProgram("row_program 1\nrank 1\n" + w.text()).value();
}

std::string textOf(const NormPlace& place, const TracedValues& traced) {
  SimpleProgram program = programOf(place.norm, traced);
  if (place.before) program = composed(place.before->text, program, 0);
  if (place.after) program = composed(program, place.after->text, place.input);
  program.rank = static_cast<int>(place.norm.image.shape.size()) + 1;
  program.isContiguous = true;
  for (int d = 2; d < program.rank; ++d) program.reduced.push_back(d);
  return graph::textOf(program);
}

std::optional<MadeRewrite> inOneKernel(const NormPlace& place, const TracedValues& traced) {
  Node* norm = place.norm.node;
  std::vector<Node*> nodes = {norm};
  for (auto* call : {&place.before, &place.after})
    if (*call) nodes.insert(nodes.end(), (*call)->nodes.begin(), (*call)->nodes.end());
  sortByPlace(nodes);
  MadeRewrite made;
  std::vector<Value*> parameters,
      results = {place.after ? place.after->nodes.back()->output() : norm->output()};
  // Between the kernels are images of the same sizes, for which others may ask.
  if (place.before && !isReadOnce(norm->input(0))) results.push_back(norm->input(0));
  if (place.after && !isReadOnce(norm->output())) results.push_back(norm->output());
  for (auto* v : results) made.roots.push_back(v->node());
  auto pattern = patternOf(nodes, results, parameters);
  GroupedInputs inputs(place.norm, parameters, traced);
  if (!place.before) inputs.add(norm->input(0));
  for (std::size_t i = 0; place.before && i < place.before->inputs.size(); ++i)
    inputs.add(place.before->inputs[i]);
  for (auto* v : weightsOf(norm)) inputs.addWeight(v);
  for (std::size_t i = 0; place.after && i < place.after->inputs.size(); ++i)
    if (i != place.input) inputs.add(place.after->inputs[i]);
  auto given = inputs.text();
  if (!given) return std::nullopt;
  std::string body =
      "    r = torch.flatten(" + rowProgramCall(textOf(place, traced), *given) + "[0], 1, 2)\n    return r";
  for (std::size_t i = 1; i < results.size(); ++i) body += ", r";
  made.replacement =
      replacementOf(*pattern, body + "\n",
                    {kLevelOfGenerated, Exactness::Reassociates, "", "one generated kernel over the groups"});
  made.pattern = pattern;
  return made;
}

std::string messageOf(const NormPlace& place) {
  if (!place.before) return "a generated kernel reads what a norm has written for it alone";
  return place.after ? "a norm stands between generated kernels, which could be one with it"
                     : "a norm reads what a generated kernel has written for it alone";
}

std::optional<Mismatch> whyNotTaken(const NormPlace& place, const TracedValues& traced) {
  if (layoutOf(place.norm.image) != ImageLayout::First)
    return Mismatch{"the image", "does not lie in memory with channels first"};
  for (auto* v : weightsOf(place.norm.node)) {
    auto t = tensorOf(v, traced);
    if (!t || !c10::isFloatingType(t->dtype) || !isRowDtype(t->dtype))
      return Mismatch{"weight or bias", "are of a dtype that generated kernels do not have"};
  }
  std::size_t inputs = 3;
  for (auto* call : {&place.before, &place.after}) inputs += *call ? (*call)->inputs.size() : 0;
  if (inputs > kMostInputsOfProgram) return Mismatch{"the kernels", "read too many tensors for one"};
  return std::nullopt;
}

// Other rules are about to replace the norm, or what stands where a kernel could: one that they make goes
// with the norm, too.
bool isWaitedFor(const NormPlace& place, const Analysis& analysis) {
  const Node* norm = place.norm.node;
  const Node* reader = soleReader(norm->output());
  return analysis.taken.count(norm) || (!place.before && analysis.taken.count(norm->input(0)->node())) ||
         (!place.after && reader && analysis.taken.count(reader));
}

}  // namespace

CodedResult findNormsBetweenPrograms(const RulePage&, const Analysis& analysis) {
  CodedResult out;
  forEachNode(analysis.graph.block(), [&](Node* n) {
    auto norm = imageNormOf(n, analysis.traced);
    if (!norm) return;
    NormPlace place{*norm, {}, {}};
    findBefore(place, analysis.traced);
    findAfter(place, analysis.traced);
    if (!place.before && !place.after) return;
    if (isWaitedFor(place, analysis)) {
      out.looksAgain = true;
      return;
    }
    auto why = whyNotTaken(place, analysis.traced);
    auto made = why ? std::nullopt : inOneKernel(place, analysis.traced);
    if (!made) {
      out.refused.push_back({n, why.value_or(Mismatch{"the kernels", "read images of other channels"})});
      return;
    }
    CodedFinding f;
    f.node = n;
    f.message = messageOf(place);
    f.rewrite = std::move(made);
    out.findings.push_back(std::move(f));
  });
  if (out.findings.empty() && out.refused.empty())
    out.whyNothing = "no group or instance norm of images beside a generated kernel that has no other reader";
  return out;
}

}  // namespace kadvise::graph
