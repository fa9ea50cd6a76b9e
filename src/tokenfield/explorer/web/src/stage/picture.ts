/** What a view is asked to draw, and what a view can do. Views know no server and no controls. */
import type { Frame, Tensor } from "../protocol/frame";
import type { Grid } from "../protocol/messages";
import { groups } from "../state/colors";
import type { Theme } from "../state/theme";

export interface Picture {
  geometry: "sphere" | "euclidean";
  state: "tokens" | "density" | "gaussian";
  /** The dimension of the system; frames may hold a projection to three coordinates. */
  dimension: number;
  /** Where the values of a density are. */
  grid: Grid | null;
  frame: Frame;
  /** Earlier frames, oldest first, without `frame`. */
  trail: Frame[];
  /** The tokens that are marked: the one under the pointer, and the one that stays marked. */
  hovered: number | null;
  pinned: number | null;
  /** Words to write beside tokens, if they have any. */
  words: string[] | null;
  theme: Theme;
}

export interface View {
  readonly element: HTMLElement;
  resize(width: number, height: number): void;
  draw(picture: Picture): void;
  /** The token at a place of the view, in pixels from its corner. */
  tokenAt(x: number, y: number): number | null;
  /** Where a token would be in space, or in the projection, if it were dragged to a place of the view; null if it cannot be. */
  pointAt(token: number, x: number, y: number): number[] | null;
  /** Where a token is drawn. */
  placeOf(token: number): { x: number; y: number } | null;
  /** Paints what is seen into another canvas. */
  paint(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number): void;
}

/** How near, in pixels, the pointer has to come to a token. */
export const REACH = 16;

/** The radius of a drawn token in pixels: fewer tokens are drawn larger. */
export function tokenRadius(n: number, size: number): number {
  return Math.min(Math.max((size / 620) * (13 / (1 + n / 60) ** 0.28), 2.1), 9);
}

const sizes = new WeakMap<Frame, Float32Array>();
/** The spread, as a share of the unit, below which a cluster looks like one point. */
const TIGHT = 0.05;

/**
 * The factor by which each token is drawn larger than usual: heavy ones, and those of clusters that are almost a point,
 * so that one sees how many tokens a point stands for.
 */
export function sizesOf(frame: Frame): Float32Array {
  const known = sizes.get(frame);
  if (known) return known;
  const { points, weights, labels } = frame.arrays;
  const n = points?.shape[0] ?? 0;
  const found = new Float32Array(n);
  for (let token = 0; token < n; token++) found[token] = weights ? Math.min(Math.max(Math.cbrt(weights.data[token] * n), 0.6), 4) : 1;
  if (points && labels)
    for (const tokens of groups(labels.data, n)) {
      const factor = 1 + 2 * Math.sqrt(tokens.length / n) / (1 + (spread(points, tokens) / TIGHT) ** 2);
      for (const token of tokens) found[token] *= factor;
    }
  sizes.set(frame, found);
  return found;
}

/** The root of the mean squared distance of tokens from their mean. */
function spread({ data, shape: [, d] }: Tensor, tokens: number[]): number {
  let total = 0;
  for (let k = 0; k < d; k++) {
    let mean = 0;
    for (const token of tokens) mean += data[token * d + k] / tokens.length;
    for (const token of tokens) total += (data[token * d + k] - mean) ** 2 / tokens.length;
  }
  return Math.sqrt(total);
}

/** Attention as a share of its largest value; null if the frame carries none. */
export function glowOf(frame: Frame): Float32Array | null {
  const attention = frame.arrays.attention?.data;
  if (!attention) return null;
  let largest = 0;
  for (const value of attention) if (value > largest) largest = value;
  return Float32Array.from(attention, (value) => (largest > 0 ? value / largest : 0));
}

/** A round number at least as large as the radius, which changes only when the radius has changed a lot. */
export function nextExtent(before: number, radius: number): number {
  if (radius <= before && radius > 0.1 * before) return before;
  if (!(radius > 0) || !Number.isFinite(radius)) return before || 1;
  const power = 10 ** Math.floor(Math.log10(radius * 1.1));
  return power * ([1, 2, 5, 10].find((step) => step * power >= radius * 1.1) ?? 10);
}
