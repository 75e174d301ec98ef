// Which schedules are chosen, on meta tensors: every candidate can run and has a text; and how they are
// written.
#include "kernels/rowprogram/call_problem.h"
#include "kernels/rowprogram/call_shapes.h"
#include "kernels/rowprogram/emit.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>

namespace kadvise::rowprogram {
namespace {

struct Made {
  std::shared_ptr<const Program> program;
  Problem problem;
};

std::string with(std::string text, const std::string& dtype) {
  for (std::size_t at = text.find('T'); at != std::string::npos; at = text.find('T', at + 1))
    text.replace(at, 1, dtype);
  return "row_program 1\n" + text;
}

Made problemFor(const std::string& text, const std::vector<at::Tensor>& inputs) {
  Made made{parsed(text), {}};
  const auto problem = problemOf(*made.program, inputs, emptyOutputs(*made.program, inputs));
  EXPECT_TRUE(problem);
  made.problem = *problem;
  return made;
}

at::Tensor meta(at::IntArrayRef sizes, at::ScalarType t) {
  return at::empty(sizes, at::device(at::kMeta).dtype(t));
}

constexpr const char* kAddRmsNorm =
    "rank 2\nreduce 1\nx = in T\nr = in T\nw = in T\ns = add x r\nout s T\nq = square s\nm = mean q\ne = add "
    "m 1e-05\n"
    "k = rsqrt e\ny = mul s k\nz = mul y w\nout z T\n";
constexpr const char* kAddLayerNorm =
    "rank 2\nreduce 1\nx = in T\nr = in T\nw = in T\nb = in T\ns = add x r\nout s T\nm = mean s\nv = var "
    "s\ne = add v 1e-05\n"
    "k = rsqrt e\nd = sub s m\ny = mul d k\nz = mul y w\no = add z b\nout o T\n";
constexpr const char* kSoftmax =
    "rank 2\nreduce 1\nx = in T\nm = max x\nd = sub x m\ne = exp d\nz = sum e\ny = div e z\nout y T\n";
constexpr const char* kGelu = "rank 2\nx = in T\ny = gelu x\nout y T\n";

const std::array<std::array<std::int64_t, 2>, 9> kSizes = {{{512, 512},
                                                            {1000, 1023},
                                                            {8192, 1024},
                                                            {16384, 4096},
                                                            {4096, 16384},
                                                            {131072, 128},
                                                            {64, 131072},
                                                            {2, 1 << 20},
                                                            {1, 7}}};

// KADVISE_TEXTS=DIR keeps the texts, for a compiler that reports registers.
void keep(const Source& source, const std::string& name) {
  if (const char* folder = std::getenv("KADVISE_TEXTS"))
    std::ofstream(std::string(folder) + "/" + name + ".cu") << source.text;
}

TEST(Choice, raggedRowsMayGoElementByElementAndOthersNot) {
  const auto widths = [](std::int64_t columns) {
    const Made made = problemFor(with(kSoftmax, "float16"), {meta({1000, columns}, at::kHalf)});
    int single = 0;
    for (const Schedule& s : schedulesFor(made.problem, Gpu{})) single += s.width == 1;
    return single;
  };
  EXPECT_GE(widths(1023), 1);
  EXPECT_EQ(widths(1024), 0);
}

TEST(Choice, outputsOfBothOrdersAreWrittenByTiles) {
  const std::string text =
      with("rank 4\nx = in T\ny = in T\ns = add x y\na = silu s\nout a T contiguous\nout s T\n", "bfloat16");
  const auto image = meta({8, 192, 28, 28}, at::kBFloat16).contiguous(at::MemoryFormat::ChannelsLast);
  const Made made = problemFor(text, {image, image});
  EXPECT_EQ(schedulesFor(made.problem, Gpu{}).at(0).form, Form::Tiles);
}

TEST(Choice, reducedDimensionsAreSharedWhereTooFewBlocksLieBesideEachOther) {
  const auto best = [](std::int64_t reduced, std::int64_t kept) {
    const Made made = problemFor(with("rank 2\nreduce 0\nx = in T\ny = sum x\nout y T drop\n", "bfloat16"),
                                 {meta({reduced, kept}, at::kBFloat16)});
    return schedulesFor(made.problem, Gpu{}).front();
  };
  const Schedule narrow = best(65536, 1024);
  EXPECT_EQ(narrow.form, Form::Columns);
  const double blocks = 1024.0 / 8 * narrow.threads / narrow.block * narrow.parts;
  EXPECT_GE(blocks * narrow.block * narrow.vectors * 16, 132 * (48 << 10))
      << toText(narrow);  // bytes asked for
  EXPECT_EQ(best(256, 1 << 20).parts, 1);
}

TEST(Choice, whatWaitsForAMeanOrAMaximumIsJoinedInOneRound) {
  const auto kernels = [](const char* text, const char* schedule) {
    const at::Tensor x = meta({4, 65536}, at::kFloat), w = meta({65536}, at::kFloat);
    const Made made =
        problemFor(with(text, "float32"),
                   text == kSoftmax ? std::vector<at::Tensor>{x} : std::vector<at::Tensor>{x, x, w, w});
    return emit(made.problem, *scheduleOf(schedule), Gpu{}).launches.size();
  };
  EXPECT_EQ(kernels(kSoftmax, "split/t256/k2/b256/p8"), 2U);
  EXPECT_EQ(kernels(kAddLayerNorm, "split/t256/k2/b256/p8"), 2U);
  const Made middle = problemFor(with("rank 3\nreduce 1\nx = in T\nv = var x\nout v T drop\n", "float32"),
                                 {meta({32, 4096, 512}, at::kFloat)});
  EXPECT_EQ(emit(middle.problem, *scheduleOf("columns/t16/k4/b128/p4"), Gpu{}).launches.size(), 2U);
}

TEST(Choice, everyCandidateRunsAndHasAText) {
  int number = 0;
  for (const at::ScalarType t : {at::kFloat, at::kBFloat16})
    for (const auto& [rows, columns] : kSizes)
      for (const char* text : {kAddRmsNorm, kAddLayerNorm, kSoftmax, kGelu}) {
        const at::Tensor x = meta({rows, columns}, t), w = meta({columns}, t);
        std::vector<at::Tensor> inputs{x};
        if (text == kAddRmsNorm) inputs = {x, x, w};
        if (text == kAddLayerNorm) inputs = {x, x, w, w};
        const Made made = problemFor(with(text, t == at::kFloat ? "float32" : "bfloat16"), inputs);
        std::string why;
        const auto all = schedulesFor(made.problem, Gpu{}, &why);
        EXPECT_GE(all.size(), 1u) << rows << " x " << columns << ": " << why;
        EXPECT_LE(all.size(), 8u);
        std::size_t place = 0;
        for (const Schedule& s : all) {
          EXPECT_TRUE(runs(s, made.problem, Gpu{})) << toText(s);
          const Source source = emit(made.problem, s, Gpu{});
          EXPECT_FALSE(source.launches.empty());
          for (const Launch& l : source.launches) {
            EXPECT_LE(l.grid[0], INT32_MAX) << toText(s);
            EXPECT_LE(l.sharedBytes, Gpu{}.sharedBytesPerBlock) << toText(s);
          }
          std::string name = toText(s);
          std::replace(name.begin(), name.end(), '/', '-');
          keep(source, std::to_string(number) + "_" + std::to_string(rows) + "x" + std::to_string(columns) +
                           "_" + std::to_string(place++) + "_" + name);
        }
        ++number;
      }
}

TEST(Choice, genericTextsAreTheSameForOtherSizes) {
  const auto textFor = [](std::int64_t rows, std::int64_t columns) {
    const Made made = problemFor(with(kSoftmax, "bfloat16"), {meta({rows, columns}, at::kBFloat16)});
    const auto schedule = genericFor(made.problem, Gpu{});
    EXPECT_TRUE(schedule);
    return emit(made.problem, *schedule, Gpu{}).text;
  };
  EXPECT_EQ(textFor(32, 1100), textFor(64, 1101));
  EXPECT_EQ(textFor(32, 1101), textFor(32, 1400));
  EXPECT_NE(textFor(32, 100), textFor(32, 8000));
}

TEST(Choice, textsDoNotDependOnTheNumberOfRows) {
  for (const char* text : {kSoftmax, kGelu}) {
    const auto textFor = [&](std::int64_t rows) {
      const Made made = problemFor(with(text, "bfloat16"), {meta({rows, 1024}, at::kBFloat16)});
      return emit(made.problem, *scheduleOf(text == kGelu ? "flat/t128/k2/b128" : "block/t128/k1/b128"),
                  Gpu{})
          .text;
    };
    EXPECT_EQ(textFor(100), textFor(3000));
  }
}

TEST(Choice, moreElementsThan32BitsCountUseWideOffsets) {
  const Made made = problemFor(with(kGelu, "bfloat16"), {meta({1 << 17, 1 << 15}, at::kBFloat16)});
  EXPECT_NE(emit(made.problem, *scheduleOf("flat/t128/k1/b128"), Gpu{}).text.find("typedef i64 index"),
            std::string::npos);
}

TEST(Choice, schedulesAreWrittenAndRead) {
  for (const char* text :
       {"flat/t128/k1/b128", "lanes/t8/k2/b128", "block/t256/k4/b256/persistent", "cluster/t512/k4/b512/p4",
        "block/t512/k2/b512/o4", "split/t256/k2/b256/p17/generic"}) {
    const auto schedule = scheduleOf(text);
    ASSERT_TRUE(schedule) << text;
    EXPECT_EQ(toText(*schedule), text);
  }
  for (const char* text : {"", "flat/", "rows/t1", "flat/t0", "flat/x3", "flat/t", "flat/t9999999999"})
    EXPECT_FALSE(scheduleOf(text)) << text;
}

}  // namespace
}  // namespace kadvise::rowprogram
