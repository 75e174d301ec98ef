#include "profiler/bind.h"

#include <gtest/gtest.h>

#include "analyzer/core/error.h"
#include "modules.h"
#include "profiler/attributes.h"

namespace kadvise {
namespace {

using at::Tensor;
using torch::jit::Module;

Tensor placeholder(std::vector<std::int64_t> shape, c10::ScalarType type = at::kFloat) {
  return at::zeros({1}, type).as_strided(shape, std::vector<std::int64_t>(shape.size(), 0));
}

struct Bound : ::testing::Test {
  TemporaryFolder folder;
  Session session;
  Tensor weight = at::randn({3, 4}), bias = at::randn({3}), gain = at::scalar_tensor(2.0);

  Bound() {
    session.workDir = folder.path;
    session.device = cpuDevice();
    session.parameters = {{"fc.weight", weight}, {"fc.bias", bias}, {"gain", gain}};
  }
  void save(const Module& m, const std::string& name) { m.save((folder.path / name).string()); }
};

Module region(c10::ScalarType type = at::kFloat) {
  auto m = moduleFrom("def forward(self, x):\n  return x\n");
  m.register_parameter("w0", placeholder({3, 4}, type), false);
  m.register_buffer("w1", placeholder({3}, type));
  m.register_attribute("eps", c10::FloatType::get(), 1e-5);
  m.register_buffer("table", at::arange(5));
  return m;
}

TEST(Placeholder, IsWhatRepeatsOneElement) {
  EXPECT_TRUE(isPlaceholder(placeholder({3, 4})));
  EXPECT_TRUE(isPlaceholder(placeholder({3, 1})));
  EXPECT_FALSE(isPlaceholder(at::zeros({3, 4})));
  EXPECT_FALSE(isPlaceholder(at::zeros({1, 4}).expand({3, 4})));
  EXPECT_FALSE(isPlaceholder(at::zeros({1})));
}

TEST_F(Bound, TakesValuesByNameAndSharesThem) {
  save(region(), "r.pt");
  Module m = loadBound(session, {"r.pt", {{"w0", "fc.weight"}, {"w1", "fc.bias"}}});
  EXPECT_EQ(m.attr("w0").toTensor().data_ptr(), weight.data_ptr());
  EXPECT_EQ(m.attr("w1").toTensor().data_ptr(), bias.data_ptr());
  EXPECT_TRUE(at::equal(m.attr("table").toTensor(), at::arange(5)));
}

TEST_F(Bound, WholeModulesBindByTheirOwnNames) {
  Module child("__torch__.Child"), top("__torch__.Top");
  child.register_parameter("weight", placeholder({3, 4}), false);
  child.register_parameter("bias", placeholder({3}), false);
  top.register_module("fc", child);
  top.register_buffer("gain", placeholder({}));
  top.define("def forward(self, x):\n  return torch.linear(x, self.fc.weight, self.fc.bias) * self.gain\n");
  save(top, "whole.pt");
  Module m = loadBound(session, {"whole.pt", {}});
  Tensor x = at::randn({2, 4});
  EXPECT_TRUE(at::allclose(m.forward({x}).toTensor(), at::linear(x, weight, bias) * gain));
}

TEST_F(Bound, TheTwinIsUpcast) {
  save(region(at::kDouble), "r.fp64.pt");
  Module m = loadBound(session, {"r.fp64.pt", {{"w0", "fc.weight"}, {"w1", "fc.bias"}}},
                       {.toDouble = true, .floatMeans = ""});
  EXPECT_EQ(m.attr("w0").toTensor().scalar_type(), at::kDouble);
  EXPECT_TRUE(at::equal(m.attr("w0").toTensor(), weight.to(at::kDouble)));
}

TEST_F(Bound, RandomValuesDependOnTheNameAlone) {
  save(region(), "a.pt");
  save(region(at::kDouble), "b.pt");
  std::map<std::string, std::string> names = {{"w0", ""}, {"w1", ""}};
  Tensor a =
      loadBound(session, {"a.pt", names}, {.toDouble = false, .floatMeans = "float16"}).attr("w0").toTensor();
  Tensor again =
      loadBound(session, {"a.pt", names}, {.toDouble = false, .floatMeans = "float16"}).attr("w0").toTensor();
  Tensor twin =
      loadBound(session, {"b.pt", names}, {.toDouble = true, .floatMeans = "float16"}).attr("w0").toTensor();
  EXPECT_EQ(a.scalar_type(), at::kHalf);
  EXPECT_TRUE(at::equal(a, again));
  EXPECT_TRUE(at::equal(a.to(at::kDouble), twin));
}

TEST_F(Bound, FoldsOnceAfterBinding) {
  Module m = region();
  m.register_buffer("kadvise_folded_0", at::empty({0}));
  m.define("def kadvise_fold(self):\n  self.kadvise_folded_0 = torch.t(self.w0) * 2\n");
  save(m, "fold.pt");
  Module bound = loadBound(session, {"fold.pt", {{"w0", "fc.weight"}, {"w1", "fc.bias"}}});
  EXPECT_TRUE(at::equal(bound.attr("kadvise_folded_0").toTensor(), weight.t() * 2));
}

TEST_F(Bound, AForeignFileKeepsItsWeights) {
  Module other("__torch__.Other");
  other.register_buffer("gain", at::scalar_tensor(5.0));
  other.define("def forward(self, x):\n  return x * self.gain\n");
  save(other, "other.pt");
  Module bound = loadBound(session, {(folder.path / "other.pt").string(), {}});
  EXPECT_EQ(bound.attr("gain").toTensor().item<float>(), 5);
}

TEST_F(Bound, SaysWhatCannotBeBound) {
  save(region(), "r.pt");
  auto reason = [&](std::map<std::string, std::string> names) {
    try {
      loadBound(session, {"r.pt", std::move(names)});
      return std::string("bound");
    } catch (const Error& e) {
      return e.reason;
    }
  };
  EXPECT_NE(reason({{"w0", "fc.weight"}}).find("w1"), std::string::npos);
  EXPECT_NE(reason({{"w0", "nothing.here"}}).find("nothing.here"), std::string::npos);
  EXPECT_NE(reason({{"w0", "fc.bias"}, {"w1", "fc.bias"}}).find("shape"), std::string::npos);
}

}  // namespace
}  // namespace kadvise
