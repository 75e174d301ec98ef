// Reductions: what a thread gathers of a row, and what the row's value is made of it in the end.
#include "kernels/rowprogram/kernel.h"

#include <algorithm>

namespace kadvise::rowprogram {
namespace {

using Kind = Statement::Kind;

struct Joining {
  const char* op;
  const char* none;
};

// How partial results are joined, and what an empty part is.
Joining joiningOf(Reduction r, Type type) {
  const bool whole = type != Type::Float;
  switch (r) {
    case Reduction::Sum:
    case Reduction::Mean:
    case Reduction::Var:
      return {"Sum", whole ? "(i64)0" : "0.f"};
    case Reduction::Prod:
      return {"Prod", whole ? "(i64)1" : "1.f"};
    case Reduction::Max:
      return {"Max", whole ? "(i64)(-0x7fffffffffffffffll - 1)" : "(-INF)"};
    case Reduction::Min:
      return {"Min", whole ? "(i64)0x7fffffffffffffffll" : "INF"};
    case Reduction::Any:
      return {"Any", "false"};
    case Reduction::All:
      return {"All", "true"};
    case Reduction::Argmax:
      return {"Argmax", whole ? "Found<i64>{0, -1}" : "Found<float>{0.f, -1}"};
    case Reduction::Argmin:
      return {"Argmin", whole ? "Found<i64>{0, -1}" : "Found<float>{0.f, -1}"};
  }
  return {};
}

bool finds(Reduction r) { return r == Reduction::Argmax || r == Reduction::Argmin; }

// A mean of the same values that the program has anyway.
int meanOf(const Plan& plan, int var) {
  const Statement& v = plan.program.statements[var];
  for (std::size_t s = 0; s < plan.program.statements.size(); ++s) {
    const Statement& m = plan.program.statements[s];
    if (m.kind == Kind::Reduce && m.reduction == Reduction::Mean &&
        m.operands[0].statement == v.operands[0].statement && v.operands[0].statement >= 0 &&
        plan.stage[s] >= 0)
      return static_cast<int>(s);
  }
  return -1;
}

}  // namespace

std::vector<Partial> Kernel::partials(int stage) const {
  std::vector<Partial> all;
  for (std::size_t i = 0; i < program.statements.size(); ++i) {
    const Statement& s = program.statements[i];
    const int id = static_cast<int>(i);
    if (s.kind != Kind::Reduce || plan.stage[i] < 0) continue;
    const Joint* joint = plan.jointOf(id);
    if (joint != nullptr && joint->kind == Joint::Kind::Moments && joint->first == id) continue;
    const bool var = s.reduction == Reduction::Var,
               mean = var && plan.reduceStage(id) - 1 == stage && (joint != nullptr || meanOf(plan, id) < 0);
    if (plan.reduceStage(id) != stage && !mean) continue;
    const Type operand = s.operandType == Type::Bool && s.type != Type::Bool ? Type::Int : s.operandType;
    const Joining j = joiningOf(s.reduction, operand);
    const std::string type =
        finds(s.reduction) ? cat("Found<", typeName(operand), ">") : std::string(typeName(operand));
    all.push_back({id, mean, cat(mean ? "m" : "a", id), j.op, type, j.none});
  }
  return all;
}

void Kernel::declarePartials(int stage) {
  for (const Partial& p : partials(stage)) {
    line("  ", p.type, " ", p.name, " = ", p.none, ";");
    if (p.sums()) line("  float ", p.folded(), " = 0.f;");
  }
}

// The rounding of one long chain grows with its length, in one direction where terms are alike: so a vector's
// terms are added in pairs, a few vectors make a chain, and these chains another.
void Kernel::addTerms(int stage) {
  for (const Partial& p : partials(stage))
    if (p.sums()) line("  ", p.name, " = ", p.name, " + in_pairs<", plan.vector, ">(", p.term(), ");");
}

void Kernel::foldSums(int stage, bool last) {
  for (const Partial& p : partials(stage)) {
    if (!p.sums()) continue;
    if (last) line("  ", p.name, " = ", p.folded(), " + ", p.name, ";");
    else line("  ", p.folded(), " = ", p.folded(), " + ", p.name, "; ", p.name, " = 0.f;");
  }
}

void Kernel::accumulate(int stage, const Place& place) {
  for (const Partial& p : partials(stage)) {
    const Statement& s = program.statements[p.statement];
    const Type operandType = s.operandType == Type::Bool && s.type != Type::Bool ? Type::Int : s.operandType;
    std::string v = operand(s.operands[0], operandType);
    const std::string guard = place.inside.empty() ? std::string() : cat("if (", place.inside, ") ");
    if (finds(s.reduction))
      v = cat(p.type, "{", v, ", (i64)(", place.element.empty() ? place.column + " + j" : place.element,
              ")}");
    const bool local = plan.jointOf(p.statement) != nullptr;
    const int shared = s.reduction == Reduction::Var && !local ? meanOf(plan, p.statement) : -1;
    const bool squares = s.reduction == Reduction::Var && !p.mean;
    if (squares) {
      line("  const float d", p.statement, " = ", v, " - ",
           shared >= 0 ? cat("v", shared) : cat("u", p.statement), ";");
      v = cat("d", p.statement, " * d", p.statement);
    }
    if (p.sums() && place.gathers) {
      line("  ", p.term(), "[j] = ", place.inside.empty() ? v : cat(place.inside, " ? ", v, " : 0.f"), ";");
    } else if (squares) {
      line("  ", guard, p.name, " = ", p.name, " + ", v, ";");
    } else {
      line("  ", guard, p.name, " = ", p.op, "::join(", p.name, ", ", v, ");");
    }
  }
}

void Kernel::finishPartials(int stage, const std::string& count) {
  for (const Partial& p : partials(stage)) {
    const Statement& s = program.statements[p.statement];
    if (plan.jointOf(p.statement) != nullptr) continue;
    if (p.mean) {
      line("  const float u", p.statement, " = __fdiv_rn(", p.name, ", ", count, ");");
      continue;
    }
    std::string v = p.name;
    if (s.reduction == Reduction::Mean || s.reduction == Reduction::Var)
      v = cat("__fdiv_rn(", v, ", ", count, ")");
    if (finds(s.reduction)) v += ".at";
    line("  const ", typeName(s.type), " v", p.statement, " = ", v, ";");
  }
}

// Across the threads of a block that share a row, each of which then has the result; `turn` is 0 or 1 in turn
// where the same lines run again.
void Kernel::joinBlock(const std::vector<Partial>& partials, int threads, const std::string& suffix,
                       const std::string& turn) {
  if (partials.empty()) return;
  for (const Partial& p : partials)
    if (!p.ofWarps)
      line("  ", p.name, " = across_lanes<", p.op, ", ", std::min(32, threads), ">(", p.name, ");");
  const int warps = threads / 32;
  if (warps < 2) return;
  int lanes = 1;
  while (lanes < warps) lanes *= 2;
  const auto name = [&](const Partial& p) { return cat("warps_", p.name, suffix); };
  for (const Partial& p : partials) line("  SHARED ", p.type, " ", name(p), "[2][", warps, "];");
  line("  if (t % 32 == 0) {");
  for (const Partial& p : partials) line("  ", name(p), "[", turn, "][t / 32] = ", p.name, ";");
  line("  }\n  __syncthreads();");
  for (const Partial& p : partials)
    line("  ", p.name, " = across_warps<", p.op, ", ", warps, ", ", lanes, ">(", name(p), "[", turn, "], (",
         p.type, ")", p.none, ");");
}

// Across the blocks of a cluster. What a peer may still read is not written over before all have met again.
void Kernel::joinPeers(const std::vector<Partial>& partials, int peers, const std::string& suffix,
                       const std::string& turn) {
  const auto name = [&](const Partial& p) { return cat("peers_", p.name, suffix); };
  const auto type = [](const Partial& p) { return p.type == "bool" ? std::string("int") : p.type; };
  for (const Partial& p : partials) line("  SHARED ", type(p), " ", name(p), "[2];");
  line("  if (t == 0) {");
  for (const Partial& p : partials) line("  ", name(p), "[", turn, "] = ", p.name, ";");
  line("  }\n  peers_meet();");
  for (const Partial& p : partials)
    line("  ", p.name, " = ", p.none, ";\n#pragma unroll\n  for (u32 peer = 0; peer < ", peers, "; ++peer) ",
         p.name, " = ", p.op, "::join(", p.name, ", (", p.type, ")of_peer(&", name(p), "[", turn,
         "], peer));");
}

}  // namespace kadvise::rowprogram
