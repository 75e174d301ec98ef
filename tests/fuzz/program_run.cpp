#include "tests/fuzz/program_run.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include <algorithm>
#include <functional>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/rule_text.h"
#include "analyzer/graph/shadow_run.h"

namespace kadvise::fuzz {
namespace {

namespace jit = torch::jit;
using jit::Value;

at::Tensor tensorFor(const InputSpec& spec, at::ScalarType real, Random& random) {
  auto dtype = spec.dtype == "float" ? real : graph::dtypeNamed(spec.dtype).value_or(at::kFloat);
  at::Tensor t;
  if (c10::isFloatingType(dtype)) {
    t = at::randn(spec.shape);
    if (spec.positive) t = t.abs() + 0.1;
    else if (random.oneIn(8)) t = t * 30;
    else if (random.oneIn(8)) t = t.round();  // zeros of both signs, and equal elements
  } else {
    t = at::randint(0, spec.below.value_or(2), spec.shape);
  }
  t = t.to(dtype);
  if (t.dim() >= 2 && random.oneIn(6)) t = t.transpose(-1, -2).contiguous().transpose(-1, -2);
  return t;
}

const CaseValue* valueNamed(const Case& inputs, const std::string& name) {
  auto at = std::find_if(inputs.begin(), inputs.end(), [&](auto& v) { return v.name == name; });
  return at == inputs.end() ? nullptr : &*at;
}

// What is given where the case says nothing.
c10::IValue valueOfType(const c10::TypePtr& type, at::ScalarType real) {
  switch (type->kind()) {
    case c10::TypeKind::TensorType:
      return at::randn({4, 8}).to(real);
    case c10::TypeKind::IntType:
      return std::int64_t{2};
    case c10::TypeKind::FloatType:
      return 0.5;
    case c10::TypeKind::BoolType:
      return true;
    case c10::TypeKind::GeneratorType:
      return at::make_generator<at::CPUGeneratorImpl>(7);
    default:
      return {};
  }
}

void define(jit::Module& m, const std::shared_ptr<jit::Graph>& graph) {
  m.type()->addMethod(m._ivalue()->compilation_unit()->create_function(
      c10::QualifiedName(*m.type()->name(), "forward"), graph));
}

at::Tensor nudged(const at::Tensor& t) {
  if (!t.defined() || !c10::isFloatingType(t.scalar_type())) return t;
  double step = t.scalar_type() == at::kBFloat16 ? 4e-3 : 1e-6;
  return (t.to(at::kDouble) * (1 + step * at::randn(t.sizes(), at::kDouble))).to(t.scalar_type());
}

}  // namespace

Subject subjectOf(const Program& program, Random& random) {
  RulePage page;
  page.path = "program";
  auto compiled = graph::compileFence(page, {"python", "fires", program.text, {}, "", 1});
  auto real = random.oneIn(8) ? at::kDouble : random.oneIn(8) ? at::kBFloat16 : at::kFloat;
  Subject s{jit::Module("__torch__.Fuzz"), {}};
  auto g = compiled.graph;
  jit::Inline(*g);
  Value* self = g->insertInput(0, "self")->setType(s.module.type());
  auto& arguments = compiled.schema.arguments();
  for (std::size_t i = arguments.size(); i-- > 0;) {
    auto* given = valueNamed(program.inputs, arguments[i].name());
    auto value = !given          ? valueOfType(arguments[i].type(), real)
                 : given->tensor ? c10::IValue(tensorFor(*given->tensor, real, random))
                                 : graph::shadowOf(*given);
    if (!given || !given->tensor || !given->tensor->weight) {
      s.inputs.insert(s.inputs.begin(), value);
      continue;
    }
    s.module.register_buffer(given->name, value.toTensor());
    jit::WithInsertPoint start(*g->nodes().begin());
    g->inputs()[i + 1]->replaceAllUsesWith(g->insertNode(g->createGetAttr(self, given->name))->output());
    g->eraseInput(i + 1);
  }
  define(s.module, g);
  if (s.inputs.size() > 1 && random.oneIn(12) && s.inputs[0].isTensor() && s.inputs[1].isTensor() &&
      s.inputs[0].toTensor().sizes() == s.inputs[1].toTensor().sizes())
    s.inputs[1] = s.inputs[0];  // one tensor under two names
  return s;
}

Values copiesOf(const Values& values) {
  std::unordered_map<const void*, at::Tensor> known;  // what is one tensor stays one
  Values out;
  for (auto& v : values) {
    if (v.isGenerator()) {
      out.emplace_back(v.toGenerator().clone());
      continue;
    }
    if (!v.isTensor() || !v.toTensor().defined()) {
      out.push_back(v);
      continue;
    }
    auto& copy = known[v.toTensor().unsafeGetTensorImpl()];
    if (!copy.defined())
      copy = at::empty_strided(v.toTensor().sizes(), v.toTensor().strides(), v.toTensor().options())
                 .copy_(v.toTensor());
    out.emplace_back(copy);
  }
  return out;
}

namespace {

using Call = std::function<void(jit::Stack&)>;

Values callTwice(const jit::Module& module, const Values& inputs, const std::vector<std::string>& state,
                 const Call& run) {
  Values out;
  for (int call = 0; call < 2; ++call) {
    at::manual_seed(7);
    auto arguments = copiesOf(inputs);
    jit::Stack stack{module._ivalue()};
    stack.insert(stack.end(), arguments.begin(), arguments.end());
    run(stack);
    for (auto& v : stack) out.push_back(v.deepcopy());
    out.insert(out.end(), arguments.begin(), arguments.end());
  }
  for (auto& name : state) out.push_back(module.attr(name));
  return out;
}

}  // namespace

Values runTwice(const jit::Module& given, const Values& inputs, const std::vector<std::string>& state) {
  at::NoGradGuard noGrad;
  auto module = given.clone();
  jit::Code code(module.get_method("forward").graph(), "forward");
  return callTwice(module, inputs, state, [&](jit::Stack& stack) { jit::InterpreterState(code).run(stack); });
}

Values runTwiceFilled(const jit::Module& given, const Values& inputs, const std::vector<std::string>& state) {
  struct Filled {
    Filled() { at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/true); }
    ~Filled() { at::globalContext().setDeterministicAlgorithms(false, false); }
  } filled;
  return runTwice(given, inputs, state);
}

