#include "analyzer/source/formula_match.h"

#include <algorithm>
#include <cmath>

namespace kadvise::source {
namespace {

constexpr int kMostSteps = 20000;
constexpr std::size_t kMostFactors = 6;
constexpr double kNearly = 1e-3;  // constants of approximations are written with three digits or more

using Parts = std::vector<FormulaPtr>;

bool areNear(double a, double b) { return a == b || std::abs(a - b) <= kNearly * std::abs(b); }

class Search {
 public:
  Search(const Unit& unit, const TensorValues& values) : unit_(unit), values_(values) {}

  std::optional<FormulaMatch> at(int root, const Formula& f) {
    root_ = root;
    std::vector<Goal> goals = {{&f, {root, values_.at(root).written}}};
    if (!solve(goals)) return std::nullopt;
    return found_;
  }

 private:
  struct Goal {
    const Formula* formula;
    NamedValue at;
  };

  static NamedValue operandOf(const TensorValue& v, std::size_t i) { return {v.operands[i], v.spelt[i]}; }

  // Solves the last goal, then those before it; goals is as it was when this fails.
  bool solve(std::vector<Goal> goals) {
    if (++steps_ > kMostSteps) return false;
    if (goals.empty()) return isUsedHereOnly();
    Goal goal = goals.back();
    goals.pop_back();
    auto& f = *goal.formula;
    auto& v = values_.at(goal.at.value);
    switch (f.kind) {
      case Formula::Kind::Constant:
        return v.number && areNear(*v.number, f.constant) && solve(std::move(goals));
      case Formula::Kind::Tensor:
        return v.isTensor && bind(f, goal.at, std::move(goals));
      case Formula::Kind::Number:
        return !v.isTensor && bind(f, goal.at, std::move(goals));
      case Formula::Kind::Any:
        return bind(f, goal.at, std::move(goals));
      case Formula::Kind::Either:
        return std::any_of(f.parts.begin(), f.parts.end(), [&](auto& form) {
          auto tried = goals;
          tried.push_back({form.get(), goal.at});
          return solve(std::move(tried));
        });
      case Formula::Kind::Operator:
        return ofOperator(f, goal.at.value, goals);
    }
    return false;
  }

  bool bind(const Formula& f, NamedValue value, std::vector<Goal> goals) {
    auto known = found_.named.find(f.name);
    if (known != found_.named.end())
      return values_.areEqual(unit_, known->second.value, value.value) && solve(std::move(goals));
    found_.named[f.name] = value;
    if (solve(std::move(goals))) return true;
    found_.named.erase(f.name);
    return false;
  }

  // Marks the value as a step of the formula while what follows is tried.
  template <class F>
  bool asStep(int value, const F& tryIt) {
    if (value != root_) ++found_.inner[value];
    if (tryIt()) return true;
    if (value != root_ && --found_.inner[value] == 0) found_.inner.erase(value);
    return false;
  }

  bool ofOperator(const Formula& f, int value, const std::vector<Goal>& goals) {
    auto& v = values_.at(value);
    if (f.name == "square" && v.word != "square") return asSquare(f, value, goals);
    if (v.word != f.name) return false;
    if (f.name == "add" || f.name == "mul") return inAnyOrder(f, value, goals);
    bool enough = f.takesMore ? v.operands.size() >= f.parts.size() : v.operands.size() == f.parts.size();
    if (!enough) return false;
    return asStep(value, [&] {
      auto next = goals;
      for (std::size_t i = f.parts.size(); i-- > 0;) next.push_back({f.parts[i].get(), operandOf(v, i)});
      return solve(std::move(next));
    });
  }

  // pow(x, 2) and x * x.
  bool asSquare(const Formula& f, int value, const std::vector<Goal>& goals) {
    auto& v = values_.at(value);
    if (v.operands.size() != 2) return false;
    auto& exponent = values_.at(v.operands[1]);
    bool isPower = v.word == "pow" && exponent.number && *exponent.number == 2;
    bool isProduct = v.word == "mul" && values_.areEqual(unit_, v.operands[0], v.operands[1]);
    if (!isPower && !isProduct) return false;
    return asStep(value, [&] {
      auto next = goals;
      next.push_back({f.parts[0].get(), operandOf(v, 0)});
      if (isProduct) next.push_back({f.parts[0].get(), operandOf(v, 1)});
      return solve(std::move(next));
    });
  }

  // Terms of a sum or factors of a product; a sum with a third operand (alpha) is none.
  void flatten(const std::string& word, NamedValue at, bool isRoot, std::vector<NamedValue>& out,
               std::vector<int>& steps) const {
    auto& v = values_.at(at.value);
    if (v.word != word || v.operands.size() != 2 || (!isRoot && v.uses != 1)) return out.push_back(at);
    steps.push_back(at.value);
    for (std::size_t i = 0; i < 2; ++i) flatten(word, operandOf(v, i), false, out, steps);
  }
  static void flatten(const std::string& word, const FormulaPtr& f, Parts& out) {
    if (f->kind != Formula::Kind::Operator || f->name != word) return out.push_back(f);
    for (auto& p : f->parts) flatten(word, p, out);
  }

  bool inAnyOrder(const Formula& f, int value, const std::vector<Goal>& goals) {
    std::vector<NamedValue> operands;
    std::vector<int> steps;
    Parts parts;
    for (auto& p : f.parts) flatten(f.name, p, parts);
    flatten(f.name, {value, nullptr}, true, operands, steps);
    if (values_.at(value).operands.size() != 2) return false;
    // As it is written first: the formula may want the product inside for one name.
    if (asWritten(f, value, goals)) return true;
    if (parts.size() != operands.size() || parts.size() > kMostFactors || parts.size() < 3) return false;
    auto byValue = [](auto& a, auto& b) { return a.value < b.value; };
    std::sort(operands.begin(), operands.end(), byValue);
    do {
      auto next = goals;
      for (std::size_t i = parts.size(); i-- > 0;) next.push_back({parts[i].get(), operands[i]});
      for (int s : steps)
        if (s != root_) ++found_.inner[s];
      if (solve(std::move(next))) return true;
      for (int s : steps)
        if (s != root_ && --found_.inner[s] == 0) found_.inner.erase(s);
    } while (std::next_permutation(operands.begin(), operands.end(), byValue));
    return false;
  }

  bool asWritten(const Formula& f, int value, const std::vector<Goal>& goals) {
    auto& v = values_.at(value);
    for (int turn = 0; turn < 2; ++turn) {
      NamedValue first = operandOf(v, turn ? 1 : 0), second = operandOf(v, turn ? 0 : 1);
      bool matches = asStep(value, [&] {
        auto next = goals;
        next.push_back({f.parts[1].get(), second});
        next.push_back({f.parts[0].get(), first});
        return solve(std::move(next));
      });
      if (matches) return true;
    }
    return false;
  }

  bool isUsedHereOnly() const {
    return std::all_of(found_.inner.begin(), found_.inner.end(),
                       [&](auto& step) { return values_.at(step.first).uses <= step.second; });
  }

  const Unit& unit_;
  const TensorValues& values_;
  FormulaMatch found_;
  int root_ = 0, steps_ = 0;
};

}  // namespace

std::optional<FormulaMatch> matchAt(const Unit& unit, const TensorValues& values, int root, const Formula& f) {
  if (f.name != values.at(root).word && f.name != "square") return std::nullopt;
  return Search(unit, values).at(root, f);
}

}  // namespace kadvise::source
