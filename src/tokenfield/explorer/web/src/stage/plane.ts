/**
 * The view of spaces of two coordinates.
 *
 * The circle has the density around it and the past inside it: older places of a token lie nearer to the center. In R^2
 * there are tokens with their hull, and Gaussians as ellipses.
 */
import { pointsOf, type Frame } from "../protocol/frame";
import { css, mix, type Rgb } from "../state/colors";
import { shortNumber } from "../state/numbers";
import { tint, type Theme } from "../state/theme";
import { cholesky, gaussianOf, gaussianRadius } from "./gaussian";
import { convexHull } from "./hull";
import type { Orbit } from "./orbit";
import { glowOf, nextExtent, REACH, sizesOf, tokenRadius, type Picture, type View } from "./picture";
import { pixelRatio } from "./space";

const HALO: Rgb = [0.9, 0.62, 0];
const BINS = 240;
/** The radius, as a share of the circle, of the oldest places. */
const INNERMOST = 0.16;

export class PlaneView implements View {
  readonly element = document.createElement("div");
  private readonly canvas = document.createElement("canvas");
  private readonly context: CanvasRenderingContext2D;
  private width = 0;
  private height = 0;
  private extent = 1;
  private picture: Picture | null = null;

  constructor(private readonly orbit: Orbit) {
    this.element.className = "view";
    this.canvas.className = "layer";
    this.element.append(this.canvas);
    this.context = this.canvas.getContext("2d")!;
  }

  resize(width: number, height: number): void {
    if (width === this.width && height === this.height) return;
    [this.width, this.height] = [width, height];
    this.canvas.width = width * pixelRatio();
    this.canvas.height = height * pixelRatio();
  }

  draw(picture: Picture): void {
    this.picture = picture;
    const { context } = this;
    context.setTransform(pixelRatio(), 0, 0, pixelRatio(), 0, 0);
    context.fillStyle = css(picture.theme.paper);
    context.fillRect(0, 0, this.width, this.height);
    if (picture.geometry === "sphere") this.drawCircle(picture);
    else this.drawPlane(picture);
    this.drawTokens(picture);
  }

  tokenAt(x: number, y: number): number | null {
    const points = this.picture && pointsOf(this.picture.frame);
    let best: number | null = null;
    let least = REACH;
    for (let token = 0; points && token < points.n; token++) {
      const [px, py] = this.screen(points.data, points.d, token);
      const away = Math.hypot(px - x, py - y);
      if (away < least) [best, least] = [token, away];
    }
    return best;
  }

  pointAt(_token: number, x: number, y: number): number[] | null {
    if (!this.picture || this.picture.frame.projected) return null;
    const place = [(x - this.width / 2) / this.unit, (this.height / 2 - y) / this.unit];
    if (this.picture.geometry === "sphere") return place.map((part) => part / Math.max(Math.hypot(...place), 1e-9));
    return place.slice(0, this.picture.dimension);
  }

  placeOf(token: number): { x: number; y: number } | null {
    const points = this.picture && pointsOf(this.picture.frame);
    if (!points || token >= points.n) return null;
    const [x, y] = this.screen(points.data, points.d, token);
    return { x, y };
  }

  paint(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number): void {
    context.drawImage(this.canvas, x, y, width, height);
  }

  /** Pixels for one unit of length. */
  private get unit(): number {
    const share = this.picture?.geometry === "sphere" ? 0.33 : 0.44;
    return (Math.min(this.width, this.height) * share * this.orbit.zoom) / this.extent;
  }

  private screen(data: ArrayLike<number>, d: number, token: number): [number, number] {
    const second = d > 1 ? data[token * d + 1] : 0;
    return [this.width / 2 + this.unit * data[token * d], this.height / 2 - this.unit * second];
  }

  private drawCircle(picture: Picture): void {
    this.extent = 1;
    const { context, unit } = this;
    const { theme } = picture;
    const [cx, cy] = [this.width / 2, this.height / 2];
    context.fillStyle = css(theme.body);
    context.beginPath();
    context.arc(cx, cy, unit, 0, 2 * Math.PI);
    context.fill();
    this.drawDensity(densityAround(picture.frame), theme, picture.grid?.angles?.[0] ?? 0);
    this.drawPast(picture);
    context.strokeStyle = css(mix(theme.body, theme.quiet, 0.7));
    context.lineWidth = 1.25;
    context.beginPath();
    context.arc(cx, cy, unit, 0, 2 * Math.PI);
    context.stroke();
  }

  private drawDensity(density: ArrayLike<number> | null, { accent: color, isDark }: Theme, firstAngle: number): void {
    if (!density) return;
    const { context, unit } = this;
    let largest = 2.5;
    for (let k = 0; k < density.length; k++) if (density[k] > largest) largest = density[k];
    const room = Math.min(this.width, this.height) * 0.13 * this.orbit.zoom;
    const ground = unit + 12;
    const outline = new Path2D();
    for (let k = 0; k <= density.length; k++) {
      const angle = firstAngle + (2 * Math.PI * k) / density.length;
      const r = ground + (room * Math.max(density[k % density.length], 0)) / largest;
      outline.lineTo(this.width / 2 + r * Math.cos(angle), this.height / 2 - r * Math.sin(angle));
    }
    const band = new Path2D(outline);
    band.moveTo(this.width / 2 + ground, this.height / 2);
    band.arc(this.width / 2, this.height / 2, ground, 0, 2 * Math.PI, true);
    context.fillStyle = css(color, isDark ? 0.4 : 0.22);
    context.fill(band, "evenodd");
    context.strokeStyle = css(color, 0.85);
    context.lineWidth = 1.5;
    context.stroke(outline);
  }