Values executeTwice(const jit::Module& given, const Values& inputs, const std::vector<std::string>& state) {
  at::NoGradGuard noGrad;
  auto settled = given.clone();
  auto forward = settled.get_method("forward");
  auto call = [&](jit::Stack& stack) {
    stack.erase(stack.begin());  // a method brings its own module
    auto result = forward(std::move(stack));
    stack = {result};
  };
  auto state0 = given.clone();
  for (int i = 0; i < 3; ++i) callTwice(settled, inputs, state, call);
  for (auto& name : state) settled.setattr(name, state0.attr(name));
  return callTwice(settled, inputs, state, call);
}

Values nudgedRun(const jit::Module& given, const Values& inputs, const std::vector<std::string>& state) {
  auto module = given.clone();
  for (auto& name : state) module.setattr(name, nudged(module.attr(name).toTensor()));
  Values moved = inputs;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    if (!moved[i].isTensor()) continue;
    auto same = std::find_if(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(i),
                             [&](auto& v) { return v.isTensor() && v.is(inputs[i]); });
    moved[i] = same == inputs.begin() + static_cast<std::ptrdiff_t>(i)
                   ? c10::IValue(nudged(moved[i].toTensor()))
                   : moved[static_cast<std::size_t>(same - inputs.begin())];
  }
  return runTwice(module, moved, state);
}

}  // namespace kadvise::fuzz
