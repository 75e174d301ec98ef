#include "analyzer/graph/fact_words.h"

namespace kadvise::graph {
namespace {

struct Words {
  const char* word;
  const char* holds;
  const char* fails;
};

constexpr Words kTests[] = {
    {"none", "is None", "is not None"},
    {"fixed", "is a constant", "is not a constant"},
    {"tensor", "is a tensor", "is not a tensor"},
    {"tensors", "holds tensors", "holds no tensors"},
    {"dict", "is a dictionary", "is not a dictionary"},
    {"made-here", "is made in forward", "is not made in forward"},
    {"data", "is computed from the data of a tensor", "is not computed from the data of a tensor"},
    {"host", "lies on the host", "does not lie on the host"},
    {"gpu", "lies on the GPU", "does not lie on the GPU"},
    {"mask", "is a mask", "is not a mask"},
    {"half", "has 16 bits", "is not of 16 bits"},
    {"float32", "is float32", "is not float32"},
    {"float64", "is float64", "is not float64"},
    {"several", "has several elements", "is not known to have several elements"}};

constexpr Words kFacts[] = {
    {"in-loop", "stands in a loop", "does not stand in a loop"},
    {"in-branch", "stands in a branch", "does not stand in a branch"},
    {"data-condition", "has a condition on data", "has no condition on data"},
    {"row-count-condition", "has a condition on how many rows data chose",
     "has no condition on how many rows data chose"},
    {"bound-by-data", "is bounded by data", "has no size or bound that comes from data"},
    {"only-decides", "only decides which branch is taken", "does more than decide which branch is taken"},
    {"assert", "is an assertion", "is not an assertion"},
    {"loop-over-work", "is a loop over operators on the device",
     "is not a loop over operators on the device"},
    {"type-condition", "asks for None or for a type", "does not ask for None or for a type"},
    {"on-tensor", "takes a tensor", "does not take a tensor"},
    {"writes-input", "writes to an input of forward", "does not write to an input of forward"},
    {"writes-state", "writes to the module's state", "does not write to the module's state"},
    {"writes-slice", "writes to a part of a tensor", "does not write to a part of a tensor"},
    {"writes-shared", "writes memory that is read under another name",
     "writes no memory that is read under another name"},
    {"writes-local", "writes to a tensor that forward made", "does not write to a tensor that forward made"},
    {"to-host", "moves a tensor to the host", "does not move a tensor to the host"},
    {"from-host", "moves a tensor to the GPU", "does not move a tensor from the host to the GPU"},
    {"made-on-host", "makes a tensor on the host", "does not make a tensor on the host"},
    {"bound-to-cpu", "has the device cpu written into it", "does not have the device cpu written into it"},
    {"large-product", "does 100 million flops or more", "is not known to do 100 million flops or more"}};

template <std::size_t N>
std::string failedWords(const Words (&table)[N], const std::string& word) {
  bool opposite = word.rfind('!', 0) == 0;
  std::string plain = opposite ? word.substr(1) : word;
  if (plain.rfind('=', 0) == 0) return (opposite ? "is " : "is not ") + plain.substr(1);
  for (auto& w : table)
    if (plain == w.word) return opposite ? w.holds : w.fails;
  return (opposite ? "is " : "is not ") + plain;
}

}  // namespace

std::string failedTestWords(const std::string& word) { return failedWords(kTests, word); }
std::string failedFactWords(const std::string& word) { return failedWords(kFacts, word); }

}  // namespace kadvise::graph
