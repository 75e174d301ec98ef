#include "analyzer/graph/listed_weights.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace kadvise::graph {
namespace {

namespace jit = torch::jit;

// As a loaded file has it: the tensors of the list are other objects over the parameters' memory.
TEST(ListedWeights, FollowTheirParametersWhereTheseGo) {
  jit::Module module("M"), layer("Layer");
  at::Tensor w = at::ones({3, 4}), b = at::ones({3}), other = at::ones({2});
  layer.register_parameter("w", w, false);
  layer.register_parameter("b", b, false);
  c10::List<at::Tensor> list({w.alias(), b.alias(), other});
  layer.register_attribute("flat", c10::ListType::ofTensors(), list);
  module.register_module("layer", layer);
  ListedWeights listed(module);
  w.set_data(at::full({3, 4}, 2.0));
  b.set_data(at::full({3}, 3.0));
  listed.follow();
  EXPECT_EQ(list.get(0).data_ptr(), w.data_ptr());
  EXPECT_EQ(list.get(1).data_ptr(), b.data_ptr());
  EXPECT_TRUE(at::equal(list.get(2), at::ones({2}))) << "is no parameter's";
}

}  // namespace
}  // namespace kadvise::graph
