#include "analyzer/graph/program_texts.h"

#include <algorithm>
#include <sstream>

#include "analyzer/graph/row_rewrite.h"

namespace kadvise::graph {
namespace {

using Words = std::vector<std::string>;

Words wordsOf(const std::string& line) {
  std::istringstream in(line);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string joined(const Words& words) {
  std::string line;
  for (auto& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

bool has(const Words& words, const char* word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// A name is declared in front of an equals sign; the other words of a line are operators, dtypes and numbers.
std::string renamed(const std::string& line, const Words& names, const std::string& prefix) {
  Words words = wordsOf(line);
  for (std::size_t i = 0; i < words.size(); ++i)
    if (i != 2 && has(names, words[i].c_str())) words[i] = prefix + words[i];
  return joined(words);
}

SimpleProgram withNames(const SimpleProgram& program, const std::string& prefix) {
  Words names;
  for (auto* lines : {&program.inputs, &program.statements})
    for (auto& line : *lines) names.push_back(wordsOf(line)[0]);
  SimpleProgram out = program;
  for (auto* lines : {&out.inputs, &out.statements})
    for (auto& line : *lines) line = renamed(line, names, prefix);
  out.stored = prefix + program.stored;
  return out;
}

// What it gives out is an input as it comes.
bool givesInput(const SimpleProgram& program) {
  return std::any_of(program.inputs.begin(), program.inputs.end(), [&](auto& line) {
    const Words words = wordsOf(line);
    return words[0] == program.stored && words[3] == program.dtype;
  });
}

std::string lineOf(const std::string& name, const std::string& in, const std::string& from,
                   const std::string& to) {
  Words words = wordsOf(in);
  for (std::size_t i = 0; i < words.size(); ++i)
    if (i > 2 && words[i] == from) words[i] = to;
  words[0] = name;
  return joined(words);
}

}  // namespace

std::optional<SimpleProgram> readSimpleProgram(const std::string& text) {
  SimpleProgram program;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const Words words = wordsOf(line);
    if (words.empty() || words[0] == "row_program") continue;
    if (words.size() < 2) return std::nullopt;
    if (words[0] == "rank") {
      program.rank = std::stoi(words[1]);
    } else if (words[0] == "reduce") {
      program.reduced = joined(Words(words.begin() + 1, words.end()));
    } else if (words[0] == "out") {
      if (!program.stored.empty() || words.size() < 3 || has(words, "drop")) return std::nullopt;
      program.stored = words[1];
      program.dtype = words[2];
      program.isContiguous = has(words, "contiguous");
    } else if (words.size() < 4 || words[1] != "=") {
      return std::nullopt;
    } else if (words[2] == "in") {
      if (words.size() > 4) return std::nullopt;
      program.inputs.push_back(line);
    } else {
      program.statements.push_back(line);
    }
  }
  if (program.stored.empty() || program.inputs.empty()) return std::nullopt;
  return program;
}

SimpleProgram copyProgram(c10::ScalarType dtype, std::size_t rank) {
  auto program = readSimpleProgram(rowCopyText(dtype, rank)).value();
  program.isContiguous = false;
  return program;
}

std::string textOf(const SimpleProgram& program) {
  std::string text = "row_program 1\nrank " + std::to_string(program.rank) + "\n";
  if (!program.reduced.empty()) text += "reduce " + program.reduced + "\n";
  for (auto* lines : {&program.inputs, &program.statements})
    for (auto& line : *lines) text += line + "\n";
  return text + "out " + program.stored + " " + program.dtype + (program.isContiguous ? " contiguous" : "") +
         "\n";
}

SimpleProgram composed(const SimpleProgram& first, const SimpleProgram& second, std::size_t input) {
  const SimpleProgram a = withNames(first, "a"), b = withNames(second, "b");
  SimpleProgram out = a;
  out.rank = std::max(a.rank, b.rank);
  for (std::size_t i = 0; i < b.inputs.size(); ++i)
    if (i != input) out.inputs.push_back(b.inputs[i]);
  const std::string read = wordsOf(b.inputs[input])[0];
  std::string between = a.stored;
  if (!givesInput(a) && a.dtype != "float32") {
    between = "between";
    out.statements.push_back(between + " = cast " + a.dtype + " " + a.stored);
  }
  for (auto& line : b.statements) out.statements.push_back(lineOf(wordsOf(line)[0], line, read, between));
  out.stored = b.stored == read ? between : b.stored;
  out.dtype = b.dtype;
  out.reduced = a.reduced.empty() ? b.reduced : a.reduced;
  out.isContiguous = a.isContiguous || b.isContiguous;
  return out;
}

}  // namespace kadvise::graph
