#include "analyzer/source/warp_literal_rule.h"

#include "analyzer/source/device_code.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

bool isIndexOfThread(const clang::Expr* e) {
  auto index = builtinIndexOf(e);
  return index && index->kind == BuiltinIndex::Kind::Thread;
}

class LaneMath : public Visitor {
 public:
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    auto* number = llvm::dyn_cast<clang::IntegerLiteral>(b->getRHS()->IgnoreParenImpCasts());
    if (!number || !isIndexOfThread(b->getLHS())) return true;
    auto value = number->getValue().getLimitedValue();
    auto op = b->getOpcode();
    bool isOfWarp = ((op == clang::BO_Rem || op == clang::BO_Div) && value == 32) ||
                    (op == clang::BO_And && value == 31) || (op == clang::BO_Shr && value == 5);
    if (isOfWarp) found.push_back(b);
    return true;
  }
  std::vector<const clang::BinaryOperator*> found;
};

}  // namespace

void warpSizeLiteral(Analyses& analyses, const RulePage& page, Findings& findings) {
  for (auto* f : analyses.unit().deviceFunctions) {
    LaneMath math;
    math.TraverseStmt(f->getBody());
    for (auto* b : math.found) {
      Site site;
      site.range = b->getSourceRange();
      site.function = f;
      site.message = "a warp is taken to have 32 lanes by a number; warpSize says it on every device";
      findings.add(page, std::move(site));
    }
  }
}

}  // namespace kadvise::source
