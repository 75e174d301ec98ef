// What of a row a thread holds in registers, and whether it has them.
#include "kernels/rowprogram/plan.h"

#include <algorithm>

namespace kadvise::rowprogram {

using Kind = Statement::Kind;

namespace {

// Of blocks that are to be many on an SM, or of which each holds much of a long row and no other.
bool mayReadLate(const Plan& plan, const Schedule& s, int i) {
  return (s.blocks > 0 || (s.form == Form::Cluster && !s.persistent)) && !plan.ragged &&
         plan.program.statements[i].kind == Kind::Input && plan.stage[i] > 0 &&
         plan.inputs[i] != Reach::Same && sameForAllRows(plan.problem.inputs[i]);
}

}  // namespace

bool readsLate(const Plan& plan, const Schedule& s, int i) {
  return mayReadLate(plan, s, i) && !keepsInShared(plan, s);
}

int registersOf(const Plan& plan, const Schedule& s) {
  const int spare =
      s.blocks > 0 ? 6 + 2 * plan.vector : 24;  // addresses, partial results, the vector at hand
  int words = 0;
  for (std::size_t i = 0; i < plan.program.statements.size(); ++i) {
    const Statement& statement = plan.program.statements[i];
    if (statement.kind == Kind::Input && mayReadLate(plan, s, static_cast<int>(i))) continue;
    if (statement.kind == Kind::Input && plan.inputs[i] != Reach::Same)
      words += std::max(1, plan.vector * bytesOf(plan.problem.inputs[i].element) / 4);
    else if (statement.kind != Kind::Input && plan.kept(static_cast<int>(i)))
      words += plan.vector * (statement.type == Type::Int ? 2 : 1);
  }
  return s.vectors * words + spare;
}

bool fitsRegisters(const Plan& plan, const Schedule& s) {
  if (s.blocks > 0) return registersOf(plan, s) <= 65536 / (s.block * s.blocks);
  return registersOf(plan, s) <= std::min(200, 65536 / s.block - 8);
}

bool keepsInShared(const Plan& plan, const Schedule& s) {
  return s.form == Form::Shared || (s.form == Form::Cluster && !fitsRegisters(plan, s));
}

bool keepsColumns(const Plan& plan, const Schedule& s) {
  return s.parts == 1 && !s.generic &&
         plan.problem.columns() <= static_cast<std::int64_t>(s.threads) * s.vectors;
}

}  // namespace kadvise::rowprogram
