// A row program: a fused group of element-wise operators, broadcasts, gathers and reductions as text, which
// one kernel computes. `kadvise::row_program(str program, Tensor[] inputs) -> Tensor[]` runs it.
//
// The text is one statement a line; a name is given once, and stands for a tensor that is never stored unless
// an `out` line says so.
//
//     row_program 1                 version
//     rank 3                        dimensions of the iteration space; inputs are aligned to it from the
//     right reduce 2                      dimensions that reductions go over (0 is the first); no line: no
//     reductions x = in bfloat16               inputs, in the order of the operator's list r = in bfloat16 w
//     = in bfloat16 s = add x r                   operands: names and numbers (1e-05, inf, -inf, nan, 3) h =
//     cast bfloat16 s           rounded to a dtype, as a module that stores it there has it out h bfloat16
//     outputs, in the order of the results; the dtype that is stored q = square h m = mean q over the
//     dimensions of `reduce`; keeps them as size 1 e = add m 1e-05 k = rsqrt e y = mul h k z = mul y w out z
//     bfloat16
//
// Shapes are those of torch: the iteration space is the inputs' sizes broadcast together; an output has the
// sizes broadcast from the inputs that it is computed of, with 1 where it went through a reduction. `out m
// bfloat16 drop` leaves the reduced dimensions out of the shape, as keepdim=False does.
//
// A gather reads a table by whole numbers: `t = in bfloat16 table` declares a table, of two dimensions, which
// takes no part in the iteration space, and `g = take t i` is t[i, c], with c the last dimension's index; i
// must be of size 1 in the last dimension. An index outside of the table is an error, as it is in
// torch.embedding.
//
// Values are computed as float (floating dtypes of up to 32 bits; each operator rounds to float32), int (64
// bits) or bool; between an int and a float, float. What a module rounds to 16 bits between its operators is
// not rounded here unless a `cast` says so. Where a floating input is wider than its line says (float64), all
// floating values are computed in float64, casts between floating dtypes do nothing, and floating outputs are
// float64: the reference that results are compared with.
//
// Reductions are of float32 in a fixed order; `max` and `min` pass NaN on, as torch's do. An empty reduction
// is an error for max and min, 0 for sum, NaN for mean and var.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kadvise::rowprogram {

enum class Element : std::uint8_t { Bool, UInt8, Int8, Int16, Int32, Int64, Half, BFloat16, Float, Double };
enum class Type : std::uint8_t { Bool, Int, Float };

// Element-wise operators, by what they are called in the text. They mean what torch's operators of the name
// mean, in values, NaN and infinities, unless said.
enum class Pointwise : std::uint8_t {
  Abs,
  Neg,
  Exp,
  Exp2,
  Expm1,
  Log,
  Log2,
  Log10,
  Log1p,
  Sqrt,
  Rsqrt,
  Reciprocal,
  Square,
  Sin,
  Cos,
  Tan,
  Tanh,
  Sinh,
  Cosh,
  Asin,
  Acos,
  Atan,
  Erf,
  Erfc,
  Sigmoid,
  Logsigmoid,
  Relu,
  Relu6,
  Silu,
  Gelu,
  GeluTanh,
  Mish,
  Softplus,
  Softsign,
  Hardtanh,
  Hardswish,
  Hardsigmoid,
  Floor,
  Ceil,
  Round,
  Trunc,
  Sign,
  Isnan,
  Isinf,
  Not,
  Add,
  Sub,
  Mul,
  Div,
  Pow,
  Maximum,
  Minimum,
  Fmod,
  Remainder,
  FloorDiv,
  Atan2,
  LeakyRelu,
  Elu,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  And,
  Or,
  Xor,
  BitAnd,
  BitOr,
  BitXor,
  BitNot,
  Where,
  Clamp,
  Fma,  // where c a b; clamp x low high; fma a b c = a * b + c, rounded once
};

enum class Reduction : std::uint8_t {
  Sum,
  Mean,
  Max,
  Min,
  Prod,
  Var,  // mean of the squared distances from the mean, biased, in two passes or merged from parts: never
        // E[x²]-E[x]²
  Any,
  All,  // of bools
  Argmax,
  Argmin,  // the first of equals, NaN above all (below all): an int; over one dimension
};

// What a statement reads: an earlier statement's value, or a number.
struct Operand {
  int statement = -1;  // index in Program::statements; -1: a number
  double number = 0;   // whole numbers up to 2^53 are exact; larger ones are refused
  Type type = Type::Float;
};

// Where a value varies. A full value has an element for each point of the iteration space, a row value one
// for each row: it went through a reduction, or is made of such values and numbers only. (An input that is
// broadcast along the reduced dimensions is full: what is broadcast is known only where tensors are.)
enum class Extent : std::uint8_t { Row, Full };

struct Statement {
  enum class Kind : std::uint8_t { Input, Table, Take, Pointwise, Cast, Reduce };
  Kind kind = Kind::Input;
  std::string name;
  Element element = Element::Float;  // Input, Table, Cast
  Pointwise pointwise = Pointwise::Add;
  Reduction reduction = Reduction::Sum;
  std::vector<Operand> operands;  // Take: the table and the index
  Type type = Type::Float;        // of the value
  Extent extent = Extent::Full;
  int phase =
      0;  // reductions that must be complete before it can be computed; a Reduce: those before its operand
  int input = -1;  // Input, Table: the place in the operator's list
  int line = 0;    // of the text
};

struct Output {
  int statement = -1;
  Element element = Element::Float;
  bool dropsReduced = false;
};

struct Program {
  int rank = 0;
  std::vector<int> reduced;           // ascending; empty: no reductions
  std::vector<Statement> statements;  // inputs and tables first, in their order
  std::vector<Output> outputs;
  int inputs = 0;  // statements [0, inputs) are inputs and tables
  int phases = 0;  // the largest phase of a value; 0: no reductions
  std::string text;
};

// Throws c10::Error with line and remedy: an unknown word, a name given twice or never, operands of another
// number or type, more than kMost of anything.
Program parse(const std::string& text);

// The same, parsed once for each text of a process.
const Program& parsed(const std::string& text);

constexpr int kMostInputs = 32, kMostOutputs = 16, kMostStatements = 512, kMostRank = 8;

}  // namespace kadvise::rowprogram
