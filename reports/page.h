// The report as one page that opens from disk: script and style inside, no network.
#pragma once

#include <string>
#include <string_view>

#include "reports/lint_report.h"
#include "reports/report.h"

namespace kadvise {

// What reports/html builds, with kPageData where the data belongs; empty in a build without it.
std::string pageTemplate();
inline constexpr std::string_view kPageData = "{\"kadvise\":\"data\"}";

// Why there is no page; "" when there is one.
std::string whyNoPage();

// Throws Error where there is none.
std::string renderPage(const Report&);
std::string renderPage(const LintReport&);

}  // namespace kadvise
