#include "analyzer/graph/rule_text.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

#include "analyzer/core/error.h"
#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

struct Dtype {
  const char* name;
  c10::ScalarType type;
};
constexpr Dtype kDtypes[] = {{"half", at::kHalf},      {"float16", at::kHalf},  {"bfloat16", at::kBFloat16},
                             {"float", at::kFloat},    {"float32", at::kFloat}, {"double", at::kDouble},
                             {"float64", at::kDouble}, {"long", at::kLong},     {"int64", at::kLong},
                             {"int32", at::kInt},      {"int8", at::kChar},     {"uint8", at::kByte},
                             {"bool", at::kBool}};

// torch.jit.fork and torch.jit.wait.
struct TaskNames : jit::SugaredValue {
  std::string kind() const override { return "torch.jit"; }
  std::shared_ptr<jit::SugaredValue> attr(const jit::SourceRange& at, jit::GraphFunction& f,
                                          const std::string& name) override {
    if (name == "fork") return jit::SpecialFormValue::create(jit::prim::fork);
    if (name == "wait") return std::make_shared<jit::BuiltinFunction>(jit::aten::wait, std::nullopt);
    return jit::SugaredValue::attr(at, f, name);
  }
};

// torch.softmax is the operator aten::softmax, torch.float32 the number of a dtype.
struct TorchNames : jit::SugaredValue {
  std::string kind() const override { return "torch"; }
  std::shared_ptr<jit::SugaredValue> attr(const jit::SourceRange& at, jit::GraphFunction& f,
                                          const std::string& name) override {
    if (name == "jit") return std::make_shared<TaskNames>();
    for (auto& d : kDtypes)
      if (name == d.name)
        return std::make_shared<jit::SimpleValue>(
            f.graph()->insertConstant(static_cast<std::int64_t>(d.type), at));
    return std::make_shared<jit::BuiltinFunction>(c10::Symbol::aten(name), std::nullopt);
  }
};

// ops.kadvise.add_layer_norm is the operator kadvise::add_layer_norm.
struct OperatorNames : jit::SugaredValue {
  std::string kind() const override { return "ops"; }
  std::shared_ptr<jit::SugaredValue> attr(const jit::SourceRange&, jit::GraphFunction&,
                                          const std::string& library) override {
    return std::make_shared<jit::BuiltinModule>(library, std::nullopt);
  }
};

struct PageResolver : jit::Resolver {
  std::shared_ptr<jit::SugaredValue> resolveValue(const std::string& name, jit::GraphFunction&,
                                                  const jit::SourceRange&) override {
    if (name == "torch" || name == "F" || name == "math") return std::make_shared<TorchNames>();
    if (name == "ops") return std::make_shared<OperatorNames>();
    if (name == "annotate")
      return jit::SpecialFormValue::create(jit::prim::annotate);  // as empty lists print
    return nullptr;
  }
};

// LibTorch's parser and compiler call themselves for each level of nesting: deep text would end the process.
// What can nest is brackets, a statement's operators, and blocks.
constexpr std::size_t kMostBytes = 32 << 10, kLongestStatement = 4000;
constexpr int kDeepestBrackets = 100;

std::string whyTooDeep(const std::string& text) {
  if (text.size() > kMostBytes) return "is longer than " + std::to_string(kMostBytes >> 10) + " KiB";
  int depth = 0;
  std::size_t start = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i], before = i ? text[i - 1] : '\0';
    if (quote) quote = c == quote && before != '\\' ? '\0' : quote;
    else if (c == '"' || c == '\'') quote = c;
    else if (c == '(' || c == '[' || c == '{') ++depth;
    else if (c == ')' || c == ']' || c == '}') --depth;
    else if (c == '\n' && depth <= 0 && before != '\\') start = i;
    if (depth > kDeepestBrackets)
      return "has more than " + std::to_string(kDeepestBrackets) + " brackets within each other";
    if (i - start > kLongestStatement)
      return "has a statement of more than " + std::to_string(kLongestStatement) + " characters";
  }
  return "";
}

std::string withoutComments(std::string text) {
  for (auto at = text.find('#'); at != std::string::npos; at = text.find('#', at))
    while (at < text.size() && text[at] != '\n') text[at++] = ' ';
  return text;
}

