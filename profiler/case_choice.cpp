#include "profiler/case_choice.h"

#include <algorithm>

#include "profiler/case_arguments.h"
#include "profiler/case_shapes.h"
#include "profiler/cases.h"

namespace kadvise {
namespace {

constexpr double kMostOverrun = 4, kOverrunSeconds = 60;

}  // namespace

CaseChoice casesToAsk(const torch::jit::Module& original, const Values& batch, Breadth planned, Breadth asked,
                      const Device& device) {
  bool indices = mayIndex(original);
  CaseChoice out;
  out.names = caseNames(batch, asked, indices);
  for (std::string& name : caseNames(batch, std::min(asked, Breadth::AsGiven), indices))
    out.ofTheBatch.insert(std::move(name));
  // What may be an index is permuted and repeated, and takes no other value.
  out.areWholeNumbersKept = indices && caseNames(batch, asked, /*mayIndex=*/false) != out.names;
  // On a GPU an index out of range ends the process, and not only the call.
  if (indices && device.isCuda()) {
    std::erase_if(out.names, mayLeaveTables);
    bool isNumberKept =
        std::erase_if(out.names, [&](auto& name) { return changesWholeNumbers(name, batch); }) > 0;
    // A number that is an index stays as it is where the tensor that it points into becomes smaller.
    if (isNumberKept) std::erase_if(out.names, changesShapes);
    out.areWholeNumbersKept |= isNumberKept;
  }
  // A part of a module may have the numbers written into it that the whole calls it with.
  if (planned != Breadth::Wide) std::erase_if(out.names, changesArgument);
  return out;
}

bool isTooLate(const CaseChoice& choice, const std::string& name, double seconds, double budgetSeconds,
               double mostSeconds) {
  if (name == kOwnInputs) return false;
  if (choice.ofTheBatch.contains(name))
    return seconds > std::min(mostSeconds, kMostOverrun * budgetSeconds + kOverrunSeconds);
  return seconds > budgetSeconds;
}

std::string someOf(const std::vector<std::string>& cases) {
  constexpr std::size_t kNamed = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamed, cases.size()); ++i) names += (i ? ", " : "") + cases[i];
  return cases.size() > kNamed ? names + " and " + std::to_string(cases.size() - kNamed) + " more" : names;
}

std::string refusedWords(const std::vector<std::string>& cases) {
  if (cases.empty()) return "";
  return (cases.size() == 1 ? "1 case is" : std::to_string(cases.size()) + " cases are") +
         std::string(" refused by the original itself, which raises an exception on such inputs (") +
         someOf(cases) + ")";
}

}  // namespace kadvise
