// The text of row programs: what it means, and what is said of a wrong one.
#include "kernels/rowprogram/program.h"
#include "kernels/rowprogram/words.h"

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <thread>

namespace kadvise::rowprogram {
namespace {

constexpr const char* kAddRmsNorm = R"(row_program 1
rank 3
reduce 2
x = in bfloat16
r = in bfloat16
w = in bfloat16
s = add x r
h = cast bfloat16 s
out h bfloat16
q = square h
m = mean q
e = add m 1e-05
k = rsqrt e
y = mul h k
z = mul y w
out z bfloat16
out m float32 drop
)";

std::string outcome(const std::string& text) {
  try {
    parse(text);
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return "no error";
}

const Statement& named(const Program& program, const std::string& name) {
  for (const Statement& statement : program.statements)
    if (statement.name == name) return statement;
  throw std::runtime_error("no " + name);
}

TEST(Parse, a_program_says_where_values_vary_and_after_how_many_reductions) {
  const Program program = parse(kAddRmsNorm);
  EXPECT_EQ(program.rank, 3);
  EXPECT_EQ(program.reduced, std::vector<int>{2});
  EXPECT_EQ(program.inputs, 3);
  EXPECT_EQ(program.phases, 1);
  EXPECT_FALSE(program.takes);
  ASSERT_EQ(program.outputs.size(), 3u);
  EXPECT_TRUE(program.outputs[2].dropsReduced);

  const Statement &mean = named(program, "m"), &root = named(program, "k"), &last = named(program, "z");
  EXPECT_EQ(mean.kind, Statement::Kind::Reduce);
  EXPECT_EQ(mean.phase, 0);
  EXPECT_EQ(mean.extent, Extent::Row);
  EXPECT_EQ(mean.reads, 0b011u);
  EXPECT_EQ(mean.along, 0u);
  EXPECT_EQ(root.phase, 1);
  EXPECT_EQ(root.extent, Extent::Row);
  EXPECT_EQ(last.extent, Extent::Full);
  EXPECT_EQ(last.reads, 0b111u);
  EXPECT_EQ(last.along, 0b111u);
  EXPECT_EQ(named(program, "h").element, Element::BFloat16);
  EXPECT_EQ(named(program, "e").operands[1].number, 1e-05);
  EXPECT_EQ(named(program, "z").line, 15);
}

TEST(Parse, reductions_of_reductions_are_later_phases) {
  const Program program = parse(R"(row_program 1
rank 2
reduce 1
x = in float32
m = max x
d = sub x m
e = exp d
s = sum e
y = div e s
out y float32)");
  EXPECT_EQ(program.phases, 2);
  EXPECT_EQ(named(program, "d").phase, 1);
  EXPECT_EQ(named(program, "s").phase, 1);
  EXPECT_EQ(named(program, "y").phase, 2);
}

// x: float, i: int, b: bool
TEST(Parse, types_are_those_of_torch) {
  const struct {
    const char* statement;
    Type type, operands;
  } cases[] = {
      {"add x i", Type::Float, Type::Float},   {"add i i", Type::Int, Type::Int},
      {"add i b", Type::Int, Type::Int},       {"add b 1", Type::Int, Type::Int},
      {"mul i 0.5", Type::Float, Type::Float}, {"mul i -inf", Type::Float, Type::Float},
      {"div i i", Type::Float, Type::Float},   {"exp i", Type::Float, Type::Float},
      {"floor_div i 2", Type::Int, Type::Int}, {"abs i", Type::Int, Type::Int},
      {"lt i x", Type::Bool, Type::Float},     {"eq i 3", Type::Bool, Type::Int},
      {"eq b b", Type::Bool, Type::Bool},      {"isnan x", Type::Bool, Type::Float},
      {"not x", Type::Bool, Type::Bool},       {"and x b", Type::Bool, Type::Bool},
      {"bit_and b b", Type::Bool, Type::Bool}, {"bit_or i b", Type::Int, Type::Int},
      {"where b i 0", Type::Int, Type::Int},   {"where b x 0", Type::Float, Type::Float},
      {"where b b b", Type::Bool, Type::Bool}, {"clamp i 0 1.5", Type::Float, Type::Float},
      {"pow x 2", Type::Float, Type::Float},   {"cast int8 x", Type::Int, Type::Float},
      {"sum b", Type::Int, Type::Bool},        {"argmax x", Type::Int, Type::Float},
      {"any b", Type::Bool, Type::Bool},       {"max i", Type::Int, Type::Int},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.statement);
    const Program program =
        parse(std::string("row_program 1\nrank 1\nreduce 0\nx = in float32\ni = in int64\n") +
              "b = in bool\nv = " + c.statement + "\nm = sum x\nout m float32");
    EXPECT_EQ(named(program, "v").type, c.type);
    EXPECT_EQ(named(program, "v").operandType, c.operands);
  }
}

TEST(Parse, a_gather_varies_with_the_column) {
  const std::string head = "row_program 1\nrank 3\nreduce ", rest = R"(
t = in float16 table
i = in int64
x = in float32
j = add i 2
g = take t j
s = add g x
m = sum s
out m float32)";
  const Program overColumns = parse(head + "2" + rest), overRows = parse(head + "1" + rest);
  EXPECT_TRUE(overColumns.takes);
  EXPECT_EQ(named(overColumns, "g").along, 0b011u);
  EXPECT_EQ(named(overRows, "g").along, 0b010u);
  EXPECT_EQ(named(overRows, "g").reads, 0b011u);
}

