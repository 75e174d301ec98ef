// The one name that findings have beside the rules of the book.
#pragma once

namespace kadvise {

// Of comments that suppress nothing. No page of the rule book: it is about what the other rules leave unsaid.
inline constexpr const char* kUnusedSuppression = "lint/unused-suppression";

}  // namespace kadvise
