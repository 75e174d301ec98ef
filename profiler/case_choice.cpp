#include "profiler/case_choice.h"

#include <algorithm>

#include "profiler/case_arguments.h"
#include "profiler/case_shapes.h"
#include "profiler/cases.h"

namespace kadvise {

CaseChoice casesToAsk(const torch::jit::Module& original, const Values& batch, Breadth planned, Breadth asked,
                      const Device& device) {
  bool indices = mayIndex(original);
  CaseChoice out{caseNames(batch, asked, indices)};
  // On a GPU an index out of range ends the process, and not only the call.
  if (indices && device.isCuda()) {
    std::erase_if(out.names, mayLeaveTables);
    out.areWholeNumbersKept =
        std::erase_if(out.names, [&](auto& name) { return changesWholeNumbers(name, batch); }) > 0;
    // A number that is an index stays as it is where the tensor that it points into becomes smaller.
    if (out.areWholeNumbersKept) std::erase_if(out.names, changesShapes);
  }
  // A part of a module may have the numbers written into it that the whole calls it with.
  if (planned != Breadth::Wide) std::erase_if(out.names, changesArgument);
  return out;
}

std::string refusedWords(const std::vector<std::string>& cases) {
  if (cases.empty()) return "";
  constexpr std::size_t kNamed = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamed, cases.size()); ++i) names += (i ? ", " : "") + cases[i];
  if (cases.size() > kNamed) names += " and " + std::to_string(cases.size() - kNamed) + " more";
  return (cases.size() == 1 ? "1 case is" : std::to_string(cases.size()) + " cases are") +
         std::string(" refused by the original itself, which raises an exception on such inputs (") + names +
         ")";
}

}  // namespace kadvise