  /** The past inside the circle: older frames nearer to the center, so that one sees who came together. */
  private drawPast(picture: Picture): void {
    const frames = [...picture.trail, picture.frame].filter((frame) => pointsOf(frame));
    const n = pointsOf(picture.frame)?.n ?? 0;
    const stride = Math.max(1, Math.ceil((Math.max(...frames.map((frame) => pointsOf(frame)!.n), 0) * frames.length) / 30_000));
    const { context } = this;
    context.lineWidth = n > 200 ? 0.8 : 1.3;
    for (let step = 1; step < frames.length; step++) {
      const [before, after] = [pointsOf(frames[step - 1])!, pointsOf(frames[step])!];
      const shares = [step - 1, step].map((k) => INNERMOST + ((1 - INNERMOST) * k) / (frames.length - 1));
      for (let token = 0; token < before.n; token += stride) {
        const heir = before.n === after.n ? token : nearest(before.data, token, after);
        const color = tint(frames[step].colors?.[heir] ?? 255, picture.theme);
        context.strokeStyle = css(color, n > 200 ? 0.3 : 0.55);
        const [from, to] = [this.screen(before.data, 2, token), this.screen(after.data, 2, heir)];
        line(context, ...this.towardsCenter(from, shares[0]), ...this.towardsCenter(to, shares[1]));
      }
    }
  }

  private towardsCenter([x, y]: [number, number], share: number): [number, number] {
    return [this.width / 2 + share * (x - this.width / 2), this.height / 2 + share * (y - this.height / 2)];
  }

  private drawPlane(picture: Picture): void {
    this.extent = nextExtent(this.extent, this.largest(picture));
    this.drawAxes(picture);
    const points = pointsOf(picture.frame);
    if (points) {
      this.drawTrails(picture);
      if (points.d === 2) this.drawHull(points.data, points.n, picture.theme.accent);
    }
    if (gaussianOf(picture.frame)?.mean.length === 2) {
      for (const earlier of picture.trail) this.drawEllipse(earlier, picture.theme.quiet, [1], 0.25, false);
      this.drawEllipse(picture.frame, picture.theme.accent, [1, 2, 3], 1, true);
    }
  }

  private largest(picture: Picture): number {
    let largest = 0;
    const points = pointsOf(picture.frame);
    for (let token = 0; points && token < points.n; token++)
      largest = Math.max(largest, Math.hypot(...points.data.subarray(token * points.d, (token + 1) * points.d)));
    return Math.max(largest, gaussianRadius(picture.frame));
  }

  private drawAxes({ theme }: Picture): void {
    const { context, unit, extent } = this;
    context.lineWidth = 1;
    context.font = "12px system-ui, sans-serif";
    context.strokeStyle = css(mix(theme.paper, theme.line, 0.9));
    for (let k = -8; k <= 8; k++) {
      const along = k * (extent / 4) * unit;
      line(context, this.width / 2 + along, 0, this.width / 2 + along, this.height);
      line(context, 0, this.height / 2 + along, this.width, this.height / 2 + along);
    }
    context.strokeStyle = css(mix(theme.paper, theme.quiet, 0.55));
    line(context, this.width / 2, 0, this.width / 2, this.height);
    line(context, 0, this.height / 2, this.width, this.height / 2);
    context.fillStyle = css(theme.quiet);
    const label = shortNumber(extent);
    const last = this.width - context.measureText(label).width - 4; // a narrow stage ends beside its last line
    context.fillText(label, Math.min(this.width / 2 + extent * unit + 4, last), this.height / 2 + 15);
  }

  private drawTrails(picture: Picture): void {
    const frames = sameCount(picture);
    const points = pointsOf(picture.frame)!;
    const stride = Math.max(1, Math.ceil((points.n * frames.length) / 30_000));
    this.context.lineWidth = 1.2;
    for (let token = 0; token < points.n; token += stride) {
      this.context.strokeStyle = css(tint(picture.frame.colors?.[token] ?? 255, picture.theme), 0.35);
      this.context.beginPath();
      for (const frame of frames) this.context.lineTo(...this.screen(pointsOf(frame)!.data, points.d, token));
      this.context.stroke();
    }
  }

  private drawHull(data: ArrayLike<number>, n: number, color: Rgb): void {
    const corners = convexHull(Array.from({ length: n }, (_, k) => [data[2 * k], data[2 * k + 1]] as [number, number]));
    if (corners.length < 3) return;
    this.context.beginPath();
    for (const corner of corners) this.context.lineTo(...this.screen(corner, 2, 0));
    this.context.closePath();
    this.context.fillStyle = css(color, 0.07);
    this.context.strokeStyle = css(color, 0.55);
    this.context.lineWidth = 1.2;
    this.context.fill();
    this.context.stroke();
  }

