#include "kernels/rowprogram/reading.h"

#include "kernels/rowprogram/words.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kadvise::rowprogram {
namespace {

// The operands of `NAME = WORD READ INDEX`, where READ is of a kind: table or lists.
void readGather(Reading& reading, const Line& line, Statement::Kind kind, std::string_view declaration,
                Statement& statement) {
  check(line.words.size() == 5, line, "a gather is `NAME = take TABLE INDEX` or `NAME = pick LISTS INDEX`");
  const auto read = reading.statements.find(line.words[3]);
  const auto at = [&] { return static_cast<std::size_t>(read->second); };
  const bool fits = read != reading.statements.end() && reading.program.statements[at()].kind == kind;
  check(fits, line, quoted(line.words[3]), " is no input that ", line.words[2], " reads: declare it with `",
        declaration, "`");
  const Operand index = operandOf(reading, line, line.words[4]);
  check(index.statement >= 0 && index.type == Type::Int, line, "an index is an int that varies, ",
        quoted(line.words[4]), " is not");
  statement.type = reading.program.statements[at()].type;
  statement.operands = {{read->second, 0, statement.type}, index};
  combine(reading, statement);
}

}  // namespace

Operand operandOf(const Reading& reading, const Line& line, std::string_view word) {
  if (const auto found = reading.statements.find(word); found != reading.statements.end()) {
    const Statement& statement = reading.program.statements[static_cast<std::size_t>(found->second)];
    check(statement.kind != Statement::Kind::Table, line, quoted(word), " is a table: only `take` reads it");
    check(statement.kind != Statement::Kind::Lists, line, quoted(word), " are lists: only `pick` reads them");
    return {found->second, 0, statement.type};
  }
  const auto number = numberOf(word);
  check(number.has_value(), line, quoted(word), " is no number and no name given in a line before");
  const double most = number->isWhole ? 0x1p53 : static_cast<double>(std::numeric_limits<float>::max());
  check(!std::isfinite(number->value) || std::abs(number->value) <= most, line, quoted(word),
        number->isWhole ? " is beyond 2^53, where whole numbers are not exact; give it as an input"
                        : " is beyond the range of float32; write inf");
  return {-1, number->value, number->isWhole ? Type::Int : Type::Float};
}

const Statement& statementOf(const Reading& reading, const Operand& operand) {
  return reading.program.statements[static_cast<std::size_t>(operand.statement)];
}

void combine(const Reading& reading, Statement& statement) {
  statement.extent = Extent::Row;
  for (const Operand& operand : statement.operands) {
    if (operand.statement < 0) continue;
    const Statement& read = statementOf(reading, operand);
    if (read.extent == Extent::Full) statement.extent = Extent::Full;
    const int ready = read.kind == Statement::Kind::Reduce ? read.phase + 1 : read.phase;
    statement.phase = std::max(statement.phase, ready);
    statement.reads |= read.reads;
    statement.along |= read.along;
  }
}

void readInput(Reading& reading, const Line& line, Statement& statement) {
  Program& program = reading.program;
  const auto is = [&](const char* what) { return line.words.size() == 5 && line.words[4] == what; };
  const bool isTable = is("table"), areLists = is("lists");
  check(line.words.size() == 4 || isTable || areLists, line,
        "an input is `NAME = in DTYPE`, with `table` or `lists` behind it or nothing");
  check(program.statements.size() == static_cast<std::size_t>(program.inputs), line,
        "inputs come before everything that is computed");
  check(program.inputs < kMostInputs, line, "a program has at most ", kMostInputs, " inputs");
  check(!isTable || program.rank > 0, line, "a table needs a rank of 1 or more");
  const ElementWord& element = elementNamed(line, line.words[3]);
  using Kind = Statement::Kind;
  statement.kind = isTable ? Kind::Table : areLists ? Kind::Lists : Kind::Input;
  statement.element = element.element;
  statement.type = element.type;
  statement.input = program.inputs++;
  if (!areLists) statement.reads = statement.along = std::uint32_t{1} << statement.input;
}

void readPick(Reading& reading, const Line& line, Statement& statement) {
  readGather(reading, line, Statement::Kind::Lists, "in DTYPE lists", statement);
  statement.kind = Statement::Kind::Pick;
  statement.extent = Extent::Full;  // lists may vary along a row where the index does not
  const int lists = statement.operands[0].statement;
  for (const Statement& other : reading.program.statements)
    check(other.kind != Statement::Kind::Pick || other.operands[0].statement != lists, line,
          quoted(line.words[3]), " are picked from twice: declare an input for each");
  reading.program.picks = true;
}

void readTake(Reading& reading, const Line& line, Statement& statement) {
  Program& program = reading.program;
  readGather(reading, line, Statement::Kind::Table, "in DTYPE table", statement);
  statement.kind = Statement::Kind::Take;
  const Operand& index = statement.operands[1];
  statement.extent = statementOf(reading, index).extent;
  statement.along = statementOf(reading, index).along;
  if (program.reduced.empty() || isReduced(program, program.rank - 1)) {  // it varies with the column
    statement.extent = Extent::Full;
    statement.along |= statementOf(reading, statement.operands[0]).along;
  }
  program.takes = true;
}

}  // namespace kadvise::rowprogram
