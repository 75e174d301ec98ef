#include "analyzer/graph/file_tensors.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace kadvise::graph {
namespace {

namespace jit = torch::jit;

// The device without memory stands for one that is not here.
TEST(FileTensors, ConstantsOfTheFileMoveAndOthersStay) {
  jit::Module module("M");
  at::Tensor weight = at::ones({3}), listed = at::ones({2}), made = at::ones({4});
  module.register_parameter("weight", weight, false);
  module.register_attribute("flat", c10::ListType::ofTensors(), c10::List<at::Tensor>({listed}));
  FileTensors tensors;
  tensors.note(module);
  jit::Graph graph;
  auto* one = graph.insertConstant(weight)->node();
  auto* list = graph.insertConstant(c10::List<at::Tensor>({listed, made}))->node();
  auto* ours = graph.insertConstant(made)->node();
  tensors.move(graph, c10::kMeta);
  EXPECT_TRUE(one->t(jit::attr::value).is_meta());
  EXPECT_TRUE(ours->t(jit::attr::value).is_cpu());
  auto tensorsOf = jit::toIValue(list->output())->toTensorVector();
  EXPECT_TRUE(tensorsOf[0].is_meta());
  EXPECT_TRUE(tensorsOf[1].is_cpu());
}

}  // namespace
}  // namespace kadvise::graph
