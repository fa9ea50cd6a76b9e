/** The view of spaces that cannot be seen: all cosines of pairs as a histogram, and as a matrix ordered by cluster. */
import type { Tensor } from "../protocol/frame";
import { css, mix, type Rgb } from "../state/colors";
import { heat, type Theme } from "../state/theme";
import type { Picture } from "./picture";
import { pixelRatio } from "./space";

const RAMP_WIDTH = 140;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export class CosinesView {
  readonly element = document.createElement("div");
  private readonly canvas = document.createElement("canvas");
  private readonly matrix = document.createElement("canvas");
  private width = 0;
  private height = 0;

  constructor() {
    this.element.className = "view cosines";
    this.canvas.className = "layer";
    this.element.append(this.canvas);
  }

  resize(width: number, height: number): void {
    if (width === this.width && height === this.height) return;
    [this.width, this.height] = [width, height];
    this.canvas.width = width * pixelRatio();
    this.canvas.height = height * pixelRatio();
  }

  draw(picture: Picture): void {
    const context = this.canvas.getContext("2d")!;
    context.setTransform(pixelRatio(), 0, 0, pixelRatio(), 0, 0);
    context.fillStyle = css(picture.theme.paper);
    context.fillRect(0, 0, this.width, this.height);
    const isWide = this.width > this.height;
    const half = isWide ? this.width / 2 : this.height / 2;
    const first: Box = { x: 0, y: 0, width: isWide ? half : this.width, height: isWide ? this.height : half };
    const second: Box = { ...first, x: isWide ? half : 0, y: isWide ? 0 : half };
    const { histogram, gram, density } = picture.frame.arrays;
    if (histogram) this.drawHistogram(context, first, histogram.data, picture);
    else if (density && picture.grid?.cosines) this.drawAlongAxis(context, first, density.data, picture.grid.cosines, picture.theme);
    if (gram) this.drawMatrix(context, second, gram, picture.theme);
  }

  paint(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number): void {
    context.drawImage(this.canvas, x, y, width, height);
  }

  private drawHistogram(context: CanvasRenderingContext2D, box: Box, counts: ArrayLike<number>, { theme }: Picture): void {
    const plot = inside(context, box, "cosines of pairs", theme);
    let largest = 0;
    for (let k = 0; k < counts.length; k++) largest = Math.max(largest, Math.sqrt(Math.max(counts[k], 0)));
    const step = plot.width / counts.length;
    context.fillStyle = css(theme.accent, 0.9);
    for (let k = 0; k < counts.length; k++) {
      // square roots, so that a few pairs between clusters are seen beside many inside them
      const height = largest > 0 ? (plot.height * Math.sqrt(Math.max(counts[k], 0))) / largest : 0;
      context.fillRect(plot.x + k * step, plot.y + plot.height - height, Math.max(step - 1, 1), height);
    }
    drawScale(context, plot, theme);
  }

  private drawAlongAxis(context: CanvasRenderingContext2D, box: Box, values: ArrayLike<number>, cosines: number[], theme: Theme): void {
    const plot = inside(context, box, box.width > 230 ? "density against the cosine with e₁" : "density by cosine", theme);
    const order = cosines.map((_, k) => k).sort((a, b) => cosines[a] - cosines[b]);
    const largest = order.reduce((most, k) => Math.max(most, values[k]), 2);
    context.beginPath();
    for (const k of order) context.lineTo(plot.x + ((cosines[k] + 1) / 2) * plot.width, plot.y + plot.height * (1 - values[k] / largest));
    context.strokeStyle = css(theme.accent);
    context.lineWidth = 1.8;
    context.stroke();
    drawScale(context, plot, theme);
  }

  private drawMatrix(context: CanvasRenderingContext2D, box: Box, gram: Tensor, theme: Theme): void {
    const plot = inside(context, box, box.width > 230 ? "Gram matrix, ordered by cluster" : "Gram matrix", theme);
    const side = gram.shape[0];
    this.matrix.width = this.matrix.height = side;
    const ink = this.matrix.getContext("2d")!;
    const image = ink.createImageData(side, side);
    const colors = Array.from({ length: 256 }, (_, value): Rgb => heat(value / 255, theme.ramp));
    for (let k = 0; k < side * side; k++) {
      const color = colors[gram.data[k]];
      image.data.set([255 * color[0], 255 * color[1], 255 * color[2], 255], 4 * k);
    }
    ink.putImageData(image, 0, 0);
    const size = Math.min(plot.width, plot.height);
    context.imageSmoothingEnabled = size < side;
    context.drawImage(this.matrix, plot.x, plot.y, size, size);
    drawRamp(context, { x: plot.x, y: plot.y + size + 10, width: Math.min(size, RAMP_WIDTH), height: 6 }, colors, theme);
  }
}

function drawScale(context: CanvasRenderingContext2D, plot: Box, theme: Theme): void {
  context.lineWidth = 1;
  context.strokeStyle = css(mix(theme.paper, theme.quiet, 0.6));
  context.strokeRect(plot.x, plot.y + plot.height, plot.width, 0);
  context.fillStyle = css(theme.quiet);
  context.textAlign = "center";
  for (const [share, label] of [[0, "−1"], [0.5, "0"], [1, "1"]] as const)
    context.fillText(label, plot.x + share * plot.width, plot.y + plot.height + 16);
  context.textAlign = "left";
}

/** Which color is which cosine. */
function drawRamp(context: CanvasRenderingContext2D, { x, y, width, height }: Box, colors: Rgb[], theme: Theme): void {
  const [from, to] = [x + 20, x + width - 12];
  const shades = context.createLinearGradient(from, 0, to, 0);
  colors.forEach((color, k) => shades.addColorStop(k / (colors.length - 1), css(color)));
  context.fillStyle = shades;
  context.fillRect(from, y, to - from, height);
  context.fillStyle = css(theme.quiet);
  context.fillText("−1", x, y + height + 2);
  context.fillText("1", to + 5, y + height + 2);
}

function inside(context: CanvasRenderingContext2D, box: Box, title: string, theme: Theme): Box {
  context.font = "12px system-ui, sans-serif";
  context.fillStyle = css(theme.quiet);
  context.fillText(title, box.x + 18, box.y + 24);
  return { x: box.x + 18, y: box.y + 36, width: box.width - 36, height: box.height - 70 };
}
