// kadvise::rope against the form written out and against double precision.
#include "tests/kernels/on_device.h"

#include <torch/csrc/autograd/autograd.h>

namespace kadvise::test {

struct Rope : OnDevice {};
struct RopeOnGpu : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, Rope, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Operators, RopeOnGpu, testing::Values("cuda"),
                         [](const auto&) { return std::string("cuda"); });

namespace {

enum class Pairs { Halves, Neighbours };

Tensor rope(const Tensor& x, const Tensor& cosine, const Tensor& sine, Pairs pairs, std::int64_t rotary) {
  static const auto op =
      operatorNamed<Tensor(const Tensor&, const Tensor&, const Tensor&, bool, std::int64_t)>("rope");
  return op.call(x, cosine, sine, pairs == Pairs::Neighbours, rotary);
}

Tensor rotated(const Tensor& x, Pairs pairs) {
  if (pairs == Pairs::Neighbours) {
    return at::stack({-x.slice(-1, 1, std::nullopt, 2), x.slice(-1, 0, std::nullopt, 2)}, -1).flatten(-2);
  }
  const std::int64_t half = x.size(-1) / 2;
  return at::cat({-x.slice(-1, half), x.slice(-1, 0, half)}, -1);
}

Tensor writtenOut(const Tensor& x, const Tensor& cosine, const Tensor& sine, Pairs pairs,
                  std::int64_t rotary) {
  const Tensor part = x.slice(-1, 0, rotary);
  return at::cat({part * cosine + rotated(part, pairs) * sine, x.slice(-1, rotary)}, -1);
}

void expectRope(const Tensor& x, const Tensor& cosine, const Tensor& sine, Pairs pairs, std::int64_t rotary) {
  const Tensor ours = rope(x, cosine, sine, pairs, rotary);
  EXPECT_EQ(ours.strides(), at::empty_like(x).strides());
  EXPECT_FALSE(ours.is_alias_of(x));
  const auto high = [](const Tensor& t) { return t.to(at::kDouble); };
  expectAsAccurate(ours, writtenOut(x, cosine, sine, pairs, rotary),
                   writtenOut(high(x), high(cosine), high(sine), pairs, rotary));
}

constexpr Pairs kBoth[] = {Pairs::Halves, Pairs::Neighbours};

// {length of a row, rotary elements}: chunks of 16 bytes serve some, elements all.
constexpr std::pair<std::int64_t, std::int64_t> kRows[] = {
    {64, 64}, {128, 128}, {80, 32}, {64, 16}, {256, 64}, {48, 24}, {10, 6}, {2, 2}, {7, 4}, {96, 90}};

TEST_P(Rope, is_as_accurate_as_written_out_for_every_dtype_length_and_part) {
  for (const auto dtype : kDtypes) {
    for (const auto& [length, rotary] : kRows) {
      for (const Pairs pairs : kBoth) {
        SCOPED_TRACE(testing::Message() << toString(dtype) << " " << rotary << " of " << length << " "
                                        << (pairs == Pairs::Neighbours));
        const Tensor heads = random({2, 5, 3, length}, dtype).transpose(1, 2);
        expectRope(heads, random({1, 1, 5, rotary}, dtype), random({1, 1, 5, rotary}, dtype), pairs, rotary);
      }
    }
  }
}

using New = std::function<Tensor(at::IntArrayRef)>;  // a tensor of these sizes

struct Layout {
  const char* name;
  std::function<Tensor(const New&)> make;  // [2, 3, 5, 64]: batch, head, position, element
};

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> all = {
      {"contiguous", [](const New& t) { return t({2, 3, 5, 64}); }},
      {"positions before heads", [](const New& t) { return t({2, 5, 3, 64}).transpose(1, 2); }},
      {"positions before batches", [](const New& t) { return t({5, 2, 3, 64}).permute({1, 2, 0, 3}); }},
      {"part of a merged projection",
       [](const New& t) { return t({2, 5, 576}).slice(2, 192, 384).view({2, 5, 3, 64}).transpose(1, 2); }},
      {"part of a merged projection by head",
       [](const New& t) { return t({2, 5, 3, 192}).slice(3, 64, 128).transpose(1, 2); }},
      {"storage offset", [](const New& t) { return t({1921}).slice(0, 1).view({2, 3, 5, 64}); }},
      {"columns at an odd place", [](const New& t) { return t({2, 3, 5, 65}).slice(3, 1); }},
      {"expanded heads", [](const New& t) { return t({2, 1, 5, 64}).expand({2, 3, 5, 64}); }},
      {"last dimension not dense", [](const New& t) { return t({2, 3, 64, 5}).transpose(2, 3); }},
      {"every second position", [](const New& t) { return t({2, 3, 10, 64}).slice(2, 0, 10, 2); }},
  };
  return all;
}

