// kadvise::row_program as a C++ program calls it: by dlopen and the dispatcher.
#include "kernels/rowprogram/interpret.h"
#include "tests/kernels/on_device.h"

#include <thread>

namespace kadvise::test {

struct RowProgramOperator : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, RowProgramOperator, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

namespace {

const char* const kSoftmax = R"(row_program 1
rank 3
reduce 2
x = in float32
m = in bool
a = where m x -inf
b = max a
c = sub a b
e = exp c
s = sum e
y = div e s
out y float32)";

std::vector<Tensor> rowProgram(const char* text, const std::vector<Tensor>& inputs) {
  static const auto op = operatorNamed<std::vector<Tensor>(c10::string_view, at::TensorList)>("row_program");
  return op.call(text, inputs);
}

TEST_P(RowProgramOperator, a_masked_softmax_is_as_accurate_as_torch) {
  for (const std::int64_t columns : {1, 7, 64, 1000, 5000}) {
    const Tensor x = random({2, 3, columns}, at::kFloat, 0, 3);
    Tensor mask = at::rand({1, 3, columns}, of(at::kFloat)) < 0.8;
    mask.select(-1, 0).fill_(true);
    const auto softmax = [&](const Tensor& t) { return at::softmax(t.masked_fill(~mask, -INFINITY), -1); };
    const auto ours = rowProgram(kSoftmax, {x, mask});
    ASSERT_EQ(ours.size(), 1u);
    expectAsAccurate(ours[0], softmax(x), softmax(x.to(at::kDouble)), kOtherAlgorithm);
  }
}

TEST_P(RowProgramOperator, a_softmax_of_empty_rows_is_empty_as_in_torch) {
  const Tensor x = random({2, 3, 0}, at::kFloat), mask = at::ones({2, 3, 0}, of(at::kBool));
  EXPECT_EQ(rowProgram(kSoftmax, {x, mask})[0].sizes(), x.sizes());
}

TEST_P(RowProgramOperator, rows_that_the_mask_hides_are_nan_as_in_torch) {
  const Tensor x = random({1, 2, 8}, at::kFloat), mask = at::zeros({1, 2, 8}, of(at::kBool));
  EXPECT_TRUE(rowProgram(kSoftmax, {x, mask})[0].isnan().all().item<bool>());
}

TEST_P(RowProgramOperator, many_threads_may_call) {
  const Tensor x = random({4, 16, 96}, at::kFloat), mask = at::ones({96}, of(at::kBool));
  const Tensor expected = rowProgram(kSoftmax, {x, mask})[0];
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int n = 0; n < 50; ++n) wrong += !at::equal(rowProgram(kSoftmax, {x, mask})[0], expected);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(RowProgramOperator, a_wrong_text_or_call_is_an_error_with_its_reason) {
  const Tensor x = random({2, 3}, at::kFloat);
  const auto said = [&](const char* text) { return outcomeOf([&] { rowProgram(text, {x}); }); };
  EXPECT_EQ(said("row_program 1\nrank 2\nx = in float32\ny = expp x\nout y float32"),
            "row program, line 4: 'expp' is no operator of row programs; the nearest is exp");
  EXPECT_EQ(said(kSoftmax), "kadvise::row_program: the program has 2 inputs, 1 were given");
}

}  // namespace
}  // namespace kadvise::test
