// From text to Program. Texts come with modules that others made: everything is bounded and checked.
#include "kernels/rowprogram/reading.h"
#include "kernels/rowprogram/words.h"

#include <algorithm>
#include <atomic>

namespace kadvise::rowprogram {
namespace {

std::string_view typeName(Type type) {
  return type == Type::Bool ? "a bool" : type == Type::Int ? "an int" : "a float";
}

// ---- the head

int smallNumber(const Line& line, std::string_view word, int most, std::string_view what) {
  const auto value = wholeNumber(word);
  check(value && *value >= 0 && *value <= most, line, what, " is a number from 0 to ", most, ", not ",
        quoted(word));
  return static_cast<int>(*value);
}

void readVersion(const Line& line) {
  check(line.words.size() == 2 && line.words[0] == "row_program", line,
        "a row program begins with `row_program 1`, not with ", quoted(line.words[0]));
  check(line.words[1] == "1", line, "version ", quoted(line.words[1]),
        " is of another kadvise; this one knows version 1");
}

void readRank(const Line& line, Program& program) {
  check(line.words.size() == 2 && line.words[0] == "rank", line, "`rank N` follows the version");
  program.rank = smallNumber(line, line.words[1], kMostRank, "the rank");
}

void readReduce(const Line& line, Program& program) {
  check(line.words.size() >= 2, line, "`reduce` lists dimensions; without reductions leave the line out");
  for (std::size_t i = 1; i < line.words.size(); ++i) {
    const int dim = smallNumber(line, line.words[i], kMostRank, "a dimension");
    check(dim < program.rank, line, "dimension ", dim, " is not one of ", program.rank);
    check(program.reduced.empty() || program.reduced.back() < dim, line,
          "dimensions are given once, in ascending order");
    program.reduced.push_back(dim);
  }
}

// ---- one function for each kind of statement; words are NAME = KIND …

void readCast(Reading& reading, const Line& line, Statement& statement) {
  check(line.words.size() == 5, line, "a cast is `NAME = cast DTYPE VALUE`");
  const ElementWord& element = elementNamed(line, line.words[3]);
  const Operand value = operandOf(reading, line, line.words[4]);
  check(value.statement >= 0, line, "a number needs no cast: write it where it is used");
  statement.kind = Statement::Kind::Cast;
  statement.element = element.element;
  statement.type = element.type;
  statement.operandType = value.type;
  statement.operands = {value};
  combine(reading, statement);
}

void readReduction(Reading& reading, const Line& line, const ReductionWord& word, Statement& statement) {
  Program& program = reading.program;
  check(line.words.size() == 4, line, word.name, " takes one value");
  check(!program.reduced.empty(), line, word.name, " needs a line `reduce DIMENSIONS` after the rank");
  const bool overOne = word.op == Reduction::Argmax || word.op == Reduction::Argmin;
  check(!overOne || program.reduced.size() == 1, line, word.name, " goes over one dimension");
  const Operand value = operandOf(reading, line, line.words[3]);
  check(value.statement >= 0, line, word.name, " of a number is no reduction");
  check(statementOf(reading, value).extent == Extent::Full, line, quoted(line.words[3]),
        " is reduced already");
  check(word.takes[static_cast<int>(value.type)], line, word.name, " does not take ", typeName(value.type),
        ": cast ", quoted(line.words[3]),
        value.type == Type::Bool || word.gives[0] != Type::Bool ? " first" : " to bool first");
  statement.kind = Statement::Kind::Reduce;
  statement.reduction = word.op;
  statement.type = word.gives[static_cast<int>(value.type)];
  statement.operandType = value.type;
  statement.operands = {value};
  combine(reading, statement);
  statement.extent = Extent::Row;
  statement.along = 0;
  program.phases = std::max(program.phases, statement.phase + 1);
}

// The type that operands are converted to.
Type operandType(const Line& line, const PointwiseWord& word, const std::vector<Operand>& operands) {
  const std::size_t first = word.rule == Rule::Where ? 1 : 0;
  Type widest = Type::Bool;
  for (std::size_t i = first; i < operands.size(); ++i) widest = std::max(widest, operands[i].type);
  switch (word.rule) {
    case Rule::ToFloat:
      return Type::Float;
    case Rule::Floats:
      check(widest == Type::Float, line, word.name, " takes floats, not ", typeName(widest),
            ": cast it to float32 first");
      return widest;
    case Rule::Numbers:
      check(widest != Type::Bool, line, word.name,
            " does not take bools alone: cast one, or use and, or, xor");
      return widest;
    case Rule::Bits:
      check(widest != Type::Float, line, word.name, " takes ints and bools, not a float: cast it first");
      return widest;
    case Rule::Where:
      check(operands[0].type == Type::Bool, line, "the condition of where is a bool, not ",
            typeName(operands[0].type), ": compare it with 0 first");
      return widest;
    case Rule::Compare:
      return widest;
    case Rule::Truth:
      break;
  }
  return Type::Bool;
}

void readPointwise(Reading& reading, const Line& line, const PointwiseWord& word, Statement& statement) {
  const auto given = static_cast<int>(line.words.size()) - 3;
  check(given == word.operands, line, word.name, " takes ", word.operands, " operands, not ", given);
  for (std::size_t i = 3; i < line.words.size(); ++i)
    statement.operands.push_back(operandOf(reading, line, line.words[i]));
  const bool varies = std::any_of(statement.operands.begin(), statement.operands.end(),
                                  [](const Operand& operand) { return operand.statement >= 0; });
  check(varies, line, word.name, " of numbers alone is a number: write it where it is used");
  statement.kind = Statement::Kind::Pointwise;
  statement.pointwise = word.op;
  statement.operandType = operandType(line, word, statement.operands);
  const bool givesBool = word.rule == Rule::Compare || word.rule == Rule::Truth;
  statement.type = givesBool ? Type::Bool : statement.operandType;
  combine(reading, statement);
}

void readOperator(Reading& reading, const Line& line, Statement& statement) {
  const std::string_view word = line.words[2];
  for (const PointwiseWord& known : pointwiseWords())
    if (known.name == word) return readPointwise(reading, line, known, statement);
  for (const ReductionWord& known : reductionWords())
    if (known.name == word) return readReduction(reading, line, known, statement);
  check(false, line, quoted(word), " is no operator of row programs; the nearest is ", nearestOperator(word));
}

// ---- lines

void readStatement(Reading& reading, const Line& line) {
  const std::string_view name = line.words[0];
  check(line.words.size() >= 4 && line.words[1] == "=", line,
        "a statement is `NAME = OPERATOR OPERANDS` or `out NAME DTYPE`");
  check(isName(name), line, quoted(name),
        " is no name: letters, digits and _, no number, no word of a line's begin");
  check(!reading.statements.contains(name), line, quoted(name), " is given twice");
  auto& statements = reading.program.statements;
  check(statements.size() < kMostStatements, line, "a program has at most ", kMostStatements, " statements");

  Statement statement;
  statement.name = name;
  statement.line = line.number;
  if (line.words[2] == "in") readInput(reading, line, statement);
  else if (line.words[2] == "take") readTake(reading, line, statement);
  else if (line.words[2] == "pick") readPick(reading, line, statement);
  else if (line.words[2] == "cast") readCast(reading, line, statement);
  else readOperator(reading, line, statement);
  reading.statements.emplace(name, static_cast<int>(statements.size()));
  statements.push_back(std::move(statement));
}

// The input that the last word of an output's line names.
int overwritten(const Reading& reading, const Line& line, const ElementWord& element) {
  const std::string_view name = line.words.back();
  const Operand input = operandOf(reading, line, name);
  const bool isInput = input.statement >= 0 && statementOf(reading, input).kind == Statement::Kind::Input;
  check(isInput && statementOf(reading, input).element == element.element, line, quoted(name),
        " is no input of the output's dtype, which alone can be written over");
  for (const Output& other : reading.program.outputs)
    check(other.over != input.statement, line, quoted(name), " is written over twice");
  return input.statement;
}

void readOutput(Reading& reading, const Line& line) {
  const auto& words = line.words;
  constexpr std::size_t kPlain = 3;  // out NAME DTYPE
  std::size_t next = kPlain;
  const auto says = [&](const char* word) {
    return next < words.size() && words[next] == word && ++next > 0;
  };
  const bool drops = says("drop"), isContiguous = says("contiguous");
  const bool isOver = says("over") && ++next > 0;
  check(words.size() >= kPlain && next == words.size(), line,
        "an output is `out NAME DTYPE`, with `drop`, `contiguous`, `over INPUT` or several behind it in this "
        "order");
  check(reading.program.outputs.size() < kMostOutputs, line, "a program has at most ", kMostOutputs,
        " outputs");
  const Operand value = operandOf(reading, line, words[1]);
  check(value.statement >= 0, line, "an output is a value, not a number");
  const ElementWord& element = elementNamed(line, words[2]);
  check(element.type == value.type, line, quoted(words[1]), " is ", typeName(value.type), ": cast it to ",
        element.name, " first");
  check(!drops || statementOf(reading, value).extent == Extent::Row, line, quoted(words[1]),
        " went through no reduction, so there is nothing to drop");
  const int over = isOver ? overwritten(reading, line, element) : -1;
  reading.program.outputs.push_back({value.statement, element.element, drops, isContiguous, over});
}

void checkWhole(const Line& last, const Program& program) {
  check(program.inputs > 0, last, "the program has no input");
  check(!program.outputs.empty(), last, "the program has no output: end it with `out NAME DTYPE`");
  check(program.reduced.empty() || program.phases > 0, last,
        "the program has no reduction: leave the line `reduce` out");
}

}  // namespace

Program parse(std::string_view text) {
  static std::atomic<std::uint64_t> ids{0};
  Reading reading;
  reading.program.text = text;  // names point into it
  const std::vector<Line> lines = linesOf(reading.program.text);
  std::size_t next = 0;
  readVersion(lines[next++]);
  check(next < lines.size(), lines.back(), "`rank N` follows the version");
  readRank(lines[next++], reading.program);
  if (next < lines.size() && lines[next].words[0] == "reduce") readReduce(lines[next++], reading.program);
  for (; next < lines.size(); ++next) {
    if (lines[next].words[0] == "out") readOutput(reading, lines[next]);
    else readStatement(reading, lines[next]);
  }
  checkWhole(lines.back(), reading.program);
  reading.program.id = ++ids;
  return std::move(reading.program);
}

}  // namespace kadvise::rowprogram
