// Statements as lines: what they compute, and in which pass over a row.
#include "kernels/rowprogram/kernel.h"
#include "kernels/rowprogram/words.h"

#include <algorithm>

namespace kadvise::rowprogram {
namespace {

using Kind = Statement::Kind;

// A value of one type where another is wanted.
std::string as(const std::string& text, Type from, Type to) {
  if (from == to) return text;
  if (to == Type::Bool) return cat("(", text, " != 0)");
  return cat("(", typeName(to), ")", text);
}

// What a dtype that is stored makes of a value.
std::string cast(const std::string& text, Type from, Element to) {
  const Type type = typeOf(to);
  const std::string v = as(text, from, type);
  switch (to) {
    case Element::Half:
      return cat("round_float16(", v, ")");
    case Element::BFloat16:
      return cat("round_bfloat16(", v, ")");
    case Element::UInt8:
      return cat("(i64)(u8)", v);
    case Element::Int8:
      return cat("(i64)(signed char)", v);
    case Element::Int16:
      return cat("(i64)(short)", v);
    case Element::Int32:
      return cat("(i64)(int)", v);
    default:
      return v;
  }
}

}  // namespace

std::string Kernel::operand(const Operand& o, Type type) const {
  if (o.statement < 0) return numberText(o.number, type);
  return as(cat("v", o.statement), program.statements[o.statement].type, type);
}

std::string Kernel::converted(int s, Type type) const {
  return as(cat("v", s), program.statements[s].type, type);
}

bool Kernel::feedsSum(int s) const {
  return std::any_of(plan.joints.begin(), plan.joints.end(), [&](const Joint& joint) {
    return joint.kind == Joint::Kind::Peak && program.statements[joint.second].operands[0].statement == s;
  });
}

std::string Kernel::expression(int s) const {
  const Statement& statement = program.statements[s];
  if (statement.kind == Kind::Cast) {
    const Operand& o = statement.operands[0];
    const Type from = o.statement >= 0 ? program.statements[o.statement].type : o.type;
    return cast(operand(o, from), from, statement.element);
  }
  if (sumsExp_ && statement.pointwise == Pointwise::Exp && statement.phase > 0 && feedsSum(s))
    return cat("exp_of_sum(", operand(statement.operands[0], Type::Float), ")");
  std::vector<std::string> operands;
  for (std::size_t i = 0; i < statement.operands.size(); ++i) {
    const bool condition = statement.pointwise == Pointwise::Where && i == 0;
    operands.push_back(operand(statement.operands[i], condition ? Type::Bool : statement.operandType));
  }
  return as(operation(statement, operands, plan.exact[s] || plan.perRow[s]), resultOf(statement),
            statement.type);
}

Type Kernel::resultOf(const Statement& s) {
  switch (wordOf(s.pointwise).rule) {
    case Rule::Compare:
    case Rule::Truth:
      return Type::Bool;
    default:
      return s.operandType;
  }
}

// As few words as hold it exactly.
Element Kernel::keptElement(int s) const {
  const Statement& statement = program.statements[s];
  if (statement.type == Type::Bool) return Element::Int32;
  if (statement.type == Type::Int) return Element::Int64;
  const bool rounded = statement.kind == Kind::Cast && bytesOf(statement.element) == 2;
  return rounded ? statement.element : Element::Float;
}

bool Kernel::keeps(std::size_t s) const {
  const Kind kind = program.statements[s].kind;
  const bool computed =
      kind == Kind::Pointwise || kind == Kind::Cast || kind == Kind::Take || kind == Kind::Pick;
  return computed && plan.kept(static_cast<int>(s)) && !plan.takesVector[s];
}

const Access& Kernel::tableOf(std::size_t take) const {
  const Operand& table = program.statements[take].operands[0];
  return plan.problem.inputs[program.statements[table.statement].input];
}

// An element of a table or list. from: its offset but for the index, which counts steps of `step`.
void Kernel::gathered(int s, const Place& place, const std::string& from, std::int64_t step) {
  const Statement& statement = program.statements[s];
  const int input = program.statements[statement.operands[0].statement].input;
  const std::string index = operand(statement.operands[1], Type::Int), type = typeName(statement.type);
  if (!place.inside.empty()) line("  ", type, " v", s, " = 0; if (", place.inside, ") {");
  line("  if ((u64)", index, " >= (u64)", numbers.given(plan.problem.bounds[input]), ") stop();");
  line("  ", place.inside.empty() ? cat("const ", type, " ") : std::string(), "v", s, " = get_",
       elementName(plan.problem.inputs[input].element), "_at(p", input, ", (u64)", index, " * (u64)",
       numbers.fixed(step), " + ", from, ");", place.inside.empty() ? "" : " }");
}

void Kernel::take(int s, const Place& place) {
  const Access& a = tableOf(static_cast<std::size_t>(s));
  const std::string column = plan.flat() && plan.ragged
                                 ? cat("(index)((uindex)(", place.point, " + j) % (uindex)columns)")
                                 : cat("(", place.column, " + j)");
  gathered(s, place, cat("(u64)", column, " * (u64)", numbers.fixed(a.inner[1])), a.inner[0]);
}

void Kernel::pick(int s, const Place& place) {
  const int lists = program.statements[program.statements[s].operands[0].statement].input;
  gathered(s, place, cat("(u64)(", offset(false, lists, place, "j"), ")"), plan.problem.inputs[lists].step);
}

void Kernel::value(int s, const Place& place) {
  const Statement& statement = program.statements[s];
  const std::string declared = cat("  const ", typeName(statement.type), " v", s, " = ");
  if (statement.kind == Kind::Input) {
    line(declared, "get_", elementName(plan.problem.inputs[statement.input].element), "(r", statement.input,
         place.words, ", j);");
  } else if (statement.kind == Kind::Pick) {
    pick(s, place);
  } else if (statement.kind == Kind::Take) {
    if (!plan.takesVector[s]) take(s, place);
    else
      line(
          declared, "get_",
          elementName(plan.problem.inputs[program.statements[statement.operands[0].statement].input].element),
          "(r", s, place.words, ", j);");
  } else {
    line(declared, expression(s), ";");
  }
}

void Kernel::rowValues(int phase) {
  for (std::size_t s = 0; s < program.statements.size(); ++s) {
    const Statement& statement = program.statements[s];
    const bool computed = statement.kind == Kind::Pointwise || statement.kind == Kind::Cast;
    if (!computed || !plan.perRow[s] || statement.phase != phase || plan.stage[s] < 0) continue;
    line("  const ", typeName(statement.type), " v", s, " = ", expression(static_cast<int>(s)), ";");
  }
}

// Full outputs that a stage computes.
std::vector<int> Kernel::storesAt(int stage) const {
  std::vector<int> all;
  for (std::size_t o = 0; o < program.outputs.size(); ++o)
    if (plan.outputs[o] != Reach::Same && 2 * program.statements[program.outputs[o].statement].phase == stage)
      all.push_back(static_cast<int>(o));
  return all;
}

// On element j of the vector at hand.
void Kernel::elements(int stage, const Place& place, bool again) {
  const std::vector<char> need = plan.needed(stage, again);
  for (std::size_t i = 0; i < need.size(); ++i) {
    const int s = static_cast<int>(i);
    const Kind kind = program.statements[s].kind;
    if (!need[s] || kind == Kind::Reduce || kind == Kind::Table || kind == Kind::Lists) continue;
    const bool kept = !again && keeps(i);
    const Element e = keptElement(s);
    if (kept && plan.stage[s] < stage) {
      line("  const ", typeName(program.statements[s].type), " v", s, " = get_", elementName(e), "(k", s,
           place.words, ", j)", program.statements[s].type == Type::Bool ? " != 0;" : ";");
      continue;
    }
    value(s, place);
    if (kept)
      line("  set_", 8 * bytesOf(e), "(k", s, place.words, ", j, bits_", elementName(e), "(",
           converted(s, typeOf(e)), "));");
  }
  accumulate(stage, place);
  for (int o : storesAt(stage))
    line("  o", o, "[j] = ", converted(program.outputs[o].statement, typeOf(plan.problem.outputs[o].element)),
         ";");
}

// Else the compiler sees that an earlier pass made the same of these words, and keeps that, in more
// registers.
void Kernel::forgetEarlier(int stage) {
  const std::vector<char> need = plan.needed(stage, false);
  for (std::size_t i = 0; i < program.statements.size(); ++i) {
    const int s = static_cast<int>(i);
    if (!need[i] || plan.stage[i] >= stage) continue;
    if (s < program.inputs && readsLate(plan, plan.schedule, s)) continue;
    if ((s < program.inputs && readsVector(s)) || plan.takesVector[i]) line("  forget(r", s, "[k]);");
    else if (keeps(i)) line("  forget(k", s, "[k]);");
  }
}

// A stage on the vector at hand: its values, the partial results of its reductions, its outputs.
void Kernel::vectorBody(int stage, const Place& place, bool again) {
  const std::vector<int> stores = storesAt(stage);
  sumsExp_ = declareLocal(stage);
  for (int o : stores)
    line("  ", typeName(typeOf(plan.problem.outputs[o].element)), " o", o, "[", plan.vector, "];");
  for (const Partial& p : partials(stage))
    if (p.sums()) line("  float ", p.term(), "[", plan.vector, "];");
  line("#pragma unroll\n  for (int j = 0; j < ", plan.vector, "; ++j) {");
  Place gathering = place;
  gathering.gathers = true;
  elements(stage, gathering, again);
  line("  }");
  addTerms(stage);
  for (int o : stores) {
    line(place.live.empty() ? std::string("  {") : cat("  if (", place.live, ") {"));
    store(o, place);
    line("  }");
  }
}

}  // namespace kadvise::rowprogram
