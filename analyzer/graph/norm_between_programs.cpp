#include "analyzer/graph/norm_between_programs.h"

#include <algorithm>
#include <variant>

#include "analyzer/core/error.h"
#include "analyzer/graph/channels_last_choice.h"
#include "analyzer/graph/image_norm.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/program_calls.h"
#include "analyzer/graph/row_rewrite.h"
#include "analyzer/graph/split_dimension.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

// A norm and the generated kernels beside it: what computes the image for it alone, and what alone reads its
// result.
struct NormPlace {
  Node* norm;
  std::optional<ProgramCall> before, after;
  std::size_t input = 0;  // of `after`: the norm's result
};

std::size_t rankOf(const ProgramCall& call) { return static_cast<std::size_t>(call.text.rank); }

// The kernel that alone reads the norm's result, all of it.
void findAfter(NormPlace& place, const TracedValues& traced) {
  Value* result = place.norm->output();
  const auto reading = onlyReading(result);
  Node* list = reading ? reading->user : nullptr;
  if (!list || list->kind() != jit::prim::ListConstruct || !isReadOnce(list->output())) return;
  Node* program = list->output()->uses()[0].user;
  if (program->outputs().size() != 1 || !isReadOnce(program->output())) return;
  auto after = elementProgramCallOf(program->output()->uses()[0].user, traced);
  auto read = tensorOf(result, traced);
  auto given = after ? tensorOf(after->nodes.back()->output(), traced) : std::nullopt;
  if (!read || !given || rankOf(*after) != read->shape.size() || given->shape != read->shape ||
      !isContiguous(*given))
    return;
  place.input = static_cast<std::size_t>(std::find(after->inputs.begin(), after->inputs.end(), result) -
                                         after->inputs.begin());
  place.after = after;
}

void findBefore(NormPlace& place, const TracedValues& traced) {
  Value* image = place.norm->input(0);
  const auto reading = onlyReading(image);
  if (!reading || reading->user != place.norm) return;
  auto before = elementProgramCallOf(image->node(), traced);
  auto given = before ? tensorOf(image, traced) : std::nullopt;
  if (given && rankOf(*before) == given->shape.size()) place.before = before;
}

// The image that goes into the norm, and what comes out, where others ask it for its sizes or dtype.
std::vector<Value*> askedIn(const NormPlace& place) {
  std::vector<Value*> out;
  if (place.before && !isReadOnce(place.norm->input(0))) out.push_back(place.norm->input(0));
  if (place.after && !isReadOnce(place.norm->output())) out.push_back(place.norm->output());
  return out;
}

// They ask the result instead, which what the kernel behind reads beside the norm's could make larger.
void leaveWhatAnswersOtherwise(NormPlace& place, const TracedValues& traced) {
  if (!place.after || askedIn(place).empty()) return;
  auto image = tensorOf(place.norm->input(0), traced),
       given = tensorOf(place.after->nodes.back()->output(), traced);
  if (place.after->inputs.size() > 1 || !image || image->dtype != given->dtype) place.after.reset();
}

// The call's inputs, with the groups as a dimension of their own; nullopt where an input's channels are not
// known.
std::optional<std::string> inputsOf(const NormPlace& place, const ImageNorm& norm,
                                    const std::vector<Value*>& parameters, const TracedValues& traced) {
  const SplitDimension channels{norm.image.shape.size(), 1, norm.groups, norm.width};
  std::string sizes = std::to_string(norm.groups) + ", " + std::to_string(norm.width), text;
  for (std::size_t d = 2; d < norm.image.shape.size(); ++d) sizes += ", 1";
  auto say = [&](const std::optional<std::string>& input) {
    if (input) text += (text.empty() ? "" : ", ") + *input;
    return input.has_value();
  };
  auto read = [&](const Value* v) {
    return say(splitInput(parameterName(parameters, v), v, channels, traced));
  };
  const std::vector<Value*> images = place.before ? place.before->inputs : std::vector{norm.node->input(0)};
  bool areKnown = std::all_of(images.begin(), images.end(), read);
  for (auto* v : norm.weights) say("torch.reshape(" + parameterName(parameters, v) + ", [" + sizes + "])");
  for (std::size_t i = 0; place.after && i < place.after->inputs.size(); ++i)
    if (i != place.input) areKnown = areKnown && read(place.after->inputs[i]);
  return areKnown ? std::optional(text) : std::nullopt;
}

std::string textOf(const NormPlace& place, const ImageNorm& norm, const TracedValues& traced) {
  SimpleProgram program = programOf(norm, traced);
  if (place.before) program = composed(place.before->text, program, 0);
  if (place.after) program = composed(program, place.after->text, place.input);
  return graph::textOf(program);
}

