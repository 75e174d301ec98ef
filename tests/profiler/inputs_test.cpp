#include "profiler/inputs.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "modules.h"
#include "profiler/region_inputs.h"

namespace kadvise {
namespace {

TEST(Specs, MakeTensorsAndLiterals) {
  auto v = inputsFromSpecs({"float[2,3]", "int64[4]<7", "bool[8]", "float[5]>0", "3", "1e-5", "true",
                            "\"tanh\"", "[1, 2]", "null", "[0.5]"},
                           "float16", cpuDevice(), 1);
  EXPECT_EQ(v[0].toTensor().scalar_type(), at::kHalf);
  EXPECT_LT(v[1].toTensor().max().item<int>(), 7);
  EXPECT_EQ(v[2].toTensor().scalar_type(), at::kBool);
  EXPECT_GT(v[3].toTensor().min().item<double>(), 0);
  EXPECT_EQ(v[4].toInt(), 3);
  EXPECT_EQ(v[5].toDouble(), 1e-5);
  EXPECT_TRUE(v[6].toBool());
  EXPECT_EQ(v[7].toStringRef(), "tanh");
  EXPECT_TRUE(v[8].isIntList());
  EXPECT_TRUE(v[9].isNone());
  EXPECT_TRUE(v[10].isDoubleList());
}

TEST(Specs, GiveTheSameValuesForTheSameSeed) {
  auto one = [](std::uint64_t seed) {
    return inputsFromSpecs({"float32[64]"}, "float32", cpuDevice(), seed)[0].toTensor();
  };
  EXPECT_TRUE(at::equal(one(1), one(1)));
  EXPECT_FALSE(at::equal(one(1), one(2)));
}

// Drawing 2^31 numbers takes a CPU half a minute.
TEST(Specs, LargeTensorsRepeatWhatWasDrawnSoThatNoRowIsLikeAnother) {
  auto x = inputsFromSpecs({"float16[5,4194304]"}, "float32", cpuDevice(), 1)[0].toTensor();
  EXPECT_EQ(x.sizes(), (std::vector<std::int64_t>{5, 4194304}));
  auto flat = x.view(-1);
  EXPECT_TRUE(at::allclose(flat.narrow(0, 0, 100), flat.narrow(0, 16777213, 100), 2e-3, 0));
  auto wide = inputsFromSpecs({"float32[20000000]"}, "float32", cpuDevice(), 1)[0].toTensor();
  auto largest = std::get<0>(wide.topk(2));
  EXPECT_GT(largest[0].item<float>(), largest[1].item<float>());
  EXPECT_FALSE(at::equal(x[0].narrow(0, 0, 100), x[4].narrow(0, 0, 100)));
  EXPECT_TRUE(at::equal(
      flat.narrow(0, 0, 100),
      inputsFromSpecs({"float16[16777213]"}, "float32", cpuDevice(), 1)[0].toTensor().narrow(0, 0, 100)));
}

TEST(RegionInputs, LargeOnesOfTheModuleAreSavedByNumber) {
  TemporaryFolder folder;
  at::Tensor large = at::zeros({17 << 20}), small = at::randn({4});
  const Values own = {small, large};
  writeRegionInputs(folder.path / "r.pt", {"in.1", "n3.0", "in.0"}, {large, at::ones({2}), small}, own);
  EXPECT_LT(std::filesystem::file_size(folder.path / "r.pt"), 100'000);
  auto back = readRegionInputs(folder.path / "r.pt", own);
  EXPECT_TRUE(back[0].toTensor().is_same(large));
  EXPECT_TRUE(at::equal(back[1].toTensor(), at::ones({2})));
  EXPECT_TRUE(at::equal(back[2].toTensor(), small));
  EXPECT_ANY_THROW(readRegionInputs(folder.path / "r.pt", {small}));
  // A value that was computed is saved, however large.
  writeRegionInputs(folder.path / "r.pt", {"n3.0"}, {large}, own);
  EXPECT_GT(std::filesystem::file_size(folder.path / "r.pt"), 68'000'000);
}

TEST(RegionInputs, NoArgumentIsTakenForANumber) {
  TemporaryFolder folder;
  const Values own = {at::zeros({17 << 20})};
  c10::impl::GenericDict dict(c10::StringType::get(), c10::AnyType::get());
  dict.insert("values", c10::ivalue::Tuple::create({c10::IValue()}));
  dict.insert("own", c10::ivalue::Tuple::create({c10::IValue(0)}));
  const Values values = {"kadvise: input 0", c10::ivalue::Tuple::create({c10::IValue(0)}), c10::IValue(),
                         dict, c10::IValue(0)};
  auto expectSame = [&](const Values& back, std::size_t from) {
    ASSERT_EQ(back.size(), values.size() + from);
    EXPECT_EQ(back[from].toStringRef(), "kadvise: input 0");
    EXPECT_EQ(back[from + 1].toTupleRef().elements()[0].toInt(), 0);
    EXPECT_TRUE(back[from + 2].isNone());
    EXPECT_TRUE(back[from + 3].toGenericDict().at("values").isTuple());
    EXPECT_EQ(back[from + 4].toInt(), 0);
  };
  std::vector<std::string> names = {"n1.0", "n2.0", "n3.0", "n4.0", "n5.0"};
  writeRegionInputs(folder.path / "r.pt", names, values, own);
  expectSame(readRegionInputs(folder.path / "r.pt", own), 0);

  Values beside = values;
  beside.insert(beside.begin(), own[0]), names.insert(names.begin(), "in.0");
  writeRegionInputs(folder.path / "r.pt", names, beside, own);
  auto back = readRegionInputs(folder.path / "r.pt", own);
  EXPECT_TRUE(back[0].toTensor().is_same(own[0].toTensor()));
  expectSame(back, 1);
  // A region whose one argument is such a dict.
  writeRegionInputs(folder.path / "r.pt", {"n4.0"}, {dict}, own);
  EXPECT_TRUE(readRegionInputs(folder.path / "r.pt", own).at(0).isGenericDict());
}

TEST(Specs, UnboundIntegersFitEveryTable) {
  auto ids = inputsFromSpecs({"int64[1000]"}, "float32", cpuDevice(), 1)[0].toTensor();
  EXPECT_EQ(ids.min().item<int>(), 0);
  EXPECT_EQ(ids.max().item<int>(), 1);
}

TEST(SavedValues, ComeBackAsTheyWere) {
  TemporaryFolder folder;
  at::Tensor strided = at::randn({4, 6}).t();
  Values values = {strided,
                   c10::IValue(3),
                   c10::IValue(2.5),
                   c10::IValue(),
                   c10::IValue(std::vector<at::Tensor>{at::ones({2})}),
                   c10::IValue(std::vector<std::int64_t>{1, 2}),
                   c10::IValue("text"),
                   c10::IValue(true)};
  writeValues(folder.path / "v.pt", values);
  auto back = readValues(folder.path / "v.pt");
  ASSERT_EQ(back.size(), values.size());
  EXPECT_TRUE(at::equal(back[0].toTensor(), strided));
  EXPECT_EQ(back[0].toTensor().strides(), strided.strides());
  EXPECT_EQ(back[1].toInt(), 3);
  EXPECT_TRUE(back[4].isTensorList());
  EXPECT_TRUE(back[5].isIntList());
}

// LibTorch speaks of its own source there.
TEST(ReadValues, SaysWhatAFileHoldsThatIsNoInput) {
  TemporaryFolder folder;
  auto reason = [&](const c10::IValue& value) {
    std::vector<char> bytes = torch::jit::pickle_save(value);
    writeFile(folder.path / "v.pt", std::string_view(bytes.data(), bytes.size()));
    try {
      readValues(folder.path / "v.pt");
      return std::string("it was accepted");
    } catch (const Error& e) {
      return e.reason;
    }
  };
  EXPECT_EQ(reason(3), "holds a number, not a tensor or a tuple of them");
  EXPECT_EQ(reason("x"), "holds a string, not a tensor or a tuple of them");
  writeFile(folder.path / "v.pt", "PK\x03\x04 and no archive");
  try {
    readValues(folder.path / "v.pt");
    FAIL() << "it was accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.reason,
              "holds what is neither a tensor nor a number, or is damaged; save tensors or a tuple of them: "
              "torch.save((x, y), path)");
  }
}

TEST(Fitting, NamesParametersAndTheOption) {
  auto m =
      moduleFrom("def forward(self, x, mask: Optional[Tensor] = None, *, scale: float = 1.0):\n  return x\n");
  const auto& schema = m.get_method("forward").function().getSchema();
  try {
    fitted({}, schema);
    FAIL() << "no inputs were accepted";
  } catch (const Error& e) {
    EXPECT_NE(e.reason.find("x: Tensor, mask: Optional[Tensor]"), std::string::npos) << e.reason;
    EXPECT_NE(e.reason.find("--input float32["), std::string::npos) << e.reason;
  }
  EXPECT_EQ(fitted({at::ones({1})}, schema).size(), 1u);
}

TEST(Fitting, MakesNumbersOfTensorsWithoutDimensions) {
  auto m = moduleFrom("def forward(self, x, scale: float, n: int):\n  return x * scale + n\n");
  auto v = fitted({at::ones({1}), at::full({}, 2.5), at::full({}, 3, at::kLong)},
                  m.get_method("forward").function().getSchema());
  EXPECT_EQ(v[1].toDouble(), 2.5);
  EXPECT_EQ(v[2].toInt(), 3);
}

TEST(Fitting, GivesListsTheirDeclaredType) {
  auto m = moduleFrom("def forward(self, xs: List[Optional[Tensor]], s: List[float]):\n  return xs[0]\n");
  c10::impl::GenericList any(c10::AnyType::get());
  any.push_back(at::ones({1}));
  auto v = fitted({any, c10::IValue(std::vector<std::int64_t>{1, 2})},
                  m.get_method("forward").function().getSchema());
  EXPECT_NO_THROW(m.forward(v));
  EXPECT_TRUE(v[1].isDoubleList());
}

TEST(Fitting, GivesDictionariesOfAFileTheirDeclaredType) {
  auto m = moduleFrom(
      "def forward(self, batch: Dict[str, Tensor], more: Optional[Dict[str, List[Dict[int, float]]]] = "
      "None):\n"
      "  scale = 1.0 if more is None else more['a'][0][3]\n"
      "  return batch['x'] * scale\n");
  const auto& schema = m.get_method("forward").function().getSchema();
  auto any = [] { return c10::impl::GenericDict(c10::AnyType::get(), c10::AnyType::get()); };
  auto batch = any(), inner = any(), more = any(), numbers = any();
  batch.insert("x", at::ones({2}));
  inner.insert(3, 2);
  c10::impl::GenericList list(c10::AnyType::get());
  list.push_back(inner);
  more.insert("a", list);
  numbers.insert("x", 3);
  TemporaryFolder folder;
  writeValues(folder.path / "v.pt", {batch, more});
  EXPECT_EQ(m.forward(fitted(readValues(folder.path / "v.pt"), schema)).toTensor().sum().item<float>(), 4);
  EXPECT_EQ(m.forward(fitted({batch}, schema)).toTensor().sum().item<float>(), 2);
  EXPECT_ANY_THROW(m.forward(fitted({numbers}, schema)));
}

TEST(Describe, GoesBackThroughTheSpec) {
  EXPECT_EQ(describe(at::zeros({2, 3})), "float32[2,3]");
  EXPECT_EQ(describe(at::arange(5)), "int64[5]<5");
  EXPECT_EQ(describe(at::full({2}, INT64_MAX, at::kLong)), "int64[2]<9223372036854775807");
  EXPECT_EQ(describe(c10::IValue(2)), "2");
  EXPECT_EQ(describe(c10::IValue(std::vector<std::int64_t>{1, 2})), "[1,2]");
  EXPECT_EQ(describe(at::scalar_tensor(1.5)), "float32[]");
}

}  // namespace
}  // namespace kadvise