struct Table {
  const char* name;
  std::function<Tensor(const New&)> make;
};

const std::vector<Table>& tables() {
  static const std::vector<Table> all = {
      {"of positions", [](const New& t) { return t({5, 64}); }},
      {"with ones before", [](const New& t) { return t({1, 1, 5, 64}); }},
      {"of a batch", [](const New& t) { return t({2, 1, 5, 64}); }},
      {"of everything", [](const New& t) { return t({2, 3, 5, 64}); }},
      {"at an odd place", [](const New& t) { return t({321}).slice(0, 1).view({5, 64}); }},
      {"of one value", [](const New& t) { return t({1}); }},
      {"not dense", [](const New& t) { return t({64, 5}).t(); }},
  };
  return all;
}

TEST_P(Rope, any_layout_of_x_and_tables_gives_the_values_of_torch_in_the_order_of_x) {
  for (const auto dtype : kDtypes) {
    for (const Layout& layout : layouts()) {
      for (const Table& table : tables()) {
        SCOPED_TRACE(testing::Message() << toString(dtype) << " " << layout.name << ", table " << table.name);
        const New make = [&](at::IntArrayRef sizes) { return random(sizes, dtype); };
        const Tensor x = layout.make(make), cosine = table.make(make), sine = table.make(make);
        for (const Pairs pairs : kBoth) expectRope(x, cosine, sine, pairs, 64);
      }
    }
  }
}

TEST_P(Rope, of_heads_goes_back_to_positions_as_a_view) {
  const Tensor heads = random({2, 5, 3, 64}, at::kBFloat16).transpose(1, 2);
  const Tensor table = random({5, 64}, at::kBFloat16);
  const Tensor back = rope(heads, table, table, Pairs::Halves, 64).transpose(1, 2);
  EXPECT_TRUE(back.is_contiguous());
}

TEST_P(Rope, takes_vectors_and_nothing) {
  const Tensor table = random({8}, at::kFloat);
  expectRope(random({8}, at::kFloat), table, table, Pairs::Halves, 8);
  expectRope(random({0, 8}, at::kFloat), table, table, Pairs::Neighbours, 8);
  expectRope(random({3, 0, 5, 8}, at::kFloat), table, table, Pairs::Halves, 4 + 4);
}

TEST_P(Rope, of_mixed_dtypes_is_done_by_torch) {
  const Tensor x = random({2, 5, 16}, at::kBFloat16), table = random({5, 16}, at::kFloat);
  const Tensor ours = rope(x, table, table, Pairs::Halves, 16);
  EXPECT_EQ(ours.scalar_type(), at::kFloat);
  EXPECT_TRUE(at::allclose(ours, writtenOut(x, table, table, Pairs::Halves, 16)));
  const Tensor precise = random({2, 5, 16}, at::kDouble), wideTable = table.to(at::kDouble);
  EXPECT_TRUE(at::allclose(rope(precise, wideTable, wideTable, Pairs::Neighbours, 16),
                           writtenOut(precise, wideTable, wideTable, Pairs::Neighbours, 16)));
}

TEST_P(Rope, meta_tensors_give_the_shapes_strides_and_dtypes_of_real_ones) {
  for (const Layout& layout : layouts()) {
    SCOPED_TRACE(layout.name);
    const Tensor x = layout.make([&](at::IntArrayRef sizes) { return random(sizes, at::kHalf); });
    for (const auto dtype : {at::kHalf, at::kFloat}) {
      const Tensor table = random({5, 32}, dtype);
      const Tensor real = rope(x, table, table, Pairs::Halves, 32);
      const Tensor meta = rope(onMeta(x), onMeta(table), onMeta(table), Pairs::Halves, 32);
      EXPECT_TRUE(meta.is_meta());
      EXPECT_EQ(real.sizes(), meta.sizes());
      EXPECT_EQ(real.strides(), meta.strides());
      EXPECT_EQ(real.scalar_type(), meta.scalar_type());
    }
  }
}

