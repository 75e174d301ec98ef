#include "analyzer/graph/exported_place.h"

#include <charconv>
#include <sstream>

namespace kadvise::graph {
namespace {

struct Line {
  std::string file, text;
  int number = 0;
};

// File "/home/me/model.py", line 12, in forward
bool readFrame(const std::string& text, Line& out) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ";
  auto from = text.find(kFile);
  if (from == std::string::npos) return false;
  auto end = text.find(kLine, from + kFile.size());
  if (end == std::string::npos) return false;
  out.file = text.substr(from + kFile.size(), end - from - kFile.size());
  auto* digits = text.data() + end + kLine.size();
  return std::from_chars(digits, text.data() + text.size(), out.number).ec == std::errc();
}

bool isTorchs(const std::string& file) {
  return file.rfind("torch/", 0) == 0 || file.find("/site-packages/torch/") != std::string::npos ||
         file.find("/torch/nn/") != std::string::npos || file.find("/torch/_") != std::string::npos ||
         file.empty() || file[0] == '<';
}

// The frames run from the outermost call to the innermost; the reader wants the innermost line of their own.
Line innermostOwnLine(const std::string& stack) {
  std::istringstream in(stack);
  std::string text;
  Line best, frame;
  while (std::getline(in, text)) {
    if (readFrame(text, frame)) {
      if (!isTorchs(frame.file)) best = {frame.file, "", frame.number};
      continue;
    }
    auto begin = text.find_first_not_of(' ');
    if (begin != std::string::npos && !isTorchs(frame.file) && best.text.empty())
      best.text = text.substr(begin);
  }
  return best;
}

// "key,path,class;key,path,class": the path of the last. A module that is called again has "@1" behind its
// path.
std::string innermostModule(const std::string& stack) {
  auto entry = stack.substr(stack.rfind(';') + 1);
  auto first = entry.find(','), second = entry.find(',', first + 1);
  if (first == std::string::npos || second == std::string::npos) return "";
  auto path = entry.substr(first + 1, second - first - 1);
  path = path.substr(0, path.find('@'));
  if (path.rfind("L['self']", 0) == 0) path.erase(0, 9);
  if (path.rfind('.', 0) == 0) path.erase(0, 1);
  return path.rfind('_', 0) == 0 ? "" : path;  // a placeholder of torch's
}

}  // namespace

ExportedPlace placeOf(const Json& metadata) {
  ExportedPlace out;
  out.scope = innermostModule(metadata.value("nn_module_stack", ""));
  auto line = innermostOwnLine(metadata.value("stack_trace", ""));
  if (line.number > 0) {
    auto source = std::make_shared<torch::jit::Source>(line.text + "\n", line.file,
                                                       static_cast<std::size_t>(line.number));
    out.range = torch::jit::SourceRange(source, 0, line.text.size());
  }
  return out;
}

}  // namespace kadvise::graph
