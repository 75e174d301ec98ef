// Which CUDA and LibTorch headers a file is parsed with: those of this machine where they are there, else our
// own declarations, with which nothing has to be installed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kadvise::source {

// How much of the real headers there is.
enum class Tier { Toolkit, Stub };
const char* word(Tier);

struct HeaderPlaces {
  std::filesystem::path own;      // share/kadvise/headers: cuda/, torch/, toolkit/
  std::filesystem::path toolkit;  // a CUDA toolkit's folder; "" for none
  std::filesystem::path torch;    // the torch package's folder; "" for none
  bool isOfBuild = false;         // the toolkit was not found by us: a build's commands name it
};

enum class Language { Cuda, Cxx };
// Of a CUDA file. The device pass sees host functions and launches too, but not what #ifndef __CUDA_ARCH__
// hides.
enum class Pass { Device, Host };

// The arguments of Clang that choose the headers. arch: 90 for sm_90.
std::vector<std::string> headerArguments(const HeaderPlaces&, Tier, Language, Pass, int arch);

// Clang's own headers (stddef.h, the CUDA wrapper) of the library that this program runs with; "" when they
// are not installed.
std::filesystem::path resourceFolder();

}  // namespace kadvise::source