TEST(Parse, a_pick_has_the_sizes_of_its_index) {
  const Program program =
      parse("row_program 1\nrank 2\nl = in float16 lists\ni = in int64\ng = pick l i\nout g float16");
  EXPECT_TRUE(program.picks && !program.takes);
  EXPECT_EQ(named(program, "g").reads, 0b10u);
  EXPECT_EQ(named(program, "g").along, 0b10u);
}

TEST(Parse, a_wrong_text_is_told_where_and_what_to_do) {
  const std::string head =
      "row_program 1\nrank 2\nreduce 1\nx = in float32\ni = in int64\nb = in bool\nt = in float32 table\n";
  const std::string line = "row program, line 8: ";
  const struct {
    std::string text, says;
  } cases[] = {
      {"", "row program: the text is empty; it begins with `row_program 1`"},
      {"\n \n", "the text is empty"},
      {"hello", "row program, line 1: a row program begins with `row_program 1`, not with 'hello'"},
      {"row_program 2\nrank 1", "line 1: version '2' is of another kadvise"},
      {"row_program 1", "line 1: `rank N` follows the version"},
      {"row_program 1\nrank 9", "line 2: the rank is a number from 0 to 8, not '9'"},
      {"row_program 1\nrank -1", "line 2: the rank is a number from 0 to 8, not '-1'"},
      {"row_program 1\nrank 2\nreduce 2", "line 3: dimension 2 is not one of 2"},
      {"row_program 1\nrank 2\nreduce 1 0", "line 3: dimensions are given once, in ascending order"},
      {"row_program 1\nrank 2\nreduce", "line 3: `reduce` lists dimensions"},
      {"row_program 1\nrank 2\n", "line 2: the program has no input"},
      {"row_program 1\nrank 1\nx = in float32",
       "line 3: the program has no output: end it with `out NAME DTYPE`"},
      {"row_program 1\nrank 1\nreduce 0\nx = in float32\nout x float32",
       "line 5: the program has no reduction"},
      {"row_program 1\nrank 1\nx = in float32\nm = sum x\nout m float32",
       "line 4: sum needs a line `reduce DIMENSIONS`"},
      {"row_program 1\nrank 0\nx = in float32 table\nout x float32",
       "line 3: a table needs a rank of 1 or more"},
      {"row_program 1\nrank 2\nreduce 0 1\nx = in float32\nm = argmax x",
       "line 5: argmax goes over one dimension"},
      {head + "y = frobnicate x", line + "'frobnicate' is no operator of row programs; the nearest is "},
      {head + "y = sqr x", "the nearest is sqrt"},
      {head + "y = add x", line + "add takes 2 operands, not 1"},
      {head + "y = exp x x", line + "exp takes 1 operands, not 2"},
      {head + "y = add x z", line + "'z' is no number and no name given in a line before"},
      {head + "y = add y 1", line + "'y' is no number and no name"},
      {head + "y = add x t", line + "'t' is a table: only `take` reads it"},
      {head + "y = add 1 2", line + "add of numbers alone is a number"},
      {head + "y = mul i 9007199254740994", line + "'9007199254740994' is beyond 2^53"},
      {head + "y = mul x 1e300", line + "'1e300' is beyond the range of float32; write inf"},
      {head + "y = mul x 1e999", line + "'1e999' is no number"},
      {head + "y = mul x 0x10", line + "'0x10' is no number"},
      {head + "y = mul x infinity", line + "'infinity' is no number"},
      {head + "y = mul x 1.", "no error"},
      {head + "x = exp x", line + "'x' is given twice"},
      {head + "inf = exp x", line + "'inf' is no name"},
      {head + "1y = exp x", line + "'1y' is no name"},
      {head + "y\x01\xff = exp x", line + "'y?"
                                          "?' is no name"},
      {head + std::string(100, 'y') + " = exp x",
       line + "'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy…' is no name"},
      {head + "y exp x 3", line + "a statement is `NAME = OPERATOR OPERANDS` or `out NAME DTYPE`"},
      {head + "y = exp", line + "a statement is"},
      {head + "y = exp x\nz = in float32", "line 9: inputs come before everything that is computed"},
      {head + "z = in float64", line + "values are computed in float32, so no line says float64"},
      {head + "z = in complex64", line + "'complex64' is no dtype of row programs, which are bool, uint8"},
      {head + "z = in float32 matrix",
       line + "an input is `NAME = in DTYPE`, with `table` or `lists` behind it or nothing"},
      {head + "y = take x i", line + "'x' is no input that take reads: declare it with `in DTYPE table`"},
      {head + "y = pick t i", line + "'t' is no input that pick reads: declare it with `in DTYPE lists`"},
      {head + "l = in float32 lists\ny = add x l", "line 9: 'l' are lists: only `pick` reads them"},
      {head + "l = in float32 lists\ny = pick l x", "line 9: an index is an int that varies, 'x' is not"},
      {head + "l = in float32 lists\ny = pick l i\nz = pick l i",
       "line 10: 'l' are picked from twice: declare an input for each"},
      {head + "y = take t x", line + "an index is an int that varies, 'x' is not"},
      {head + "y = take t 3", line + "an index is an int that varies, '3' is not"},
      {head + "y = cast bfloat16 1", line + "a number needs no cast"},
      {head + "y = cast float64 x", line + "values are computed in float32"},
      {head + "y = add b b", line + "add does not take bools alone: cast one, or use and, or, xor"},
      {head + "y = silu i", line + "silu takes floats, not an int: cast it to float32 first"},
      {head + "y = bit_and i x", line + "bit_and takes ints and bools, not a float"},
      {head + "y = where x x x",
       line + "the condition of where is a bool, not a float: compare it with 0 first"},
      {head + "y = mean i", line + "mean does not take an int: cast 'i' first"},
      {head + "y = any x", line + "any does not take a float: cast 'x' to bool first"},
      {head + "m = sum x\nn = sum m", "line 9: 'm' is reduced already"},
      {head + "m = sum 1", line + "sum of a number is no reduction"},
      {head + "m = sum x x", line + "sum takes one value"},
      {head + "out x", line + "an output is `out NAME DTYPE`, with `drop`, `contiguous`, `over INPUT`"},
      {head + "out x float32 over t", line + "'t' is a table"},
      {head + "out x float16 over x", line + "'x' is no input of the output's dtype"},
      {head + "out 1 float32", line + "an output is a value, not a number"},
      {head + "out t float32", line + "'t' is a table"},
      {head + "out x int64", line + "'x' is a float: cast it to int64 first"},
      {head + "out x float32 drop", line + "'x' went through no reduction, so there is nothing to drop"},
      {head + "out x float32 keep", line + "an output is"},
      {head + "a b c d e f g h i j k", line + "a line has at most 10 words"},
      {std::string(70000, ' '), "row program: a text has at most 65536 bytes, not 70000"},
  };
  for (const auto& c : cases) {
    const bool isWhole = c.says == "no error";
    const std::string said = outcome(isWhole ? c.text + "\nm = sum x\nout m float32" : c.text);
    EXPECT_NE(said.find(c.says), std::string::npos) << c.text << "\nsays: " << said << "\nnot:  " << c.says;
  }
}

