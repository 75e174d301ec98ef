// Programs made of the pages' examples and of statements picked at random, mutated, through normal form,
// search and rewriting: every graph is well formed, and what the original computes its rewritten form
// computes, too.
#include <algorithm>
#include <iostream>

#include "analyzer/core/error.h"
#include "analyzer/core/json.h"
#include "tests/fuzz/program_text.h"
#include "tests/fuzz/trial.h"

namespace kadvise::fuzz {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Written before the program as "# {"x": "float[2,8]"}", so that a printed text says all of a case but the
// numbers.
Case inputsFrom(const std::string& firstLine) {
  Case out;
  auto json = OrderedJson::parse(firstLine.substr(firstLine.find('{')));
  for (auto& [name, value] : json.items()) {
    CaseValue v{name, std::nullopt, ""};
    if (value.is_string() && value != "inf" && value != "-inf")
      v.tensor = parseInputSpec(value.get<std::string>());
    else v.literal = value.dump();
    out.push_back(v);
  }
  return out;
}

std::string lineOf(const Case& inputs) {
  OrderedJson json = OrderedJson::object();
  for (auto& v : inputs)
    json[v.name] = v.tensor ? OrderedJson(toString(*v.tensor)) : OrderedJson::parse(v.literal);
  return "# " + json.dump() + "\n";
}

struct Seed {
  Case inputs;
  std::string text;
};

constexpr const char* kShapes[] = {"float[4,8]", "float[8,8]", "float[2,4,8]",      "float[2,3,4,8]",
                                   "float[8]",   "float[1,8]", "weight float[8,8]", "float[4,8]>0"};

CaseValue anyTensor(const std::string& name, Random& random) {
  return {name, parseInputSpec(random.of(kShapes)), ""};
}

// Programs that print, that a mutation makes run for ever, that read what nobody has written, and whose tasks
// race.
constexpr const char* kLeftOut[] = {"print(", "while ", "empty", "fork("};

// A case of a page may be as large as a vocabulary, which takes seconds on a CPU.
bool isSmall(const CaseValue& v) {
  constexpr std::int64_t kMostElements = 1 << 16;
  std::int64_t elements = 1;
  if (v.tensor)
    for (auto size : v.tensor->shape) elements *= size;
  return elements <= kMostElements;
}

std::vector<Seed> seedsFrom(const RuleBook& book) {
  std::vector<Seed> seeds;
  for (auto& page : book.pages)
    for (auto& fence : page->fences) {
      bool example = fence.language == "python" && (fence.role == "fires" || fence.role == "silent");
      bool leftOut = std::any_of(std::begin(kLeftOut), std::end(kLeftOut),
                                 [&](auto* word) { return fence.text.find(word) != std::string::npos; });
      if (!example || leftOut) continue;
      Seed seed{{}, fence.text};
      for (auto& name : parametersIn(fence.text))
        for (auto& given : page->cases) {
          auto value = std::find_if(given.begin(), given.end(), [&](auto& v) { return v.name == name; });
          if (value == given.end()) continue;
          seed.inputs.push_back(*value);
          break;
        }
      if (std::all_of(seed.inputs.begin(), seed.inputs.end(), isSmall)) seeds.push_back(seed);
    }
  return seeds;
}

std::string makeCase(const std::vector<Seed>& seeds, Random& random) {
  Case inputs;
  std::string text;
  if (random.oneIn(4)) {
    text = randomProgram({"x", "y", "z"}, random);
  } else {
    auto& seed = random.of(seeds);
    inputs = seed.inputs, text = seed.text;
  }
  for (auto& name : parametersIn(text)) {
    bool given = std::any_of(inputs.begin(), inputs.end(), [&](auto& v) { return v.name == name; });
    if (!given && text.find(name + ":") == std::string::npos) inputs.push_back(anyTensor(name, random));
  }
  for (auto mutations = random.below(6); mutations > 0; --mutations) text = mutateProgram(text, random);
  return lineOf(inputs) + text;
}

}  // namespace
}  // namespace kadvise::fuzz

int main(int argc, char** argv) {
  using namespace kadvise::fuzz;
  prepareLibTorch();
  auto book = readRuleBook(KADVISE_SOURCE_DIR "/rules");
  auto seeds = seedsFrom(book);
  return runFuzzer(argc, argv,
                   {[&](Random& random) { return makeCase(seeds, random); },
                    [&](const std::string& text, Random& random) {
                      auto end = text.find('\n');
                      return tryProgram({text.substr(end + 1), inputsFrom(text.substr(0, end))}, book,
                                        random);
                    }});
}
