/** What a view is asked to draw, and what a view can do. Views know no server and no controls. */
import type { Frame } from "../protocol/frame";
import type { Grid } from "../protocol/messages";
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
  /** Where a token would be in space if it were dragged to a place of the view; null if it cannot be dragged. */
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

/** The factor by which a token of this weight is drawn larger than the mean one. */
export function massFactor(weights: ArrayLike<number> | undefined, token: number, n: number): number {
  return weights ? Math.min(Math.max(Math.cbrt(weights[token] * n), 0.6), 4) : 1;
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
