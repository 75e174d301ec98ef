#include "analyzer/graph/mask_operators.h"

#include <algorithm>
#include <string_view>

namespace kadvise::graph {
namespace {

using R = MaskRole;

struct Operator {
  const char* name;
  MaskRole role;
};

constexpr Operator kOperators[] = {
    {"aten::arange", R::Positions},
    {"aten::full", R::Constants},
    {"aten::full_like", R::Constants},
    {"aten::new_full", R::Constants},
    {"aten::new_ones", R::Constants},
    {"aten::new_zeros", R::Constants},
    {"aten::ones", R::Constants},
    {"aten::ones_like", R::Constants},
    {"aten::scalar_tensor", R::Constants},
    {"aten::zeros", R::Constants},
    {"aten::zeros_like", R::Constants},
    {"aten::add", R::Sum},
    {"aten::neg", R::Sum},
    {"aten::rsub", R::Sum},
    {"aten::sub", R::Sum},
    {"aten::diff", R::Change},
    {"aten::cumsum", R::Count},
    {"aten::eq", R::Comparison},
    {"aten::ge", R::Comparison},
    {"aten::gt", R::Comparison},
    {"aten::le", R::Comparison},
    {"aten::lt", R::Comparison},
    {"aten::ne", R::Comparison},
    {"aten::__and__", R::Choice},
    {"aten::__or__", R::Choice},
    {"aten::__xor__", R::Choice},
    {"aten::bitwise_and", R::Choice},
    {"aten::bitwise_not", R::Choice},
    {"aten::bitwise_or", R::Choice},
    {"aten::bitwise_xor", R::Choice},
    {"aten::logical_and", R::Choice},
    {"aten::logical_not", R::Choice},
    {"aten::logical_or", R::Choice},
    {"aten::logical_xor", R::Choice},
    {"aten::masked_fill", R::Choice},
    {"aten::mul", R::Choice},
    {"aten::where", R::Choice},
    {"aten::tril", R::Triangle},
    {"aten::triu", R::Triangle},
    {"aten::select", R::Slice},
    {"aten::slice", R::Slice},
    {"aten::index", R::Gather},
    {"aten::to", R::Cast},
    {"aten::type_as", R::Cast},
    {"aten::Int", R::Layout},
    {"aten::IntImplicit", R::Layout},
    {"aten::ScalarImplicit", R::Layout},
    {"aten::alias", R::Layout},
    {"aten::cat", R::Join},
    {"aten::clone", R::Layout},
    {"aten::contiguous", R::Layout},
    {"aten::detach", R::Layout},
    {"aten::expand", R::Layout},
    {"aten::expand_as", R::Layout},
    {"aten::lift_fresh", R::Layout},
    {"aten::permute", R::Layout},
    {"aten::reshape", R::Layout},
    {"aten::squeeze", R::Layout},
    {"aten::stack", R::Join},
    {"aten::t", R::Layout},
    {"aten::transpose", R::Layout},
    {"aten::unsqueeze", R::Layout},
    {"aten::view", R::Layout},
    {"prim::ListConstruct", R::List},
    {"prim::NumToTensor", R::Layout},
    {"prim::device", R::Constants},
    {"prim::dtype", R::Constants},
    {"aten::size", R::Length},
};

}  // namespace

std::optional<MaskRole> maskRoleOf(const torch::jit::Node* n) {
  std::string_view name = n->kind().toQualString();
  auto found =
      std::find_if(std::begin(kOperators), std::end(kOperators), [&](auto& o) { return name == o.name; });
  return found == std::end(kOperators) ? std::nullopt : std::optional(found->role);
}

}  // namespace kadvise::graph