  private drawEllipse(frame: Frame, color: Rgb, radii: number[], alpha: number, filled: boolean): void {
    const law = gaussianOf(frame);
    if (!law) return;
    const L = cholesky(law.covariance);
    for (const radius of radii) {
      this.context.beginPath();
      for (let k = 0; k <= 96; k++) {
        const [u, v] = [radius * Math.cos((2 * Math.PI * k) / 96), radius * Math.sin((2 * Math.PI * k) / 96)];
        const place = [law.mean[0] + L[0][0] * u, law.mean[1] + L[1][0] * u + L[1][1] * v];
        this.context.lineTo(...this.screen(place, 2, 0));
      }
      this.context.strokeStyle = css(color, alpha / radius ** 0.4);
      this.context.lineWidth = filled ? 1.6 : 0.8;
      this.context.stroke();
      this.context.fillStyle = css(color, 0.1);
      if (filled) this.context.fill();
    }
  }

  private drawTokens(picture: Picture): void {
    const points = pointsOf(picture.frame);
    if (!points) return;
    const { context } = this;
    const glow = glowOf(picture.frame);
    const sizes = sizesOf(picture.frame);
    const radius = tokenRadius(points.n, Math.min(this.width, this.height));
    for (let token = 0; token < points.n; token++) {
      const [x, y] = this.screen(points.data, points.d, token);
      const r = radius * sizes[token];
      if (glow) drawHalo(context, x, y, r * (2 + 3.4 * Math.sqrt(glow[token])), Math.sqrt(glow[token]));
      const color = tint(picture.frame.colors?.[token] ?? 255, picture.theme);
      context.fillStyle = css(glow ? mix(picture.theme.paper, color, 0.25 + 0.75 * glow[token]) : color);
      context.strokeStyle = css(picture.theme.paper, 0.9);
      context.lineWidth = 1;
      disc(context, x, y, r);
      context.fill();
      if (points.n < 1500) context.stroke();
    }
    for (const token of new Set([picture.hovered, picture.pinned])) {
      if (token === null || token >= points.n) continue;
      context.strokeStyle = css(picture.theme.ink);
      context.lineWidth = token === picture.pinned ? 2 : 1.25;
      disc(context, ...this.screen(points.data, points.d, token), radius + 4.5);
      context.stroke();
    }
  }
}

/** The density at equal angles relative to the uniform law: that of a density, or of tokens counted and smoothed. */
export function densityAround(frame: Frame): ArrayLike<number> | null {
  const given = frame.arrays.density;
  if (given?.shape.length === 1) return given.data;
  const points = pointsOf(frame);
  if (!points) return null;
  const counts = new Float64Array(BINS);
  const weights = frame.arrays.weights?.data;
  for (let token = 0; token < points.n; token++) {
    const turn = Math.atan2(points.data[2 * token + 1], points.data[2 * token]) / (2 * Math.PI);
    counts[Math.floor((turn - Math.floor(turn)) * BINS) % BINS] += (weights?.[token] ?? 1 / points.n) * BINS;
  }
  return smoothed(counts, Math.max(2.2, 9 / (1 + points.n / 150)));
}

function smoothed(counts: Float64Array, width: number): Float64Array {
  const reach = Math.ceil(3 * width);
  const kernel = Array.from({ length: 2 * reach + 1 }, (_, k) => Math.exp(-0.5 * ((k - reach) / width) ** 2));
  const total = kernel.reduce((sum, value) => sum + value, 0);
  return counts.map((_, bin) =>
    kernel.reduce((sum, value, k) => sum + (value / total) * counts[(bin + k - reach + 2 * BINS) % BINS], 0),
  );
}

/** The token of a later frame, in which some have merged, that is where an earlier one was. */
function nearest(data: ArrayLike<number>, token: number, after: { data: ArrayLike<number>; n: number }): number {
  let [best, largest] = [0, -Infinity];
  for (let k = 0; k < after.n; k++) {
    const cosine = data[2 * token] * after.data[2 * k] + data[2 * token + 1] * after.data[2 * k + 1];
    if (cosine > largest) [best, largest] = [k, cosine];
  }
  return best;
}

function sameCount(picture: Picture): Frame[] {
  const n = pointsOf(picture.frame)?.n;
  return [...picture.trail, picture.frame].filter((frame) => pointsOf(frame)?.n === n);
}

function disc(context: CanvasRenderingContext2D, x: number, y: number, r: number): void {
  context.beginPath();
  context.arc(x, y, r, 0, 2 * Math.PI);
}

function line(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

function drawHalo(context: CanvasRenderingContext2D, x: number, y: number, r: number, strength: number): void {
  if (strength < 0.05) return;
  const shade = context.createRadialGradient(x, y, 0, x, y, r);
  shade.addColorStop(0, css(HALO, 0.75 * strength));
  shade.addColorStop(1, css(HALO, 0));
  context.fillStyle = shade;
  disc(context, x, y, r);
  context.fill();
}
