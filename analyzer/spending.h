// Takes the time that it lives off what is left of a budget, in seconds.
#pragma once

#include <chrono>

namespace kadvise {

class Spending {
 public:
  explicit Spending(double& left) : left_(left) {}
  ~Spending() { left_ -= std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  Spending(const Spending&) = delete;
  Spending& operator=(const Spending&) = delete;

 private:
  double& left_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace kadvise
