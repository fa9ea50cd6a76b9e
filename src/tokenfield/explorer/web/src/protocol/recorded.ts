/** Exported scenes: base64 of gzip of a packed buffer, whose points are 16-bit numbers coded as differences in time. */
import { fromBase64, through } from "../state/address";
import { unpack, type Frame, type Tensor } from "./frame";
import type { Curve, Grid, Prediction, Ready, Tables } from "./messages";

/** How quantized numbers are restored: level 0 is `lo`, level 65535 is `hi`. */
interface Quantized {
  lo: number;
  hi: number;
}

interface SceneHeader {
  title?: string;
  config: Tables | null;
  toml: string | null;
  python: string | null;
  /** How many tokens the run had, if the page shows fewer. */
  of?: number;
  predictions: Prediction[];
  curves?: Record<string, Curve | null>;
  times: number[];
  scalars: Record<string, (number | null)[]>;
  n: number;
  d: number;
  geometry: Ready["geometry"];
  state?: Ready["state"];
  clock?: Ready["clock"];
  grid?: Grid | null;
  projected?: boolean;
  points?: Quantized;
  density?: Quantized;
}

/** Arrays that have one part for each frame; the others are the same in all of them. */
const BY_FRAME = new Set(["points", "labels", "density", "mean", "covariance", "histogram", "spectrum"]);

export interface RecordedScene {
  title: string;
  ready: Ready;
  frames: Frame[];
}

const LEVELS = 65535;

/** The scene that the text of an exported page holds. */
export async function decodeScene(text: string): Promise<RecordedScene> {
  const bytes = await through(fromBase64(text.trim()), new DecompressionStream("gzip"));
  const { header, arrays } = unpack(bytes.buffer);
  return assemble(header as unknown as SceneHeader, arrays);
}

function assemble(header: SceneHeader, arrays: Record<string, Tensor>): RecordedScene {
  const restored: Record<string, Tensor> = { ...arrays };
  if (arrays.points && header.points) restored.points = restore(arrays.points, header.points);
  if (arrays.density && header.density) restored.density = restore(arrays.density, header.density);
  if (arrays.labels) restored.labels = summed(arrays.labels);
  if (arrays.gram) restored.gram = { data: arrays.gram.data, shape: arrays.gram.shape.slice(-2) };
  const count = header.times.length;
  const frames = header.times.map((t, index): Frame => ({
    system: 0,
    index,
    t,
    projected: header.projected ?? false,
    scalars: Object.fromEntries(Object.entries(header.scalars).map(([name, values]) => [name, values[index] ?? NaN])),
    arrays: Object.fromEntries(Object.entries(restored).map(([name, array]) => [name, BY_FRAME.has(name) ? slice(array, index) : array])),
  }));
  const ready: Ready = {
    ...header,
    type: "ready",
    system: 0,
    config: header.config ?? {},
    state: header.state ?? "tokens",
    clock: header.clock ?? "linear",
    grid: header.grid ?? null,
    curves: header.curves ?? {},
    speed: 1,
    t0: header.times[0],
    t1: header.times[count - 1],
  };
  return { title: header.title ?? "", ready, frames };
}

/** The numbers of which 16-bit differences along the first axis were made. */
export function restore(codes: Tensor, { lo, hi }: Quantized): Tensor {
  const { data, shape } = summed(codes);
  const scale = (hi - lo) / LEVELS;
  return { data: Float32Array.from(data, (level) => lo + scale * level), shape };
}

/** Sums of differences along the first axis, modulo 65536. */
function summed({ data, shape }: Tensor): Tensor {
  const size = data.length / shape[0];
  const sums = Uint16Array.from(data);
  for (let k = size; k < sums.length; k++) sums[k] += sums[k - size];
  return { data: sums, shape };
}

/** One frame of an array of frames. */
function slice({ data, shape }: Tensor, index: number): Tensor {
  const size = data.length / shape[0];
  return { data: data.subarray(index * size, (index + 1) * size), shape: shape.slice(1) };
}