std::string programOf(int inputs, int statements, int outputs) {
  std::string text = "row_program 1\nrank 1\n";
  for (int i = 0; i < inputs; ++i) text += "x" + std::to_string(i) + " = in int8\n";
  for (int i = 0; i < statements; ++i) text += "y" + std::to_string(i) + " = neg x0\n";
  for (int i = 0; i < outputs; ++i) text += "out x0 int8\n";
  return text;
}

TEST(Parse, what_is_too_much_is_refused) {
  EXPECT_EQ(outcome(programOf(kMostInputs, kMostStatements - kMostInputs, kMostOutputs)), "no error");
  EXPECT_NE(outcome(programOf(kMostInputs + 1, 0, 1)).find("at most 32 inputs"), std::string::npos);
  EXPECT_NE(outcome(programOf(1, kMostStatements, 1)).find("at most 512 statements"), std::string::npos);
  EXPECT_NE(outcome(programOf(1, 0, kMostOutputs + 1)).find("at most 16 outputs"), std::string::npos);
}

TEST(Parse, damaged_texts_are_refused_or_read_but_never_crash) {
  std::mt19937 random(7);
  const std::string whole = kAddRmsNorm;
  int refused = 0;
  for (int n = 0; n < 20000; ++n) {
    std::string text = whole;
    for (auto edits = 1 + random() % 4; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0) text.erase(at, 1 + random() % 5);
      else if (random() % 2 == 0) text[at] = static_cast<char>(random());
      else text.insert(at, text, random() % text.size(), random() % 20);
      if (text.empty()) text = " ";
    }
    refused += outcome(text) != "no error";
  }
  EXPECT_GT(refused, 10000);
  EXPECT_LT(refused, 20000);
}