// The groups of the result are those of the run; an input of fewer dimensions than then may have had others.
std::string guardOf(const ImageNorm& norm) {
  return "    assert torch.size(r, 1) == " + std::to_string(norm.groups) +
         " and torch.size(r, 2) == " + std::to_string(norm.width) +
         ", \"kadvise specialised this module to norms of " + std::to_string(norm.image.shape[1]) +
         " channels\"\n";
}

std::optional<MadeRewrite> inOneKernel(const NormPlace& place, const ImageNorm& norm,
                                       const TracedValues& traced) {
  std::vector<Node*> nodes = {norm.node};
  for (auto* call : {&place.before, &place.after})
    if (*call) nodes.insert(nodes.end(), (*call)->nodes.begin(), (*call)->nodes.end());
  sortByPlace(nodes);
  MadeRewrite made;
  std::vector<Value*> parameters, results = askedIn(place);
  results.insert(results.begin(), place.after ? place.after->nodes.back()->output() : norm.node->output());
  for (auto* v : results) made.roots.push_back(v->node());
  auto pattern = patternOf(nodes, results, parameters);
  auto given = inputsOf(place, norm, parameters, traced);
  if (!given) return std::nullopt;
  std::string body = "    r = " + rowProgramCall(textOf(place, norm, traced), *given) + "[0]\n" +
                     guardOf(norm) + "    y = torch.flatten(r, 1, 2)\n    return y";
  for (std::size_t i = 1; i < results.size(); ++i) body += ", y";
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

std::optional<Mismatch> whyNotTaken(const NormPlace& place, const ImageNorm& norm,
                                    const TracedValues& traced) {
  if (layoutOf(norm.image) != ImageLayout::First)
    return Mismatch{"the image", "does not lie in memory with channels first, or has one channel or pixel"};
  for (auto* v : norm.weights) {
    auto t = tensorOf(v, traced);
    if (!t || !c10::isFloatingType(t->dtype) || !isRowDtype(t->dtype))
      return Mismatch{"weight or bias", "are of a dtype that generated kernels do not have"};
  }
  std::size_t inputs = norm.weights.size() + (place.before ? 0 : 1);
  for (auto* call : {&place.before, &place.after}) inputs += *call ? (*call)->inputs.size() : 0;
  if (inputs > kMostInputsOfProgram) return Mismatch{"the kernels", "read too many tensors for one"};
  return std::nullopt;
}

// Why not, or the one kernel.
std::variant<Mismatch, MadeRewrite> rewriteAt(const NormPlace& place, const TracedValues& traced) {
  try {
    auto norm = imageNormOf(place.norm, traced);
    if (!norm) return Mismatch{"the norm", "is of a form that generated kernels do not compute"};
    if (auto why = whyNotTaken(place, *norm, traced)) return *why;
    if (auto made = inOneKernel(place, *norm, traced)) return *made;
    return Mismatch{"the kernels", "read images of other channels"};
  } catch (const Error& e) {
    return Mismatch{"the norm", e.reason};
  }
}

// Other rules are about to replace the norm, or what stands where a kernel could: one that they make goes
// with the norm, too.
bool isWaitedFor(const NormPlace& place, const Analysis& analysis) {
  const auto reading = onlyReading(place.norm->output());
  return analysis.taken.count(place.norm) ||
         (!place.before && analysis.taken.count(place.norm->input(0)->node())) ||
         (!place.after && reading && analysis.taken.count(reading->user));
}

}  // namespace

CodedResult findNormsBetweenPrograms(const RulePage&, const Analysis& analysis) {
  CodedResult out;
  forEachNode(analysis.graph.block(), [&](Node* n) {
    if (!isImageNorm(n)) return;
    NormPlace place{n, {}, {}};
    findBefore(place, analysis.traced);
    findAfter(place, analysis.traced);
    leaveWhatAnswersOtherwise(place, analysis.traced);
    if (!place.before && !place.after) return;
    if (isWaitedFor(place, analysis)) {
      out.looksAgain = true;
      return;
    }
    auto made = rewriteAt(place, analysis.traced);
    if (auto* why = std::get_if<Mismatch>(&made)) {
      out.refused.push_back({n, *why});
      return;
    }
    CodedFinding f;
    f.node = n;
    f.message = messageOf(place);
    f.rewrite = std::get<MadeRewrite>(std::move(made));
    out.findings.push_back(std::move(f));
  });
  if (out.findings.empty() && out.refused.empty())
    out.whyNothing = "no group or instance norm of images beside a generated kernel that has no other reader";
  return out;
}

}  // namespace kadvise::graph
