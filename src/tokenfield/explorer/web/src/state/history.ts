/**
 * What has been computed of one system: frames to scrub over, and the numbers of every frame for the plots.
 *
 * Frames are thinned when they take more memory than the budget, so that a run can be watched for hours; numbers stay.
 */
import { bytesOf, type Frame, type Numbers } from "../protocol/frame";
import { ClusterColors } from "./colors";

const BUDGET_BYTES = 192 * 2 ** 20;

export class History {
  frames: Frame[] = [];
  readonly times: number[] = [];
  readonly spectra: (Numbers | null)[] = [];
  private readonly columns = new Map<string, number[]>();
  private readonly clusterColors = new ClusterColors();
  private bytes = 0;

  constructor(private readonly budget = BUDGET_BYTES) {}

  get length(): number {
    return this.frames.length;
  }

  get last(): Frame | null {
    return this.frames.at(-1) ?? null;
  }

  /** The names of the numbers that frames carry. */
  get names(): string[] {
    return [...this.columns.keys()];
  }

  push(frame: Frame): void {
    if (this.last) inherit(frame, this.last);
    frame.colors = this.clusterColors.next(frame.arrays.labels?.data ?? null, frame.arrays.points?.shape[0] ?? 0);
    const last = this.last;
    // the server sends a frame again, at the same time, when a token was moved or another one is looked at
    if (last && frame.t <= last.t) {
      this.replaceLast(frame);
      return;
    }
    this.frames.push(frame);
    this.bytes += bytesOf(frame);
    this.record(this.times.length, frame);
    if (this.bytes > this.budget) this.thin();
  }

  /** One number of every frame, as long as `times`; NaN where a frame does not have it. */
  series(name: string): number[] {
    return this.columns.get(name) ?? this.times.map(() => NaN);
  }

  /** The index of the frame at time t, or the last one before it. */
  indexAt(t: number): number {
    let low = 0;
    let high = this.frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frames[middle].t <= t) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, 0);
  }

  private replaceLast(frame: Frame): void {
    this.bytes += bytesOf(frame) - bytesOf(this.frames[this.frames.length - 1]);
    frame.t = this.frames[this.frames.length - 1].t;
    this.frames[this.frames.length - 1] = frame;
    this.record(this.times.length - 1, frame);
  }

  private record(row: number, frame: Frame): void {
    this.times[row] = frame.t;
    this.spectra[row] = frame.arrays.spectrum?.data ?? null;
    for (const name of Object.keys(frame.scalars)) if (!this.columns.has(name)) this.columns.set(name, new Array<number>(row).fill(NaN));
    for (const [name, column] of this.columns) column[row] = frame.scalars[name] ?? NaN;
  }

  private thin(): void {
    const recent = Math.floor(this.frames.length * 0.75);
    this.frames = this.frames.filter((_, index) => index >= recent || index % 2 === 0);
    this.bytes = this.frames.reduce((sum, frame) => sum + bytesOf(frame), 0);
  }
}

/** Arrays that the server sends only now and then, because they are slow to measure or did not change. */
const RARE = ["labels", "weights", "histogram", "gram", "spectrum"];

function inherit(frame: Frame, last: Frame): void {
  const isSameSize = frame.arrays.points?.shape[0] === last.arrays.points?.shape[0];
  if (isSameSize) for (const name of RARE) if (last.arrays[name]) frame.arrays[name] ??= last.arrays[name];
}
