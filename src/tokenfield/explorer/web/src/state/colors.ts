/** Colors of clusters: Okabe and Ito's palette, which all can tell apart, kept by a cluster from frame to frame. */

/** The color of a token that is in no cluster; others are indices of PALETTE, then of its lighter round. */
export const ALONE = 255;
const SERVER_ALONE = 65535;

export const PALETTE = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#f0e442"] as const;
/** As many colors as can be told apart with a second, lighter round. */
export const COLORS = 2 * PALETTE.length;

export type Rgb = [number, number, number];

export function rgb(hex: string): Rgb {
  const value = parseInt(hex.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

export function mix(a: Rgb, b: Rgb, share: number): Rgb {
  return [0, 1, 2].map((k) => a[k] + (b[k] - a[k]) * share) as Rgb;
}

export function css(color: Rgb, alpha = 1): string {
  return `rgb(${color.map((part) => Math.round(255 * part)).join(" ")} / ${alpha})`;
}

/**
 * Gives each cluster the color that most of its tokens had before; larger clusters choose first.
 *
 * The server numbers the clusters of every frame anew; without this, colors would jump.
 */
export class ClusterColors {
  private before = new Uint8Array(0);
  private labels: ArrayLike<number> | null = null;

  next(labels: ArrayLike<number> | null, n: number): Uint8Array {
    // labels come now and then: frames between share them, and so the colors
    if (labels !== null && labels === this.labels && n === this.before.length) return this.before;
    this.labels = labels;
    const colors = new Uint8Array(n).fill(ALONE);
    if (labels) {
      const members = groups(labels, n).filter((tokens) => tokens.length >= leastColored(n));
      const taken = new Set<number>();
      for (const tokens of members) {
        const color = this.favorite(tokens, taken, n) ?? firstFree(taken);
        taken.add(color);
        for (const token of tokens) colors[token] = color % COLORS;
      }
    }
    this.before = colors;
    return colors;
  }

  private favorite(tokens: number[], taken: Set<number>, n: number): number | null {
    if (this.before.length !== n) return null;
    const votes = new Map<number, number>();
    for (const token of tokens) {
      const color = this.before[token];
      if (color !== ALONE && !taken.has(color)) votes.set(color, (votes.get(color) ?? 0) + 1);
    }
    let best: number | null = null;
    for (const [color, count] of votes) if (best === null || count > votes.get(best)!) best = color;
    return best;
  }
}

const known = new WeakMap<ArrayLike<number>, number[][]>();

/** The tokens of each cluster, largest cluster first; labels that were seen before are not counted again. */
export function groups(labels: ArrayLike<number>, n: number): number[][] {
  let found = known.get(labels);
  if (!found) known.set(labels, (found = counted(labels, n)));
  return found;
}

function counted(labels: ArrayLike<number>, n: number): number[][] {
  const found = new Map<number, number[]>();
  for (let token = 0; token < n; token++) {
    const label = labels[token];
    if (label === SERVER_ALONE) continue;
    const tokens = found.get(label);
    if (tokens) tokens.push(token);
    else found.set(label, [token]);
  }
  return [...found.values()].sort((a, b) => b.length - a.length || a[0] - b[0]);
}

/** Smaller groups are chance: at the start every token has a neighbor. */
function leastColored(n: number): number {
  return Math.max(2, Math.ceil(0.02 * n));
}

function firstFree(taken: Set<number>): number {
  let color = 0;
  while (taken.has(color)) color++;
  return color;
}
