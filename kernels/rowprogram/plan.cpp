#include "kernels/rowprogram/plan.h"

#include "kernels/rowprogram/overwritten.h"
#include "kernels/rowprogram/recomputed.h"
#include "kernels/rowprogram/turned.h"
#include "kernels/rowprogram/words.h"

#include <algorithm>

namespace kadvise::rowprogram {
namespace {

using Kind = Statement::Kind;

bool allZero(const Dims& strides, const Dims& sizes) {
  for (std::size_t d = 0; d < strides.size(); ++d)
    if (strides[d] != 0 && sizes[d] > 1) return false;
  return true;
}

bool besideEachOther(const Access& a, const Problem& p) {
  if (p.inner.empty()) return true;
  return a.inner.back() == 1 || p.inner.back() == 1;
}

bool isDense(const Access& a, const Problem& p) {
  std::int64_t next = 1;
  for (std::size_t d = p.inner.size(); d-- > 0; next *= p.inner[d])
    if (a.inner[d] != next && p.inner[d] > 1) return false;
  for (std::size_t d = p.outer.size(); d-- > 0; next *= p.outer[d])
    if (a.outer[d] != next && p.outer[d] > 1) return false;
  return true;
}

// Bytes that all vectors of a tensor begin at a multiple of.
int vectorAlignment(const Access& a, const Problem& p) {
  int alignment = a.alignment;
  for (std::size_t d = 0; d + 1 < a.inner.size() && d + 1 < p.inner.size(); ++d)
    while ((a.inner[d] * bytesOf(a.element)) % alignment) alignment /= 2;
  return alignment;
}

int vectorLength(const Plan& plan) {
  int least = 8;
  const auto narrow = [&](const Access& a, Reach r) {
    if (r == Reach::Vector) least = std::min(least, bytesOf(a.element));
  };
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) narrow(plan.problem.inputs[i], plan.inputs[i]);
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) narrow(plan.problem.outputs[i], plan.outputs[i]);
  return std::clamp(16 / std::max(2, least), 4, 8);
}

Reach reachOf(const Access& a, const Problem& p) {
  if (allZero(a.inner, p.inner)) return Reach::Same;
  return besideEachOther(a, p) ? Reach::Vector : Reach::Element;
}

// Vectors are of rows that lie beside each other; along a row nothing is a vector.
void settleBeside(Plan& plan) {
  const auto& outer = plan.problem.outer;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i)
    if (plan.inputs[i] != Reach::Same && !outer.empty() &&
        plan.problem.inputs[i].outer.size() == outer.size() && plan.problem.inputs[i].outer.back() == 1)
      plan.inputs[i] = Reach::Vector;
    else if (plan.inputs[i] != Reach::Same) plan.inputs[i] = Reach::Element;
  for (Reach& r : plan.outputs)
    if (r != Reach::Same) r = Reach::Vector;
  plan.vector = vectorLength(plan);
  for (auto* list : {&plan.inputs, &plan.outputs})
    for (Reach& r : *list)
      if (r == Reach::Vector) r = Reach::Element;
}

// Vectors are those of memory where rows are ragged; several inner dimensions then go element by element.
void settleReach(Plan& plan) {
  const Problem& p = plan.problem;
  for (const Access& a : p.inputs) plan.inputs.push_back(reachOf(a, p));
  for (const Access& a : p.outputs)
    plan.outputs.push_back(plan.flat() && reachOf(a, p) == Reach::Same ? Reach::Element : reachOf(a, p));
  for (std::size_t i = 0; i < p.inputs.size(); ++i)
    if (plan.program.statements[i].kind == Kind::Table ||
        (plan.program.statements[i].kind == Kind::Lists && plan.inputs[i] == Reach::Vector))
      plan.inputs[i] = Reach::Element;
  for (std::size_t i = 0; i < p.inputs.size(); ++i)
    plan.dense.push_back(plan.program.statements[i].kind == Kind::Input && isDense(p.inputs[i], p));
  for (const Access& a : p.outputs) plan.dense.push_back(isDense(a, p));
  if (plan.schedule.form == Form::Columns) return settleBeside(plan);
  plan.vector = plan.schedule.width > 0 ? plan.schedule.width : vectorLength(plan);
  const std::int64_t columns = p.columns();
  const bool splits = p.inner.size() > 1 && p.inner.back() % plan.vector;
  plan.ragged = (plan.schedule.generic && !(plan.flat() && p.outer.empty())) ||
                (columns % plan.vector && !(plan.flat() && p.outer.empty()));
  const auto settle = [&](const Access& a, Reach& r, bool dense) {
    if (plan.flat() && plan.ragged && r == Reach::Same && !sameForAllRows(a)) r = Reach::Element;
    if (r != Reach::Vector || (plan.flat() && dense)) return;
    if (plan.flat() ? plan.ragged : splits) {
      r = Reach::Element;
      return;
    }
    if (vectorAlignment(a, p) < std::min(16, plan.vector * bytesOf(a.element)))
      plan.flat() ? void() : void(plan.ragged = true);
  };
  for (std::size_t i = 0; i < p.inputs.size(); ++i) settle(p.inputs[i], plan.inputs[i], plan.dense[i]);
  for (std::size_t i = 0; i < p.outputs.size(); ++i)
    settle(p.outputs[i], plan.outputs[i], plan.dense[p.inputs.size() + i]);
  if (!plan.flat() && plan.ragged && p.inner.size() > 1) {
    for (Reach& r : plan.inputs)
      if (r == Reach::Vector) r = Reach::Element;
    for (Reach& r : plan.outputs)
      if (r == Reach::Vector) r = Reach::Element;
  }
}

