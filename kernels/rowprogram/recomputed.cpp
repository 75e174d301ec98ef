#include "kernels/rowprogram/recomputed.h"

namespace kadvise::rowprogram {
namespace {

using Kind = Statement::Kind;

constexpr int kMostInstructions = 10;  // from what is kept instead

// 0: too many.
int instructionsOf(const Plan& plan, int s) {
  const Statement& statement = plan.program.statements[s];
  if (statement.type != Type::Float) return 0;
  if (statement.kind == Kind::Cast) return 1;
  if (statement.kind != Kind::Pointwise) return 0;
  switch (statement.pointwise) {
    case Pointwise::Abs:
    case Pointwise::Neg:
    case Pointwise::Square:
    case Pointwise::Relu:
    case Pointwise::Add:
    case Pointwise::Sub:
    case Pointwise::Mul:
    case Pointwise::Fma:
    case Pointwise::Maximum:
    case Pointwise::Minimum:
      return 1;
    case Pointwise::Clamp:
      return 2;
    case Pointwise::Exp:
    case Pointwise::Exp2:
      return plan.exact[s] ? 8 : 3;
    default:
      return 0;
  }
}

// The one operand that varies along the row; -1: there are several, or none.
int varyingOperand(const Plan& plan, int s) {
  int found = -1;
  for (const Operand& o : plan.program.statements[s].operands) {
    if (o.statement < 0 || plan.perRow[o.statement] || o.statement == found) continue;
    if (found >= 0) return -1;
    found = o.statement;
  }
  return found;
}

int keptBytes(const Plan& plan, int s) {
  const Statement& statement = plan.program.statements[s];
  if (statement.kind == Kind::Input) return bytesOf(plan.problem.inputs[statement.input].element);
  return statement.kind == Kind::Cast ? bytesOf(statement.element) : 4;
}

}  // namespace

// What is kept instead must be smaller, or be there anyway from an earlier phase.
std::vector<char> worthRecomputing(const Plan& plan) {
  const auto& statements = plan.program.statements;
  std::vector<char> worth(statements.size(), 0);
  std::vector<int> base(statements.size(), -1), cost(statements.size(), 0);
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const int s = static_cast<int>(i), own = plan.perRow[i] ? 0 : instructionsOf(plan, s);
    const int from = own > 0 ? varyingOperand(plan, s) : -1;
    if (from < 0 || statements[from].type != Type::Float) continue;
    base[i] = worth[from] ? base[from] : from;
    cost[i] = own + (worth[from] ? cost[from] : 0);
    const bool smaller = keptBytes(plan, base[i]) < keptBytes(plan, s),
               there = statements[base[i]].phase < statements[i].phase;
    worth[i] = cost[i] <= kMostInstructions && (smaller || there);
  }
  return worth;
}

}  // namespace kadvise::rowprogram
