// What a page's words about nodes and their arguments mean, as parts of a sentence.
#pragma once

#include <string>

namespace kadvise::graph {

// "data" -> "is not computed from the data of inputs or parameters": what to say of a value for which a test
// fails.
std::string failedTestWords(const std::string& word);

// "in-loop" -> "does not stand in a loop": the same of a node.
std::string failedFactWords(const std::string& word);

}  // namespace kadvise::graph