TEST_P(Rope, refuses_a_part_that_is_odd_or_longer_than_the_row_and_tables_that_do_not_fit) {
  const Tensor x = random({5, 8}, at::kFloat), table = random({5, 8}, at::kFloat);
  for (const Tensor& t : {x, onMeta(x)}) {
    const Tensor fitting = t.is_meta() ? onMeta(table) : table;
    for (const std::int64_t rotary : {0, 3, 10, -2}) {
      const std::string message = outcomeOf([&] { rope(t, fitting, fitting, Pairs::Halves, rotary); });
      EXPECT_NE(message.find("rotary_dim is " + std::to_string(rotary)), std::string::npos) << message;
    }
    EXPECT_NE(outcomeOf([&] { rope(t, fitting, fitting, Pairs::Halves, 4); }), "no error");
  }
}

TEST_P(Rope, of_one_row_is_done_for_every_row_of_the_tables) {
  const Tensor x = random({1, 1, 5, 16}, at::kFloat);
  const std::vector<std::vector<std::int64_t>> ofTables = {{3, 1, 5, 16}, {1, 4, 5, 16}, {2, 1, 1, 5, 16}};
  for (const auto& sizes : ofTables) {
    const Tensor table = random(sizes, at::kFloat);
    const Tensor ours = rope(x, table, table, Pairs::Halves, 16);
    const Tensor theirs = x * table + at::cat({-x.slice(-1, 8), x.slice(-1, 0, 8)}, -1) * table;
    EXPECT_EQ(ours.sizes(), theirs.sizes());
    EXPECT_TRUE(at::allclose(ours, theirs));
    EXPECT_EQ(rope(onMeta(x), onMeta(table), onMeta(table), Pairs::Halves, 16).sizes(), theirs.sizes());
  }
}

TEST_P(Rope, refuses_tables_of_another_width_than_the_rotated_part) {
  const Tensor x = random({5, 12}, at::kFloat);
  for (const std::int64_t width : {1, 4, 12}) {
    const Tensor table = random({5, width}, at::kFloat);
    const std::string message = outcomeOf([&] { rope(x, table, table, Pairs::Halves, 8); });
    EXPECT_NE(message.find("a table is " + std::to_string(width) + " wide"), std::string::npos) << message;
  }
}

TEST_P(Rope, has_the_gradients_of_the_form_written_out) {
  for (const Pairs pairs : kBoth) {
    const Tensor x = random({2, 3, 5, 16}, at::kFloat).requires_grad_();
    const Tensor cosine = random({5, 8}, at::kFloat), sine = random({5, 8}, at::kFloat);
    const auto ours = torch::autograd::grad({rope(x, cosine, sine, pairs, 8).square().sum()}, {x});
    const auto theirs = torch::autograd::grad({writtenOut(x, cosine, sine, pairs, 8).square().sum()}, {x});
    EXPECT_TRUE(at::allclose(ours[0], theirs[0], 1e-4, 1e-5));
  }
}

// By chunks, and by elements.
TEST_P(RopeOnGpu, more_than_2_31_elements) {
  for (const std::int64_t length : {128, 130}) {
    try {
      const std::int64_t positions = (std::int64_t{1} << 31) / (32 * length) + 9;
      const Tensor x = at::randn({1, positions, 32, length}, of(at::kBFloat16)).transpose(1, 2);
      const Tensor cosine = at::randn({positions, length}, of(at::kBFloat16)), sine = at::randn_like(cosine);
      const Tensor ours = rope(x, cosine, sine, Pairs::Halves, length);
      for (const std::int64_t from : {std::int64_t{0}, positions / 2, positions - 8}) {
        const auto part = [&](const Tensor& t) { return t.slice(-2, from, from + 8).clone(); };
        const Tensor theirs = writtenOut(part(x), part(cosine), part(sine), Pairs::Halves, length);
        EXPECT_LE((part(ours) - theirs).abs().max().item<double>(), 0.2) << length << ", position " << from;
      }
    } catch (const c10::OutOfMemoryError&) {
      GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
    }
  }
}

}  // namespace
}  // namespace kadvise::test
