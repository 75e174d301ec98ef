// A lint report in the forms that people, editors and CI services read.
#pragma once

#include <string>
#include <vector>

#include "reports/lint_report.h"
#include "reports/text.h"

namespace kadvise {

std::vector<std::string> lintFormats();  // text, concise, json, sarif, markdown, github, gitlab, junit
// Whether the form itself says that files did not parse cleanly; beside the others it is said elsewhere.
bool tellsParseErrors(const std::string& format);
// format: one of those.
std::string renderLint(const LintReport&, const std::string& format, const TextStyle&);

std::string lintText(const LintReport&, const TextStyle&);
std::string lintConcise(const LintReport&);
std::string lintSarif(const LintReport&);
std::string lintMarkdown(const LintReport&);
std::string lintGithub(const LintReport&);
std::string lintGitlab(const LintReport&);
std::string lintJunit(const LintReport&);
// Of each rule: how often, and how many of them have a fix. Lines of text, or "json".
std::string lintStatistics(const LintReport&, const std::string& format);

}  // namespace kadvise