void settlePerRow(Plan& plan) {
  const bool points = plan.flat() && plan.ragged;  // a vector then may lie in two rows
  for (const Statement& s : plan.program.statements) {
    bool same = s.kind != Kind::Take && s.kind != Kind::Pick;
    if (s.input >= 0) {
      same = s.kind != Kind::Input || plan.inputs[s.input] == Reach::Same;
      if (points && s.kind == Kind::Input) same = same && sameForAllRows(plan.problem.inputs[s.input]);
    }
    for (const Operand& o : s.operands)
      if (o.statement >= 0 && s.kind != Kind::Reduce) same = same && plan.perRow[o.statement];
    plan.perRow.push_back(s.kind == Kind::Reduce || same);
  }
}

// What is not the same along a row is not stored once a row.
void settleOutputs(Plan& plan) {
  for (std::size_t o = 0; o < plan.outputs.size(); ++o)
    if (plan.outputs[o] == Reach::Same && !plan.perRow[plan.program.outputs[o].statement])
      plan.outputs[o] = Reach::Element;
}

void settleStages(Plan& plan) {
  const auto& statements = plan.program.statements;
  const int count = static_cast<int>(statements.size());
  plan.stage.assign(count, -1);
  plan.lastUse.assign(count, -1);
  plan.stages = plan.flat() ? 1 : 2 * plan.program.phases + 1;
  const auto use = [&](int s, int stage) {
    plan.stage[s] = plan.stage[s] < 0 ? stage : std::min(plan.stage[s], stage);
    plan.lastUse[s] = std::max(plan.lastUse[s], stage);
  };
  for (const Output& o : plan.program.outputs) use(o.statement, 2 * statements[o.statement].phase);
  for (int s = count; s-- > 0;) {
    if (plan.stage[s] < 0) continue;  // nothing reads it
    const Statement& statement = statements[s];
    const bool reduce = statement.kind == Kind::Reduce;
    // Per-row values have no stage of their own: what they are made of is there before.
    const int at = reduce ? plan.reduceStage(s) : plan.stage[s];
    for (const Operand& o : statement.operands) {
      if (o.statement < 0) continue;
      use(o.statement, at);
      if (reduce && statement.reduction == Reduction::Var) use(o.statement, at - 1);  // its mean
      if (plan.recomputed[s]) use(o.statement, plan.lastUse[s]);
    }
  }
}

// A float is exact where a comparison, an index or 32 bits see it; otherwise 16 bits hide a few last bits.
void settleExact(Plan& plan) {
  const auto& statements = plan.program.statements;
  plan.exact.assign(statements.size(), 0);
  for (const Output& o : plan.program.outputs)
    if (bytesOf(o.element) != 2 || typeOf(o.element) != Type::Float) plan.exact[o.statement] = 1;
  for (std::size_t s = statements.size(); s-- > 0;) {
    const Statement& statement = statements[s];
    const bool rounds =
        statement.kind == Kind::Cast && bytesOf(statement.element) == 2 && statement.type == Type::Float;
    if (!(plan.exact[s] || statement.type != Type::Float) || rounds) continue;
    for (const Operand& o : statement.operands)
      if (o.statement >= 0) plan.exact[o.statement] = 1;
  }
}

// A table's rows are read as vectors where the index is known before a row is read.
void settleTakes(Plan& plan) {
  plan.takesVector.assign(plan.program.statements.size(), 0);
  for (std::size_t s = 0; s < plan.program.statements.size(); ++s) {
    const Statement& statement = plan.program.statements[s];
    if (statement.kind != Kind::Take || plan.ragged) continue;
    const Access& table = plan.problem.inputs[plan.program.statements[statement.operands[0].statement].input];
    const int index = statement.operands[1].statement;
    const bool early = index >= 0 && plan.perRow[index] && plan.program.statements[index].phase == 0;
    plan.takesVector[s] = early && table.inner[1] == 1 && plan.problem.inner.size() == 1 &&
                          table.alignment >= std::min(16, plan.vector * bytesOf(table.element)) &&
                          plan.vector * bytesOf(table.element) >= 4;
  }
}

}  // namespace

