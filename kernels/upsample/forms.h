// The kernels there are: those of whole factors, and those for all others.
#pragma once

#include "kernels/upsample/pixels.h"
#include "kernels/upsample/planes.h"
#include "kernels/upsample/whole.h"

namespace kadvise {

template <UpsampleMode kMode, int kFactor, int kLanes, class With>
auto withWholeForm(bool byChannels, With with) {
  constexpr bool kNearest = kMode == UpsampleMode::Nearest;
  constexpr int kSide = kFactor < 4 ? kFactor : 4;
  constexpr int kRowsOfPixels = kNearest && kFactor > 2 ? 4 : 2;
  return byChannels ? with.template whole<WholeForm<kMode, kFactor, kLanes, kRowsOfPixels, kSide>>()
                    : with.template whole<WholeForm<kMode, kFactor, 1, 4, kLanes>>();
}

// Calls `with` for the form, and returns what it returns. kLanes: elements of 16 bytes. byChannels: as many
// channels lie together, aligned. With: a function object with two functions of one template parameter.
template <UpsampleMode kMode, int kLanes, class With>
auto withUpsampleForm(const UpsampleArgs& a, bool byChannels, With with) {
  if constexpr (kMode != UpsampleMode::Bicubic) {
    if (byChannels || !a.channelsLast) {
      if (isWhole(a, 2)) return withWholeForm<kMode, 2, kLanes>(byChannels, with);
      if (isWhole(a, 4)) return withWholeForm<kMode, 4, kLanes>(byChannels, with);
      if (isWhole(a, 8)) return withWholeForm<kMode, 8, kLanes>(byChannels, with);
    }
  }
  constexpr bool kCubic = kMode == UpsampleMode::Bicubic;
  if (byChannels) return with.template any<PixelForm<kLanes, kCubic ? 1 : 2>>();
  if (a.channelsLast) return with.template any<PixelForm<1, kCubic ? 1 : 2>>();
  constexpr int kColumns = kCubic ? 4 : kLanes, kPlanes = 4;
  if constexpr (kMode != UpsampleMode::Nearest) {
    if (isWithinQuarters(a.columns, 2)) return with.template any<PlaneForm<kColumns, kPlanes, 2>>();
    if (isWithinQuarters(a.columns, 3)) return with.template any<PlaneForm<kColumns, kPlanes, 3>>();
  }
  return with.template any<PlaneForm<kColumns, kPlanes, 0>>();
}

// The thread of a form.
template <UpsampleMode kMode, class Form, class Memory>
struct UpsampleThread;
template <UpsampleMode kMode, int kColumns, int kPlanes, int kQuarters, class Memory>
struct UpsampleThread<kMode, PlaneForm<kColumns, kPlanes, kQuarters>, Memory> {
  using type = PlaneThread<kMode, PlaneForm<kColumns, kPlanes, kQuarters>, Memory>;
};
template <UpsampleMode kMode, int kChannels, int kColumns, class Memory>
struct UpsampleThread<kMode, PixelForm<kChannels, kColumns>, Memory> {
  using type = PixelThread<kMode, PixelForm<kChannels, kColumns>, Memory>;
};

}  // namespace kadvise