TEST(Parse, every_word_is_named_once) {
  std::set<std::string_view> names;
  for (const auto& word : pointwiseWords()) EXPECT_TRUE(names.insert(word.name).second) << word.name;
  for (const auto& word : reductionWords()) EXPECT_TRUE(names.insert(word.name).second) << word.name;
}

TEST(Parsed, a_text_is_parsed_once_by_however_many_threads) {
  std::vector<std::shared_ptr<const Program>> programs(8);
  std::vector<std::thread> threads;
  for (auto& program : programs) threads.emplace_back([&] { program = parsed(kAddRmsNorm); });
  for (auto& thread : threads) thread.join();
  for (const auto& program : programs) EXPECT_EQ(program, programs[0]);
  EXPECT_NE(parsed(programOf(1, 0, 1))->id, programs[0]->id);
}

TEST(Parsed, more_texts_than_are_kept_stay_valid_while_they_are_held) {
  const auto first = parsed(programOf(1, 0, 1));
  for (int n = 0; n < 3000; ++n) parsed(programOf(1, 0, 1) + std::string(static_cast<std::size_t>(n), '\n'));
  EXPECT_EQ(first->text, programOf(1, 0, 1));
  EXPECT_EQ(parsed(programOf(1, 0, 1))->statements.size(), 1u);
}

}  // namespace
}  // namespace kadvise::rowprogram
