// kadvise::joined_row_programs as a C++ program calls it.
#include "tests/kernels/on_device.h"

namespace kadvise::test {

struct JoinedRowPrograms : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, JoinedRowPrograms, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

namespace {

const std::string kCopy = "row_program 1\nrank 4\nx = in float32\nout x float32\n";
const std::string kBiasSilu =
    "row_program 1\nrank 4\nx = in float32\nb = in float32\ns = add x b\ny = silu s\nout y float32\n";
const std::string kSoftmax =
    "row_program 1\nrank 4\nreduce 3\nx = in float32\nm = max x\nd = sub x m\ne = exp d\ns = sum e\ny = div "
    "e s\n"
    "out y float32\n";

Tensor joined(const std::string& programs, const std::vector<Tensor>& inputs, std::int64_t dim) {
  static const auto op =
      operatorNamed<Tensor(c10::string_view, at::TensorList, std::int64_t)>("joined_row_programs");
  return op.call(programs, inputs, dim);
}

TEST_P(JoinedRowPrograms, equal_the_concatenation_and_its_strides) {
  for (const bool first : {false, true})
    for (const bool second : {false, true})
      for (const std::int64_t channels : {1, 3, 16}) {
        const auto lay = [](const Tensor& t, bool isLast) {
          return t.contiguous(isLast ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous);
        };
        const Tensor a = lay(random({2, 8, 5, 6}, at::kFloat), first);
        const Tensor b = lay(random({2, channels, 5, 6}, at::kFloat), second),
                     bias = random({channels, 1, 1}, at::kFloat);
        const Tensor want = at::cat({a, at::silu(b + bias), a}, 1);
        const Tensor ours = joined(kCopy + kBiasSilu + kCopy, {a, b, bias, a}, -3);
        EXPECT_TRUE(at::allclose(ours, want, 1e-5, 1e-6));
        EXPECT_EQ(ours.strides(), want.strides()) << first << second << channels;
      }
}

TEST_P(JoinedRowPrograms, take_rows_that_are_reduced_and_empty_pieces) {
  const Tensor a = random({2, 3, 5, 7}, at::kFloat), none = random({2, 3, 0, 7}, at::kFloat);
  const Tensor ours = joined(kSoftmax + kCopy + kCopy, {a, none, a}, 2);
  EXPECT_TRUE(at::allclose(ours, at::cat({at::softmax(a, 3), none, a}, 2), 1e-5, 1e-6));
  EXPECT_EQ(joined(kCopy, {none}, 1).sizes(), none.sizes());
}

TEST_P(JoinedRowPrograms, have_gradients) {
  const Tensor a = random({1, 2, 3, 4}, at::kFloat).requires_grad_(),
               bias = random({2, 1, 1}, at::kFloat).requires_grad_();
  joined(kCopy + kBiasSilu, {a, a, bias}, 1).sum().backward();
  const Tensor b = a.detach().clone().requires_grad_(), c = bias.detach().clone().requires_grad_();
  at::cat({b, at::silu(b + c)}, 1).sum().backward();
  EXPECT_TRUE(at::allclose(a.grad(), b.grad(), 1e-4, 1e-5));
  EXPECT_TRUE(at::allclose(bias.grad(), c.grad(), 1e-4, 1e-5));
}

TEST_P(JoinedRowPrograms, say_what_is_wrong) {
  const Tensor a = random({1, 2, 3, 4}, at::kFloat);
  const auto said = [&](const std::string& text, std::vector<Tensor> inputs, std::int64_t dim = 1) {
    return outcomeOf([&] { joined(text, inputs, dim); });
  };
  EXPECT_EQ(said(kCopy + kCopy, {a}), "kadvise::joined_row_programs: 1 inputs are too few for the programs");
  EXPECT_EQ(said(kCopy, {a, a}), "kadvise::joined_row_programs: the programs have 1 inputs, 2 were given");
  EXPECT_EQ(said(kCopy + "row_program 1\nrank 1\nx = in float32\nout x float32\nout x float32\n", {a, a}),
            "kadvise::joined_row_programs: program 2 has 2 outputs, a piece is one");
  EXPECT_EQ(said("", {}), "kadvise::joined_row_programs: there is no program");
  EXPECT_NE(said(kCopy + kCopy, {a, random({1, 2, 5, 4}, at::kFloat)}).find("Sizes of tensors must match"),
            std::string::npos);
  EXPECT_NE(said(kCopy, {a}, 4).find("Dimension out of range"), std::string::npos);
}

}  // namespace
}  // namespace kadvise::test
