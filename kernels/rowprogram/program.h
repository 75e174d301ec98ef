// A row program: a fused group of element-wise operators, broadcasts, gathers and reductions as text, which
// one kernel computes. `kadvise::row_program(str program, Tensor[] inputs) -> Tensor[]` runs it.
//
// The text is one statement a line; a name is given once, and stands for a tensor that is never stored unless
// an `out` line says so.
//
// clang-format off
//     row_program 1      version
//     rank 3             dimensions of the iteration space; inputs are aligned to it from the right
//     reduce 2           dimensions that reductions go over (0 is the first); no line: no reductions
//     x = in bfloat16    inputs, in the order of the operator's list
//     r = in bfloat16
//     w = in bfloat16
//     s = add x r        operands: names and numbers (1e-05, inf, -inf, nan, 3)
//     h = cast bfloat16 s   rounded to a dtype, as a module that stores it there has it
//     out h bfloat16     outputs, in the order of the results; the dtype that is stored
//     q = square h
//     m = mean q         over the dimensions of `reduce`; keeps them as size 1
//     e = add m 1e-05
//     k = rsqrt e
//     y = mul h k
//     z = mul y w
//     out z bfloat16
// clang-format on
//
// The version comes first, then `rank`, `reduce`, inputs and tables, and the rest. Words are those of torch
// in lower case with underscores (`gelu_tanh`, `floor_div`, `bit_and`); words.h has them all, with the types
// they take.
//
// Shapes are those of torch: the iteration space is the inputs' sizes broadcast together; an output has the
// sizes and the rank broadcast from the inputs that it is computed of, with 1 where it went through a
// reduction. A reduction goes over the sizes of its own operand. `out m bfloat16 drop` leaves the reduced
// dimensions out of the shape, as keepdim=False does. Outputs are new memory, laid out as torch's
// element-wise operators do: as the first input of the output's sizes that it is computed of without a
// reduction, else contiguous. `out z bfloat16 contiguous` is contiguous whatever the inputs are.
//
// `out z bfloat16 over h` allows to write z into the memory of the input h: it is done where nobody but the
// call holds h any more (the last reader in a graph), and h lies as z would. That memory is in the caches
// already, and what stood in it need not be written back.
//
// A gather reads a table by whole numbers: `t = in bfloat16 table` declares a table, of two dimensions, and
// `g = take t i` is t[i, c], with c the last dimension's index; i must be of size 1 in the last dimension. Of
// the table only the columns are part of the iteration space, as the size of the last dimension. An index
// outside of the table is an error, as it is in torch.embedding.
//
// `t = in bfloat16 lists` declares an input with one dimension more than the iteration space has at most, a
// list for each point: `g = pick t i` is torch.gather(t, -1, i) with the last dimension of both left out, t's
// other dimensions aligned as those of other inputs are. They may be of size 1, and larger than those of i,
// which alone gives the sizes. Each list is read by one pick; an index outside of it is an error.
//
// Values are computed as float (floating dtypes of up to 32 bits; each operator rounds to float32), int (64
// bits) or bool; between an int and a float, float. A number with a point or an exponent is a float, others
// are ints. What a module rounds to 16 bits between its operators is not rounded here unless a `cast` says
// so. Where a floating input is wider than its line says (float64), all floating values are computed in
// float64, casts between floating dtypes do nothing, and floating outputs are float64: the reference that
// results are compared with.
//
// Reductions are of float32 in a fixed order; `max` and `min` pass NaN on, as torch's do. An empty reduction
// is an error for max and min, 0 for sum, NaN for mean and var. Where no output has an element nothing is
// computed, so that a softmax of empty rows is no error, as it is none in torch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kadvise::rowprogram {

enum class Element : std::uint8_t { Bool, UInt8, Int8, Int16, Int32, Int64, Half, BFloat16, Float, Double };
enum class Type : std::uint8_t { Bool, Int, Float };

