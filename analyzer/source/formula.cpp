#include "analyzer/source/formula.h"

#include <cctype>
#include <cstdlib>
#include <sstream>

#include "analyzer/core/error.h"

namespace kadvise::source {
namespace {

using Names = std::map<std::string, FormulaPtr>;

constexpr int kDeepest = 64;

FormulaPtr leaf(Formula::Kind kind, std::string name, double constant = 0) {
  Formula out;
  out.kind = kind;
  out.name = std::move(name);
  out.constant = constant;
  return std::make_shared<const Formula>(std::move(out));
}

FormulaPtr applied(Formula::Kind kind, std::string name, std::vector<FormulaPtr> parts, bool takesMore = false) {
  Formula out;
  out.kind = kind;
  out.name = std::move(name);
  out.parts = std::move(parts);
  out.takesMore = takesMore;
  return std::make_shared<const Formula>(std::move(out));
}

class Parser {
 public:
  Parser(const std::string& text, const Names& names, std::string where)
      : text_(text), names_(names), where_(std::move(where)) {}

  FormulaPtr whole() {
    auto out = either();
    if (peek()) fail("unexpected \"" + text_.substr(at_) + "\"");
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(where_, "in this formula: " + what); }

  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string("\"") + c + "\" is missing");
  }

  FormulaPtr either() {
    if (++depth_ > kDeepest) fail("it is nested too deeply");
    std::vector<FormulaPtr> forms = {sum()};
    while (take('|')) forms.push_back(sum());
    --depth_;
    return forms.size() == 1 ? forms[0] : applied(Formula::Kind::Either, "", std::move(forms));
  }

  FormulaPtr sum() {
    auto out = product();
    while (peek() == '+' || peek() == '-') {
      bool isSum = text_[at_++] == '+';
      out = applied(Formula::Kind::Operator, isSum ? "add" : "sub", {out, product()});
    }
    return out;
  }

  FormulaPtr product() {
    auto out = one();
    while (peek() == '*' || peek() == '/') {
      bool isProduct = text_[at_++] == '*';
      out = applied(Formula::Kind::Operator, isProduct ? "mul" : "div", {out, one()});
    }
    return out;
  }

  FormulaPtr one() {
    if (take('(')) {
      auto out = either();
      expect(')');
      return out;
    }
    if (take('-')) {
      auto out = one();
      if (out->kind == Formula::Kind::Constant) return leaf(Formula::Kind::Constant, "", -out->constant);
      return applied(Formula::Kind::Operator, "neg", {out});
    }
    if (std::isdigit(static_cast<unsigned char>(peek()))) return constant();
    return named();
  }

  FormulaPtr constant() {
    char* end = nullptr;
    double value = std::strtod(text_.c_str() + at_, &end);
    at_ = static_cast<std::size_t>(end - text_.c_str());
    return leaf(Formula::Kind::Constant, "", value);
  }

  std::string word() {
    peek();
    std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    if (begin == at_) fail("a name is missing at \"" + text_.substr(at_) + "\"");
    return text_.substr(begin, at_ - begin);
  }

  FormulaPtr named() {
    std::string name = word();
    if (name == "true" || name == "false") return leaf(Formula::Kind::Constant, "", name == "true");
    if (take('(')) return call(name);
    if (take(':')) {
      std::string kind = word();
      if (kind == "number") return leaf(Formula::Kind::Number, name);
      if (kind == "any") return leaf(Formula::Kind::Any, name);
      fail("\"" + kind + "\" is not one of number, any");
    }
    auto known = names_.find(name);
    return known == names_.end() ? leaf(Formula::Kind::Tensor, name) : known->second;
  }

  FormulaPtr call(const std::string& name) {
    std::vector<FormulaPtr> operands;
    bool takesMore = false;
    while (!take(')')) {
      if (!operands.empty()) expect(',');
      if (peek() == '.' && text_.compare(at_, 3, "...") == 0) {
        at_ += 3;
        takesMore = true;
        expect(')');
        break;
      }
      operands.push_back(either());
    }
    if (operands.empty()) fail(name + " has no operand");
    return applied(Formula::Kind::Operator, name, std::move(operands), takesMore);
  }

  const std::string& text_;
  const Names& names_;
  std::string where_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::vector<FormulaPtr> parseFormulas(const RulePage& page, const Fence& fence) {
  std::vector<FormulaPtr> out;
  Names names;
  std::istringstream lines(fence.text);
  std::string line;
  for (int number = fence.line; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::string where = page.path + ":" + std::to_string(number);
    if (line.rfind("let ", 0) != 0) {
      out.push_back(Parser(line, names, where).whole());
      continue;
    }
    auto equals = line.find('=');
    if (equals == std::string::npos) throw Error(where, "a name is given as let NAME = FORMULA");
    std::string name = line.substr(4, equals - 4), text = line.substr(equals + 1);
    name.erase(name.find_last_not_of(" \t") + 1);
    names[name] = Parser(text, names, where).whole();
  }
  if (out.empty()) throw Error(page.path + ":" + std::to_string(fence.line), "there is no formula here");
  for (auto& f : out)
    if (f->kind != Formula::Kind::Operator)
      throw Error(page.path + ":" + std::to_string(fence.line), "a formula is an operator over something");
  return out;
}

}  // namespace kadvise::source
