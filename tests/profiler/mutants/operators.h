// The operators of the library mutants::, for what TorchScript cannot say.
#pragma once

namespace kadvise::mutants {

void registerOperators();  // once
// What some of them have changed for the whole process, put back; what they remember, forgotten.
void undo();

}  // namespace kadvise::mutants
