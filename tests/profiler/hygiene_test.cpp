// What surrounds the comparison: unwritten memory, what is left changed, which inputs are kept.
#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "modules.h"
#include "profiler/canary.h"
#include "profiler/equivalence.h"
#include "profiler/guard_zones.h"
#include "profiler/residue.h"
#include "profiler/same_memory.h"

namespace kadvise {
namespace {

using at::Tensor;

TEST(UnwrittenMemory, IsFilledWhileACanaryLives) {
  {
    Canary canary(Canary::Fill::Nan);
    EXPECT_TRUE(at::empty({64}).isnan().all().item<bool>());
    EXPECT_TRUE(at::empty_like(at::ones({4, 4}, at::kHalf)).isnan().all().item<bool>());
    EXPECT_TRUE(at::empty({64}, at::kInt).eq(0x5a).all().item<bool>());
    EXPECT_TRUE(at::zeros({64}).eq(0).all().item<bool>());
  }
  Canary other(Canary::Fill::Large);
  EXPECT_TRUE(at::empty_strided({4, 4}, {1, 4}).gt(1000).all().item<bool>());
}

TEST(UnwrittenMemory, IsAllThatACanaryWrites) {
  auto m = moduleFrom("def forward(self, x):\n  return x + torch.zeros_like(torch.empty_like(x))\n");
  Tensor x = at::randn({8}), was = x.clone();
  Canary canary(Canary::Fill::Nan);
  m.forward({x});
  EXPECT_TRUE(at::equal(x, was));
}

TEST(GuardZones, ShowWhoWritesNextToATensor) {
  struct {
    std::ptrdiff_t at;
    const char* says;
  } const kWrites[] = {
      {0, ""}, {99, ""}, {100, "behind a block of 400 bytes"}, {-1, "in front of a block of 400 bytes"}};
  for (const auto& write : kWrites) {
    for (bool isFreed : {false, true}) {
      GuardZones zones;
      Tensor t = at::empty({100});
      t.data_ptr<float>()[write.at] = 3;
      if (isFreed) t = Tensor();
      EXPECT_EQ(zones.breach().value_or(""), write.says) << write.at;
    }
  }
}

TEST(GuardZones, OutlastTheirEndAndStartAnew) {
  Tensor t;
  {
    GuardZones zones;
    t = at::empty({100});
    t.data_ptr<float>()[100] = 3;
  }
  GuardZones next;
  EXPECT_EQ(std::get<0>(at::rand({1000}).sort()).numel(), 1000);
  EXPECT_EQ(next.breach(), std::nullopt);
  t.resize_({1000}).fill_(1);  // what was made under zones can grow, and be freed
  t = Tensor();
  EXPECT_EQ(at::empty({0}).numel(), 0);
  EXPECT_EQ(next.breach(), std::nullopt);
}

TEST(State, OfAModuleIsItsNumbersToo) {
  torch::jit::Module m("__torch__.Counting");
  m.register_attribute("count", c10::IntType::get(), 0);
  m.define("def forward(self, x):\n  self.count += 1\n  return x\n");
  ModuleState was(m);
  EXPECT_EQ(was.changedIn(ModuleState(m)), std::nullopt);
  m.forward({at::ones({1})});
  EXPECT_EQ(was.changedIn(ModuleState(m)), "count");
}

TEST(State, OfAModuleIsInItsContainersToo) {
  torch::jit::Module m("__torch__.Keeping");
  c10::Dict<std::string, Tensor> rows;
  rows.insert("a", at::zeros({2}));
  m.register_attribute("rows", c10::DictType::create(c10::StringType::get(), c10::TensorType::get()), rows);
  m.register_attribute("pair", c10::TupleType::create({c10::TensorType::get(), c10::IntType::get()}),
                       c10::ivalue::Tuple::create({at::zeros({2}), 0}));
  m.define("def fill(self, x):\n  self.rows['a'].add_(x)\n");
  m.define("def grow(self, x):\n  self.rows['b'] = x\n");
  m.define("def count(self, x):\n  self.pair = (self.pair[0], self.pair[1] + 1)\n");
  m.define("def read(self, x):\n  return self.rows['a'] + self.pair[0]\n");
  auto changedBy = [&](const char* method) {
    ModuleState was(m);
    m.get_method(method)({at::ones({2})});
    return was.changedIn(ModuleState(m));
  };
  EXPECT_EQ(changedBy("read"), std::nullopt);
  EXPECT_EQ(changedBy("fill"), "rows");
  EXPECT_EQ(changedBy("grow"), "rows");
  EXPECT_EQ(changedBy("count"), "pair");
}

TEST(SameMemory, TakesOtherValues) {
  Tensor x = at::randn({4, 6}), repeated = at::randn({1, 6}).expand({4, 6}), ids = at::arange(5);
  Values batch = {x, repeated, ids};
  SameMemory memory(batch);
  const void* place = memory.values()[0].toTensor().data_ptr();
  Values touched = memory.touched();
  EXPECT_EQ(touched[0].toTensor().ne(x).sum().item<int>(), 1);
  EXPECT_EQ(touched[2].toTensor()[4].item<int>(), 0);
  memory.write(touched);
  EXPECT_EQ(memory.values()[0].toTensor().data_ptr(), place);
  for (int i : {0, 1, 2})
    EXPECT_TRUE(at::equal(memory.values()[std::size_t(i)].toTensor(), touched[std::size_t(i)].toTensor()));
}

TEST(SameMemory, IsGivenInListsAndSizesOfItsOwnEachTime) {
  c10::List<Tensor> past({at::randn({2, 3})});
  Values batch = {at::randn({2, 3}), past};
  SameMemory memory(batch);
  Values first = memory.values();
  first[0].toTensor().unsqueeze_(0);
  first[1].toTensorList().push_back(at::ones({5}));
  Values touched = memory.touched();
  memory.write(touched);
  Values second = memory.values();
  ASSERT_EQ(second[1].toTensorList().size(), 1u);
  EXPECT_TRUE(at::equal(second[1].toTensorList().get(0), touched[1].toTensorList().get(0)));
  EXPECT_TRUE(at::equal(second[0].toTensor(), touched[0].toTensor()));
  EXPECT_EQ(second[0].toTensor().data_ptr(), first[0].toTensor().data_ptr());
}

Equivalence judge(const char* before, const char* after, const Values& batch, EquivalencePlan plan) {
  Subjects subjects{moduleFrom(before), moduleFrom(after), [=] { return moduleFrom(before); }};
  Pulse silent;
  return judgeEquivalence(subjects, batch, cpuDevice(), plan, silent);
}

TEST(WorstInputs, AreKept) {
  TemporaryFolder folder;
  EquivalencePlan plan;
  plan.worstInputs = folder.path / "worst.pt";
  const char* twice = "def forward(self, x):\n  return x * 2\n";
  EXPECT_FALSE(judge(twice, twice, {at::randn({8, 8})}, plan).saved);
  EXPECT_FALSE(std::filesystem::exists(plan.worstInputs));
  Equivalence e = judge(twice, "def forward(self, x):\n  return torch.where(x > 100, x, x * 2)\n",
                        {at::randn({8, 8})}, plan);
  EXPECT_EQ(e.outcome, Outcome::WrongOutput);
  ASSERT_TRUE(e.saved);
  EXPECT_GT(readValues(plan.worstInputs)[0].toTensor().max().item<double>(), 100);
}

TEST(ABatchThatSaysNothing, IsLeftForOtherValues) {
  // relu is the identity on it, and on all that is like it.
  Equivalence e = judge("def forward(self, x):\n  return torch.relu(x)\n",
                        "def forward(self, x):\n  return x.clone()\n", {at::rand({8, 8})}, {});
  EXPECT_EQ(e.outcome, Outcome::WrongOutput) << e.reason;
}

}  // namespace
}  // namespace kadvise
