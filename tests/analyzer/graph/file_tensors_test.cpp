#include "analyzer/graph/file_tensors.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace kadvise::graph {
namespace {

namespace jit = torch::jit;

// The device without memory stands for one that is not here.
TEST(FileTensors, ThoseInListsAndConstantsMoveAndOthersStay) {
  jit::Module module("M");
  at::Tensor weight = at::ones({3}), listed = at::ones({2}), made = at::ones({4});
  module.register_parameter("weight", weight, false);
  module.register_attribute("flat", c10::ListType::ofTensors(), c10::List<at::Tensor>({listed}));
  module.register_attribute("anchors", c10::ListType::ofTensors(), c10::List<at::Tensor>({listed, made}));
  FileTensors tensors;
  tensors.note(module);
  module.setattr("anchors", c10::List<at::Tensor>({listed, at::ones({5})}));
  module.define(R"(
def forward(self):
    return self.flat
)");
  auto& graph = *module.get_method("forward").graph();
  at::Tensor later = at::ones({4});
  auto* one = graph.insertConstant(weight)->node();
  auto* list = graph.insertConstant(c10::List<at::Tensor>({listed, later}))->node();
  auto* ours = graph.insertConstant(later)->node();
  auto flat = module.attr("flat").toTensorList();
  tensors.move(module, c10::kMeta);
  EXPECT_TRUE(one->t(jit::attr::value).is_meta());
  EXPECT_TRUE(ours->t(jit::attr::value).is_cpu());
  auto tensorsOf = jit::toIValue(list->output())->toTensorVector();
  EXPECT_TRUE(tensorsOf[0].is_meta());
  EXPECT_TRUE(tensorsOf[1].is_cpu());
  EXPECT_TRUE(module.attr("flat").toTensorVector()[0].is_meta());
  EXPECT_TRUE(module.attr("anchors").toTensorVector()[0].is_meta());
  EXPECT_TRUE(module.attr("anchors").toTensorVector()[1].is_cpu());
  EXPECT_TRUE(flat.get(0).is_cpu());  // another module may hold that list
}

TEST(FileTensors, ConstantsOfOneNumberStayWhereTheyAreLeftOut) {
  jit::Module module("M");
  module.register_parameter("weight", at::ones({1}), false);
  module.define(R"(
def forward(self, x):
    return x
)");
  auto& graph = *module.get_method("forward").graph();
  auto* number = graph.insertConstant(at::scalar_tensor(3, at::kLong))->node();
  auto* several = graph.insertConstant(at::ones({4}))->node();
  FileTensors tensors;
  tensors.note(module, 8);
  tensors.move(module, c10::kMeta);
  EXPECT_TRUE(number->t(jit::attr::value).is_cpu());
  EXPECT_TRUE(several->t(jit::attr::value).is_meta());
}

}  // namespace
}  // namespace kadvise::graph
