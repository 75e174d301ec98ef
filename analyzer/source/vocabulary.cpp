#include "analyzer/source/vocabulary.h"

#include <algorithm>
#include <string>

#include "analyzer/core/error.h"
#include "analyzer/source/done_in_float.h"
#include "analyzer/source/host_tensors.h"
#include "analyzer/source/index_math.h"
#include "analyzer/source/narrow_arguments.h"
#include "analyzer/source/text_branches.h"

namespace kadvise::source {
namespace {

namespace dynamic = clang::ast_matchers::dynamic;

AST_MATCHER(clang::BinaryOperator, doneInFloat) {
  (void)Builder;
  return isDoneInFloat(Finder->getASTContext(), Node);
}

AST_MATCHER(clang::BinaryOperator, inFileOfNarrowIndices) {
  (void)Builder;
  (void)Node;
  return asksForNarrowIndices(Finder->getASTContext());
}

AST_MATCHER(clang::ParmVarDecl, givenNarrow) {
  (void)Builder;
  return NarrowArguments(Finder->getASTContext()).isGivenNarrow(Node);
}

AST_MATCHER(clang::ParmVarDecl, givenSmall) {
  (void)Builder;
  return isGivenSmall(Finder->getASTContext(), Node);
}

AST_MATCHER(clang::FunctionDecl, forHostTensors) {
  (void)Builder;
  return asksForHost(Finder->getASTContext(), Node);
}

AST_MATCHER(clang::VarDecl, madeOnHost) {
  (void)Builder, (void)Finder;
  return isMadeOnHost(Node);
}

bool isBarrier(const clang::Stmt* s) {
  auto* call = llvm::dyn_cast_or_null<clang::CallExpr>(s);
  auto* f = call ? call->getDirectCallee() : nullptr;
  return f && f->getIdentifier() && f->getName() == "__syncthreads";
}

const clang::Stmt* nextIn(const clang::CompoundStmt& block, const clang::Stmt* s) {
  auto at = std::find(block.body_begin(), block.body_end(), s);
  while (at != block.body_end() && ++at != block.body_end())
    if (!llvm::isa<clang::NullStmt>(*at)) return *at;
  return nullptr;
}

// What comes next is __syncthreads(), in whatever branches this is the last of. Not for what a loop repeats.
AST_MATCHER(clang::BinaryOperator, beforeBarrier) {
  (void)Builder;
  auto& context = Finder->getASTContext();
  const clang::Stmt* s = &Node;
  while (s) {
    auto parents = context.getParents(*s);
    auto* parent = parents.empty() ? nullptr : parents[0].get<clang::Stmt>();
    auto* block = llvm::dyn_cast_or_null<clang::CompoundStmt>(parent);
    if (auto* next = block ? nextIn(*block, s) : nullptr) return isBarrier(next);
    bool goesOn = block || llvm::isa_and_nonnull<clang::IfStmt, clang::ExprWithCleanups>(parent);
    s = goesOn ? parent : nullptr;
  }
  return false;
}

// "#if …", the call with "_sync" behind its name, "#else", and this call: whoever wrote it knows.
AST_MATCHER(clang::CallExpr, besideItsSyncForm) {
  (void)Builder;
  auto* callee = Node.getDirectCallee();
  auto& sources = Finder->getASTContext().getSourceManager();
  auto [file, offset] = sources.getDecomposedLoc(sources.getSpellingLoc(Node.getBeginLoc()));
  return callee && callee->getIdentifier() &&
         isInBranchesWith(sources.getBufferData(file), offset, callee->getName().str() + "_sync");
}

// What release builds, which define NDEBUG, do in another way or not at all.
AST_MATCHER(clang::CallExpr, besideItsReleaseForm) {
  (void)Builder;
  auto& sources = Finder->getASTContext().getSourceManager();
  auto [file, offset] = sources.getDecomposedLoc(sources.getSpellingLoc(Node.getBeginLoc()));
  return isInBranchesWith(sources.getBufferData(file), offset, "NDEBUG");
}

struct Word {
  const char *name, *matcher;
};
// In order: a word may use those before it.
constexpr Word kWords[] = {
    {"kernel", R"(functionDecl(hasAttr("attr::CUDAGlobal")))"},
    {"deviceFunction",
     R"(functionDecl(anyOf(hasAttr("attr::CUDAGlobal"), allOf(hasAttr("attr::CUDADevice"), unless(cxxMethodDecl(ofClass(cxxRecordDecl(isLambda()))))))))"},
    {"inKernel", "stmt(hasAncestor(kernel))"},
    {"inDeviceCode", "stmt(hasAncestor(deviceFunction))"},
    {"inHostCode", "stmt(unless(hasAncestor(deviceFunction)))"},
    {"inLoop",
     // What a macro wraps in do { } while (0) runs once.
     "stmt(anyOf(hasAncestor(forStmt()), hasAncestor(whileStmt()), "
     "hasAncestor(doStmt(unless(hasCondition(ignoringParenImpCasts(anyOf(integerLiteral(equals(0)), "
     "cxxBoolLiteral(equals(false)))))))), hasAncestor(cxxForRangeStmt())))"},
    {"inTemplateInstance", "stmt(isInTemplateInstantiation())"},
    {"isFloat", R"(expr(hasType(qualType(hasCanonicalType(asString("float"))))))"},
    {"isDouble", R"(expr(hasType(qualType(hasCanonicalType(asString("double"))))))"},
    {"tensorType",
     R"(hasUnqualifiedDesugaredType(recordType(hasDeclaration(cxxRecordDecl(hasAnyName("::at::Tensor", "::at::TensorBase"))))))"},
    {"isTensor",
     R"(expr(hasType(hasUnqualifiedDesugaredType(recordType(hasDeclaration(cxxRecordDecl(hasAnyName("::at::Tensor", "::at::TensorBase"))))))))"},
};

NamedMatchers make() {
  NamedMatchers out;
  out["doneInFloat"] = dynamic::VariantMatcher::SingleMatcher(doneInFloat());
  out["inFileOfNarrowIndices"] = dynamic::VariantMatcher::SingleMatcher(inFileOfNarrowIndices());
  out["givenNarrow"] = dynamic::VariantMatcher::SingleMatcher(givenNarrow());
  out["givenSmall"] = dynamic::VariantMatcher::SingleMatcher(givenSmall());
  out["forHostTensors"] = dynamic::VariantMatcher::SingleMatcher(forHostTensors());
  out["beforeBarrier"] = dynamic::VariantMatcher::SingleMatcher(beforeBarrier());
  out["madeOnHost"] = dynamic::VariantMatcher::SingleMatcher(madeOnHost());
  out["besideItsSyncForm"] = dynamic::VariantMatcher::SingleMatcher(besideItsSyncForm());
  out["besideItsReleaseForm"] = dynamic::VariantMatcher::SingleMatcher(besideItsReleaseForm());
  for (auto& word : kWords) {
    dynamic::Diagnostics problems;
    dynamic::VariantValue value;
    llvm::StringRef text = word.matcher;
    if (!dynamic::Parser::parseExpression(text, nullptr, &out, &value, &problems))
      throw Error("the matcher " + std::string(word.name), problems.toStringFull());
    out[word.name] = value;
  }
  return out;
}

}  // namespace

const NamedMatchers& vocabulary() {
  static const NamedMatchers words = make();
  return words;
}

}  // namespace kadvise::source
