// The kernels there are: for the usual square windows, for others by blocks, and for what is left.
#pragma once

#include "kernels/pool/channels.h"
#include "kernels/pool/columns.h"
#include "kernels/pool/tiles.h"

namespace kadvise {

template <class Of>
bool isSquare(const PoolDim& d) {
  return d.dilation == 1 && d.kernel == Of::kKernel && d.stride == Of::kStride && d.pad == Of::kPad;
}

// Layers whose windows hold no other layer are images of their own.
inline PoolArgs asImages(PoolArgs a) {
  const PoolDim& d = a.depth;
  if (d.kernel != 1 || d.stride != 1 || d.pad != 0) return a;
  (a.channelsLast ? a.images : a.channels) *= d.size;
  a.depth = {1, 1, 1, 1, 0, 1};
  return a;
}

// Threads of a block, and blocks that a multiprocessor should have registers for. Measured, as what a thread
// has of the result and the runs in squares.h: tests/bench/results/pool.h200.txt.
struct PoolBlock {
  int threads, ofSm;
};
template <class Form>
constexpr PoolBlock poolBlock() {
  constexpr bool kByChannels = Form::kChannels > 1, kIsImage = Form::kDepth == PoolDepth::One;
  if (!kByChannels) return {128, kIsImage ? 12 : 6};
  if (Form::kKept == 0) return {128, kIsImage ? 8 : 6};
  if (!kIsImage) return {192, 3};
  return {128, Form::kColumns > 1 ? 4 : 5};
}
template <class Form>
constexpr PoolBlock kPoolBlock = poolBlock<Form>();

template <class Of, class With>
auto withColumns(const PoolArgs& a, With with) {
  constexpr int kRows = Of::kStride == 1 ? 2 : 1, kColumns = 4;
  using Image = ColumnForm<Of, kRows, kColumns, PoolDepth::One, true>;
  using Volume = ColumnForm<Of, kRows, kColumns, PoolDepth::Cube, true>;
  if (isInPieces<Image>(a)) {
    if (a.depth.size == 1 && a.depth.kernel == 1) return with.template columns<Image>(a);
    if (isSquare<Of>(a.depth)) return with.template columns<Volume>(a);
  }
  return with.template columns<ColumnForm<Of, kRows, kColumns, PoolDepth::Any, false>>(a);
}

template <class Of, int kLanes, class With>
auto withChannels(const PoolArgs& a, With with) {
  constexpr int kRows = Of::kStride == 1 ? 2 : 1, kColumns = Of::kKept == 1 ? 2 : 1;
  if (a.depth.size == 1 && a.depth.kernel == 1)
    return with.template channels<ChannelForm<Of, kLanes, kRows, kColumns, PoolDepth::One>>(a);
  return with.template channels<ChannelForm<Of, kLanes, kRows, 1, PoolDepth::Any>>(a);
}

// Blocks of pieces; of channels that are none of single elements.
template <int kLanes, bool kSlides, class With>
auto withTiles(const PoolArgs& a, bool byChannels, With with) {
  if (byChannels) return with.template tiles<TileForm<kLanes, TileOf::Channels, kSlides>>(a);
  if (a.channelsLast) return with.template tiles<TileForm<1, TileOf::Channels, kSlides>>(a);
  return areAt16Bytes(a) && a.columns.size % kLanes == 0
             ? with.template tiles<TileForm<kLanes, TileOf::Columns, kSlides>>(a)
             : with.template tiles<TileForm<kLanes, TileOf::LooseColumns, kSlides>>(a);
}

// Calls `with` for the form and the windows, and returns what it returns. kLanes: channels of a thread where
// they lie together. With: a function object with functions of one template parameter, the form.
template <int kLanes, class With>
auto withPoolForm(const PoolArgs& args, bool byChannels, With with) {
  const PoolArgs a = asImages(args);
  const bool known = (byChannels || !a.channelsLast) && isSmallPool(a) && a.depth.dilation == 1;
  const auto is = [&]<class Of>() { return known && isSquare<Of>(a.rows) && isSquare<Of>(a.columns); };
  const auto of = [&]<class Of>() {
    return byChannels ? withChannels<Of, kLanes>(a, with) : withColumns<Of>(a, with);
  };
  using Twos = Square<2, 2, 0>;
  using Threes = Square<3, 2, 1>;
  using SteadyThrees = Square<3, 1, 1>;
  if (is.template operator()<Twos>()) return of.template operator()<Twos>();
  if (is.template operator()<Threes>()) return of.template operator()<Threes>();
  if (is.template operator()<SteadyThrees>()) return of.template operator()<SteadyThrees>();
  return slides(a.rows) || slides(a.columns) ? withTiles<kLanes, true>(a, byChannels, with)
                                             : withTiles<kLanes, false>(a, byChannels, with);
}

}  // namespace kadvise
