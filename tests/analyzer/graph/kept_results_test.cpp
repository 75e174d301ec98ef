#include "analyzer/graph/kept_results.h"

#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

using torch::jit::Module;

// A module with a weight w, a buffer b and dictionaries kept and other, its forward inlined.
struct Keeping {
  Module module{"__torch__.Keeping"};
  explicit Keeping(const std::string& body) {
    auto type = c10::DictType::create(c10::StringType::get(), c10::TensorType::get());
    auto fresh = [] { return c10::impl::GenericDict(c10::StringType::get(), c10::TensorType::get()); };
    module.register_parameter("w", torch::arange(4.0), false);
    module.register_buffer("b", torch::ones({4}));
    module.register_attribute("kept", type, fresh());
    module.register_attribute("other", type, fresh());
    module.register_attribute("n", c10::ListType::ofInts(), c10::List<std::int64_t>({1}));
    module.define("def forward(self, x):\n  key = str(x.device)\n" + body + "\n");
  }
  c10::impl::GenericDict kept() { return module.attr("kept").toGenericDict(); }
  // Whether forward leaves the dictionary alone afterwards, and gives what it gave.
  bool isLowered() {
    Module before = module.deepcopy();
    lowerKeptResults(*module.get_method("forward").graph(), module);
    for (int call = 0; call < 2; ++call) {
      auto x = torch::randn({4});
      EXPECT_TRUE(torch::equal(before.forward({x}).toTensor(), module.forward({x}).toTensor()));
    }
    return kept().empty();
  }
};

const std::string kFill = "  if key not in self.kept:\n    self.kept[key] = self.w[[3, 1, 2, 0]] * 2\n";

TEST(KeptResults, AreMadeInEachCall) {
  for (auto* read : {"  return x + self.kept[key]",
                     "  y = x\n  for i in range(2):\n    y = y + self.kept[key]\n  return y",
                     "  return self.kept[key] * self.kept[key] + x"})
    EXPECT_TRUE(Keeping(kFill + read).isLowered()) << read;
  EXPECT_TRUE(Keeping("  if key in self.kept:\n    pass\n  else:\n    self.kept[key] = self.w + self.b\n"
                      "  return x * self.kept[key]")
                  .isLowered());
}

// A block that pads its images or not calls its attention in two branches.
TEST(KeptResults, OfTwoPlacesAreMadeInBoth) {
  auto branches = [](const std::string& other) {
    std::string inner = "    if key not in self.kept:\n      self.kept[key] = ";
    return "  if x.size(0) > 3:\n    k = str(x.device)\n" + inner +
           "self.w[[3, 1, 2, 0]] * 2\n    y = x + self.kept[key]\n" + "  else:\n" + inner + other +
           "\n    y = x - self.kept[key]\n  return y";
  };
  EXPECT_TRUE(Keeping(branches("self.w[[3, 1, 2, 0]] * 2")).isLowered());
  EXPECT_FALSE(Keeping(branches("self.w[[3, 1, 2, 0]] * 3")).isLowered());
  EXPECT_FALSE(Keeping(branches("self.b[[3, 1, 2, 0]] * 2")).isLowered());
}

TEST(KeptResults, StayWhereACallMayFindAnother) {
  const std::string read = "  return x + self.kept[key]";
  for (const std::string& fill :
       {std::string("  if key not in self.kept:\n    self.kept[key] = x * 2\n"),  // of the first call
        std::string("  if key not in self.kept:\n    self.kept[key] = self.w\n    self.other[key] = x\n"),
        std::string("  if key not in self.kept:\n    self.kept['cpu'] = self.w\n"),  // another key
        std::string("  self.kept[key] = x\n"), kFill + "  self.kept[key] = x\n",
        kFill + "  self.kept.clear()\n" + kFill, kFill + "  x = x + len(self.kept)\n",
        std::string("  if key not in self.kept:\n    self.kept[key] = self.w\n  else:\n    x = x + 1\n")}) {
    EXPECT_FALSE(Keeping(fill + read).isLowered()) << fill;
  }
}

// Lists are changed where they are.
TEST(KeptResults, OfListsStay) {
  Keeping list(
      "  if key not in self.kept:\n    self.kept[key] = self.w * self.n[0]\n  if x.size(0) > 4:\n"
      "    self.n[0] = self.n[0] + 1\n  return x + self.kept[key]");
  EXPECT_FALSE(list.isLowered());
}

// What the next call finds there is not what the parameters would give by then.
TEST(KeptResults, OfWhatForwardWritesStay) {
  const std::string read = "  return x + self.kept[key]";
  EXPECT_FALSE(Keeping(kFill + "  y = self.kept[key]\n  y.add_(1)\n" + read).isLowered());
  EXPECT_FALSE(Keeping(kFill + "  self.w.view([2, 2]).add_(1)\n" + read).isLowered());
  EXPECT_FALSE(
      Keeping("  if key not in self.kept:\n    self.kept[key] = self.b * 2\n  self.b.mul_(2)\n" + read)
          .isLowered());
  EXPECT_TRUE(Keeping(kFill + "  y = x * 2\n  y.add_(1)\n  return y + self.kept[key]").isLowered());
}

TEST(KeptResults, OfRandomNumbersStay) {
  Keeping drawn(
      "  if key not in self.kept:\n    self.kept[key] = torch.rand_like(self.w)\n  return x + "
      "self.kept[key]");
  lowerKeptResults(*drawn.module.get_method("forward").graph(), drawn.module);
  auto x = torch::randn({4});
  EXPECT_TRUE(torch::equal(drawn.module.forward({x}).toTensor(), drawn.module.forward({x}).toTensor()));
}

TEST(KeptResults, StayWhereSomethingIsThereAlready) {
  Keeping filled(kFill + "  return x + self.kept[key]");
  filled.kept().insert("cpu", torch::zeros({4}));
  EXPECT_FALSE(filled.isLowered());
  Keeping shared(kFill + "  self.other[key] = x\n  return x + self.kept[key]");
  shared.module.setattr("other", shared.module.attr("kept"));
  lowerKeptResults(*shared.module.get_method("forward").graph(), shared.module);
  auto x = torch::randn({4});
  shared.module.forward({x});
  EXPECT_FALSE(shared.kept().empty()) << "one dictionary has two names";
}

}  // namespace
}  // namespace kadvise::graph