// LibTorch's compiler reads what is not there of x[].
bool hasEmptySubscript(const std::string& fence) {
  const std::string text = withoutComments(fence);
  constexpr std::string_view kMayStandBeforeAList[] = {"return", "in",   "and", "or",    "not",
                                                       "if",     "else", "is",  "assert"};
  auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  auto lastBefore = [&](std::size_t i) {
    while (i > 0 && (std::isspace(static_cast<unsigned char>(text[i - 1])) || text[i - 1] == '\\')) --i;
    return i;
  };
  for (std::size_t close = text.find(']'); close != std::string::npos; close = text.find(']', close + 1)) {
    std::size_t open = lastBefore(close);
    if (open == 0 || text[open - 1] != '[') continue;
    std::size_t end = lastBefore(open - 1), start = end;
    if (end > 0 && (text[end - 1] == ')' || text[end - 1] == ']')) return true;
    while (start > 0 && isWord(text[start - 1])) --start;
    std::string_view word(text.data() + start, end - start);
    if (!word.empty() && std::find(std::begin(kMayStandBeforeAList), std::end(kMayStandBeforeAList), word) ==
                             std::end(kMayStandBeforeAList))
      return true;
  }
  return false;
}

std::string lineAt(const std::string& text, int line) {
  std::istringstream lines(text);
  std::string out;
  for (int i = 0; i <= line; ++i)
    if (!std::getline(lines, out)) return "";
  auto begin = out.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : out.substr(begin, out.find_last_not_of(" \t\r") - begin + 1);
}

// LibTorch's words, the line that they are about, and what to write where a page is written as a model is.
std::string compilerWords(std::string words, const Fence& fence, int line) {
  while (!words.empty() && (words.back() == ':' || words.back() == ' ')) words.pop_back();
  auto quoted = lineAt(fence.text, line - fence.line);
  if (!quoted.empty()) words += ": " + quoted;
  bool isOfModules = quoted.find("torch.nn.") != std::string::npos;
  return isOfModules ? words + "; write ATen operators as torch.NAME" : words;
}

std::string placeOf(const RulePage& page, int line) { return page.path + ":" + std::to_string(line); }

int lineOf(const std::string& message, const std::string& path, int otherwise) {
  auto at = message.find(path + "\", line ");
  if (at == std::string::npos) return otherwise;
  return std::atoi(message.c_str() + at + path.size() + 8);
}

}  // namespace

Compiled compileFence(const RulePage& page, const Fence& fence) {
  std::string place = placeOf(page, fence.line);
  if (auto why = whyTooDeep(fence.text); !why.empty())
    throw Error(place, "this " + fence.role + " block " + why);
  if (hasEmptySubscript(fence.text))
    throw Error(place, "this " + fence.role + " block has an index without a number: x[]");
  return compileOwn(page, fence);
}

Compiled compileOwn(const RulePage& page, const Fence& fence) {
  try {
    auto source = std::make_shared<jit::Source>(fence.text, page.path, static_cast<std::size_t>(fence.line));
    jit::Parser parser(source);
    std::vector<jit::Def> definitions;
    std::vector<jit::ResolverPtr> resolvers;
    while (parser.lexer().cur().kind != jit::TK_EOF) {
      definitions.emplace_back(parser.parseFunction(/*is_method=*/false));
      resolvers.push_back(std::make_shared<PageResolver>());
    }
    if (definitions.size() != 1) throw Error(placeOf(page, fence.line), "a fence holds exactly one function");
    auto unit = std::make_shared<jit::CompilationUnit>();
    unit->define(std::nullopt, {}, {}, definitions, resolvers, nullptr);
    std::string name = definitions[0].name().name();
    auto& function = jit::toGraphFunction(unit->get_function(c10::QualifiedName(name)));
    function.ensure_defined();
    return {function.graph()->copy(), function.getSchema(), unit, name};
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    int line = lineOf(e.what(), page.path, fence.line);
    throw Error(placeOf(page, line),
                "this " + fence.role + " block does not compile: " + compilerWords(briefly(e), fence, line));
  }
}

void takeTuplesApart(const std::shared_ptr<jit::Graph>& graph, const std::string& place) {
  try {
    jit::LowerAllTuples(graph);
  } catch (const c10::Error& e) {
    throw Error(place, "a tuple cannot be taken apart here: " + briefly(e));
  }
}

}  // namespace kadvise::graph
