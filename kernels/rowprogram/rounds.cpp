#include "kernels/rowprogram/rounds.h"

#include "kernels/rowprogram/plan.h"

#include <algorithm>

namespace kadvise::rowprogram {
namespace {

using Kind = Statement::Kind;

bool isReduction(const Statement& s, Reduction which) {
  return s.kind == Kind::Reduce && s.reduction == which && s.type == Type::Float &&
         s.operandType == Type::Float;
}

// The statements that read one, and how many outputs are it.
int readersOf(const Program& program, int of) {
  int readers = 0;
  for (const Statement& s : program.statements)
    for (const Operand& o : s.operands) readers += o.statement == of;
  return readers;
}

int meanBeside(const Program& program, const Statement& var) {
  for (std::size_t s = 0; s < program.statements.size(); ++s) {
    const Statement& m = program.statements[s];
    if (isReduction(m, Reduction::Mean) && m.operands[0].statement == var.operands[0].statement)
      return static_cast<int>(s);
  }
  return -1;
}

// `sum(exp(x - max(x)))`: the maximum; -1: it is none.
int peakOf(const Program& program, const Statement& sum, std::vector<int>& chain) {
  const int e = sum.operands[0].statement;
  if (e < 0) return -1;
  const Statement& exp = program.statements[e];
  if (exp.kind != Kind::Pointwise || exp.pointwise != Pointwise::Exp || exp.type != Type::Float) return -1;
  const int d = exp.operands[0].statement;
  if (d < 0) return -1;
  const Statement& sub = program.statements[d];
  if (sub.kind != Kind::Pointwise || sub.pointwise != Pointwise::Sub || sub.type != Type::Float) return -1;
  const int x = sub.operands[0].statement, m = sub.operands[1].statement;
  if (x < 0 || m < 0 || program.statements[x].type != Type::Float) return -1;
  if (!isReduction(program.statements[m], Reduction::Max) ||
      program.statements[m].operands[0].statement != x || sum.phase != program.statements[m].phase + 1)
    return -1;
  chain = {d, e};
  return m;
}

// Nothing else waits for the maximum before the sum is there.
bool isAlone(const Program& program, int sum, const std::vector<int>& chain) {
  const int phase = program.statements[sum].phase;
  for (std::size_t s = 0; s < program.statements.size(); ++s) {
    const Statement& other = program.statements[s];
    if (other.kind == Kind::Reduce && other.phase == phase && static_cast<int>(s) != sum) return false;
  }
  return std::none_of(program.outputs.begin(), program.outputs.end(),
                      [&](const Output& o) {
                        const Statement& s = program.statements[o.statement];
                        return s.kind != Kind::Reduce && s.phase == phase && s.extent == Extent::Full;
                      }) &&
         readersOf(program, chain[0]) >= 1;
}

// Where a second round is dear: through a cluster, or as a pass over memory. In a block it is a few
// instructions, as many as joining variances takes.
bool joinsMoments(const Plan& plan) {
  const Schedule& s = plan.schedule;
  return s.form == Form::Cluster || s.form == Form::Split ||
         (s.form == Form::Columns && !keepsColumns(plan, s));
}

// Lanes of one warp need no barrier: there a second round of shuffles costs less than the exponentials.
bool joinsPeaks(const Schedule& s) {
  return s.form == Form::Block || s.form == Form::Shared || s.form == Form::Cluster || s.form == Form::Split;
}

}  // namespace

std::vector<Joint> jointsOf(const Plan& plan, std::vector<int>& chain) {
  std::vector<Joint> joints;
  const Program& program = plan.program;
  for (std::size_t i = 0; i < program.statements.size(); ++i) {
    const Statement& s = program.statements[i];
    const int id = static_cast<int>(i);
    std::vector<int> between;
    if (isReduction(s, Reduction::Var) && joinsMoments(plan)) {
      const int mean = meanBeside(program, s);
      const bool taken =
          std::any_of(joints.begin(), joints.end(), [&](const Joint& j) { return j.first == mean; });
      joints.push_back({Joint::Kind::Moments, taken ? -1 : mean, id});
    } else if (isReduction(s, Reduction::Sum) && joinsPeaks(plan.schedule)) {
      const int peak = peakOf(program, s, between);
      if (peak < 0 || !isAlone(program, id, between)) continue;
      joints.push_back({Joint::Kind::Peak, peak, id});
      chain.insert(chain.end(), between.begin(), between.end());
    }
  }
  return joints;
}

std::vector<std::vector<int>> roundsOf(const Plan& plan) {
  std::vector<std::vector<int>> rounds;
  std::vector<char> joins(static_cast<std::size_t>(plan.stages), 0);  // to the stage before
  for (const Joint& joint : plan.joints) {
    const int last = plan.reduceStage(joint.second);
    for (int stage = last - (joint.kind == Joint::Kind::Peak ? 1 : 0); stage <= last; ++stage)
      joins[static_cast<std::size_t>(stage)] = 1;
  }
  for (int stage = 0; stage < plan.stages; ++stage) {
    if (stage > 0 && joins[static_cast<std::size_t>(stage)]) rounds.back().push_back(stage);
    else rounds.push_back({stage});
  }
  return rounds;
}

}  // namespace kadvise::rowprogram