// Element-wise operators, by what they are called in the text. They mean what torch's operators of the name
// mean, in values, NaN and infinities, unless said:
//   where c a b, clamp x low high
//   fma a b c = a * b + c, rounded once
// clang-format off
enum class Pointwise : std::uint8_t {
  Abs, Neg, Exp, Exp2, Expm1, Log, Log2, Log10, Log1p, Sqrt, Rsqrt, Reciprocal, Square, Sin, Cos, Tan, Tanh, Sinh, Cosh,
  Asin, Acos, Atan, Erf, Erfc, Sigmoid, Logsigmoid, Relu, Relu6, Silu, Gelu, GeluTanh, Mish, Softplus, Softsign, Hardtanh,
  Hardswish, Hardsigmoid, Floor, Ceil, Round, Trunc, Sign, Isnan, Isinf, Not,
  Add, Sub, Mul, Div, Pow, Maximum, Minimum, Fmod, Remainder, FloorDiv, Atan2, LeakyRelu, Elu,
  Eq, Ne, Lt, Le, Gt, Ge, And, Or, Xor, BitAnd, BitOr, BitXor, BitNot,
  Where, Clamp, Fma,
};
// clang-format on

// Over the reduced dimensions.
//   Var     mean of the squared distances from the mean, biased, in two passes or merged from parts: never
//           E[x^2] - E[x]^2
//   Any, All        of bools
//   Argmax, Argmin  the first of equals, NaN above all (below all): an int; over one dimension
enum class Reduction : std::uint8_t { Sum, Mean, Max, Min, Prod, Var, Any, All, Argmax, Argmin };

// What a statement reads: an earlier statement's value, or a number.
struct Operand {
  int statement = -1;       // index in Program::statements; -1: a number
  double number = 0;        // ints up to 2^53; floats are rounded to the type that they are computed in
  Type type = Type::Float;  // of the value or number itself
};

// Where a value varies. A full value has an element for each point of the iteration space, a row value one
// for each row: it went through a reduction, or is made of such values and numbers only. (An input that is
// broadcast along the reduced dimensions is full: what is broadcast is known only where tensors are.)
enum class Extent : std::uint8_t { Row, Full };

struct Statement {
  enum class Kind : std::uint8_t { Input, Table, Lists, Take, Pick, Pointwise, Cast, Reduce };
  Kind kind = Kind::Input;
  std::string name;
  Element element = Element::Float;  // Input, Table, Lists, Cast
  Pointwise pointwise = Pointwise::Add;
  Reduction reduction = Reduction::Sum;
  std::vector<Operand> operands;   // Take, Pick: the table or lists, and the index
  Type type = Type::Float;         // of the value
  Type operandType = Type::Float;  // that operands are converted to, the condition of where aside
  Extent extent = Extent::Full;
  int phase = 0;            // reductions in sequence that come before it (a Reduce: before its operand)
  int input = -1;           // Input, Table, Lists: the place in the operator's list
  int line = 0;             // of the text
  std::uint32_t reads = 0;  // bits of the inputs that it is computed of
  std::uint32_t along = 0;  // those that give its sizes in the reduced dimensions: none of a row value
};

struct Output {
  int statement = -1;
  Element element = Element::Float;
  bool dropsReduced = false;
  bool isContiguous = false;
  int over = -1;  // the input whose memory it may be written into
};

struct Program {
  int rank = 0;
  std::vector<int> reduced;           // ascending; empty: no reductions
  std::vector<Statement> statements;  // what is read first, in its order
  std::vector<Output> outputs;
  int inputs = 0;      // statements [0, inputs) are inputs, tables and lists
  int phases = 0;      // reductions in sequence; 0: none at all
  bool takes = false;  // from a table
  bool picks = false;  // from lists
  std::string text;
  std::uint64_t id = 0;  // of this text in this process, for caches; texts never share one
};

// Throws c10::Error with line and remedy: an unknown word, a name given twice or never, operands of another
// number or type, more than kMost of anything.
Program parse(std::string_view text);

// The same, kept for the process. Any thread may call.
std::shared_ptr<const Program> parsed(std::string_view text);

inline bool isReduced(const Program& program, int dim) {
  return std::find(program.reduced.begin(), program.reduced.end(), dim) != program.reduced.end();
}

constexpr int kMostInputs = 32, kMostOutputs = 16, kMostStatements = 512, kMostRank = 8;

}  // namespace kadvise::rowprogram
