// Kernels as a timeline draws them.
import {type Kernel} from "./data";

export interface Lane {
  name: string;
  kernels: Kernel[];
  callUs: number; // of a timed call; 0: not known
}

export const endOf = (kernels: Kernel[]) => kernels.reduce((end, k) => Math.max(end, k.startUs + k.durationUs), 0);
export const busyUs = (kernels: Kernel[]) => kernels.reduce((sum, k) => sum + k.durationUs, 0);

const kSlowed = 1.2; // a recorded call that took longer than this many timed ones was held up by the recording

export const isSlowed = (lane: Lane) => lane.callUs > 0 && endOf(lane.kernels) > kSlowed * lane.callUs;

// Recording holds up the host, so that the gaps between kernels are longer than in a timed call: they are shortened
// in proportion until the call takes its time.
export function asTimed(lane: Lane): Lane {
  if (!isSlowed(lane)) return lane;
  const kernels = [...lane.kernels].sort((a, b) => a.startUs - b.startUs),
    gaps = endOf(kernels) - busyUs(kernels),
    left = Math.max(0, lane.callUs - busyUs(kernels)),
    scale = gaps > 0 ? left / gaps : 0;
  let end = 0,
    at = 0;
  const moved = kernels.map((k) => {
    at += Math.max(0, k.startUs - end) * scale;
    end = Math.max(end, k.startUs + k.durationUs);
    const startUs = at;
    at += k.durationUs;
    return {...k, startUs};
  });
  return {...lane, kernels: moved};
}