int bytesOf(Element e) { return wordOf(e).bytes; }
Type typeOf(Element e) { return wordOf(e).type; }

bool sameAlongRow(const Access& a) {
  return std::all_of(a.inner.begin(), a.inner.end(), [](auto s) { return s == 0; });
}
bool sameForAllRows(const Access& a) {
  return std::all_of(a.outer.begin(), a.outer.end(), [](auto s) { return s == 0; });
}

std::int64_t extentOf(const Access& a, const Problem& p) {
  std::int64_t last = 0;
  for (std::size_t d = 0; d < a.outer.size(); ++d)
    last += a.outer[d] * std::max<std::int64_t>(p.outer[d] - 1, 0);
  for (std::size_t d = 0; d < a.inner.size() && d < p.inner.size(); ++d)
    last += a.inner[d] * std::max<std::int64_t>(p.inner[d] - 1, 0);
  return last + 1;
}

Plan::Plan(const Problem& p, const Schedule& s) : problem(p), program(*p.program), schedule(s) {
  settleReach(*this);
  wide = p.rows() * std::max<std::int64_t>(p.columns(), 1) > INT32_MAX / 2;
  for (const auto* list : {&p.inputs, &p.outputs})
    for (const Access& a : *list) wide = wide || extentOf(a, p) > INT32_MAX / 2;
  settlePerRow(*this);
  settleOutputs(*this);
  settleExact(*this);
  settleTurned(*this);
  recomputed = worthRecomputing(*this);
  std::vector<int> chain;
  joints = jointsOf(*this, chain);
  for (const int s : chain) recomputed[s] = 1;
  settleStages(*this);
  std::erase_if(joints, [&](const Joint& joint) { return stage[joint.second] < 0; });
  rounds = roundsOf(*this);
  settleTakes(*this);
  overwritten = overwrittenInputs(*this);
}

const Joint* Plan::jointOf(int reduction) const {
  for (const Joint& joint : joints)
    if (joint.first == reduction || joint.second == reduction) return &joint;
  return nullptr;
}

bool Plan::kept(int s) const {
  return !perRow[s] && !recomputed[s] && stage[s] >= 0 && lastUse[s] > stage[s];
}

int Plan::reduceStage(int s) const {
  const Statement& statement = program.statements[s];
  return 2 * statement.phase + (statement.reduction == Reduction::Var ? 1 : 0);
}

std::vector<char> Plan::needed(int stage, bool again) const {
  std::vector<char> need(program.statements.size(), 0);
  const auto want = [&](const Operand& o) {
    if (o.statement >= 0 && !perRow[o.statement]) need[o.statement] = 1;
  };
  for (const Output& o : program.outputs)
    if (!perRow[o.statement] && 2 * program.statements[o.statement].phase == stage) need[o.statement] = 1;
  for (std::size_t s = program.statements.size(); s-- > 0;) {
    const Statement& statement = program.statements[s];
    if (this->stage[s] < 0) continue;
    if (statement.kind == Kind::Reduce) {
      const int at = reduceStage(s);
      if (at == stage || (statement.reduction == Reduction::Var && at - 1 == stage))
        want(statement.operands[0]);
      continue;
    }
    if (!again && kept(s) && this->stage[s] == stage) need[s] = 1;
    if (!need[s] || (!again && !recomputed[s] && this->stage[s] < stage)) continue;
    for (const Operand& o : statement.operands) want(o);
  }
  return need;
}

std::string whyNotServed(const Problem& p) {
  const Program& program = *p.program;
  for (const Access& a : p.inputs)
    if (a.element == Element::Double) return "float64 is computed by LibTorch's operators";
  for (std::size_t o = 0; o < p.outputs.size(); ++o) {
    const Access& a = p.outputs[o];
    if (a.element == Element::Double) return "float64 is computed by LibTorch's operators";
    for (std::size_t d = 0; d < p.outer.size(); ++d)
      if (a.outer[d] == 0 && p.outer[d] > 1) return "an output is smaller than the iteration space";
    const bool row = sameAlongRow(a);
    if (!row || !program.reduced.empty())
      for (std::size_t d = 0; !row && d < p.inner.size(); ++d)
        if (a.inner[d] == 0 && p.inner[d] > 1) return "an output is smaller than the iteration space";
  }
  for (const Statement& s : program.statements) {
    if (s.kind != Kind::Take) continue;
    if (p.inner.size() != 1) return "a gather stands beside reductions over several dimensions";
  }
  return {};
}

}  // namespace kadvise::rowprogram
