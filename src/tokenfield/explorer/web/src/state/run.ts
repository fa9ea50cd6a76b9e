/** One system as the page knows it: its config, what the server said of it, its frames, and the frame that is shown. */
import type { Frame } from "../protocol/frame";
import type { Ready, RunState, Standing, Step, Tables } from "../protocol/messages";
import { withSteps } from "./config";
import { History } from "./history";

/** Of a logarithmic clock. */
const FIRST_TIME = 0.01;

export class Run {
  history = new History();
  ready: Ready | null = null;
  state: RunState = "compiling";
  message = "";
  error: string | null = null;
  /** The index of the shown frame; it follows the newest one while `isLive`. */
  cursor = -1;
  isLive = true;
  pinned: number | null = null;
  hovered: number | null = null;
  /** Until the server is ready, frames that come are those of the system before. */
  isStarting = true;
  /** The tables that it started with, and what was done since: both lead to what is seen. */
  started: Tables;
  steps: Step[] = [];
  /** Where it is on its way to, while the server does again what was done before; else null. */
  target: Standing | null = null;

  /** The tables that the server has taken; `config` are those that it was asked to take. */
  accepted: Tables;

  constructor(
    readonly system: number,
    public config: Tables,
  ) {
    this.started = this.accepted = config;
  }

  /** Where it stands; null before there is anything to see. */
  get standing(): Standing | null {
    const { last } = this.history;
    if (this.target || !last || !this.frame) return this.target;
    return { steps: this.steps, until: last.t, ...(this.frame.t < last.t && { seen: this.frame.t }) };
  }

  /** How far it is on its way to `target`, from 0 to 1. */
  get progress(): number {
    if (!this.target || !this.ready) return 0;
    const { t0, clock } = this.ready;
    const place = (t: number): number => (clock === "log" ? Math.log1p((t - t0) / FIRST_TIME) : t - t0);
    const whole = place(this.target.until);
    return whole > 0 ? Math.min(place(this.history.last?.t ?? t0) / whole, 1) : 1;
  }

  /** Starts anew with the tables that it has, or goes to where it stood. */
  start(target: Standing | null): void {
    this.started = this.config;
    this.steps = [];
    this.target = target;
    if (target) this.config = withSteps(this.started, target.steps);
    this.isStarting = true;
    this.error = null;
    this.state = "compiling";
    this.message = "";
  }

  /** Ends the way to where it stood, wherever it came to; true if it came there. */
  arrive(): boolean {
    const { target } = this;
    this.target = null;
    this.config = this.accepted = withSteps(this.started, this.steps);
    return target !== null && this.steps.length === target.steps.length && ((this.history.last?.t ?? -Infinity) >= target.until || this.state === "finished");
  }

  get frame(): Frame | null {
    return this.history.frames[this.cursor] ?? this.history.last;
  }

  /** At most `length` frames before the shown one, oldest first. */
  trail(length: number): Frame[] {
    const end = Math.min(this.cursor, this.history.length - 1);
    return this.history.frames.slice(Math.max(end - length, 0), Math.max(end, 0));
  }

  /** At most `count` frames from the first one to before the shown one, evenly chosen. */
  past(count: number): Frame[] {
    const end = Math.min(this.cursor, this.history.length - 1);
    const step = Math.max(1, Math.ceil(end / count));
    return this.history.frames.slice(0, Math.max(end, 0)).filter((_, k) => k % step === 0);
  }

  push(frame: Frame): void {
    this.history.push(frame);
    if (this.isLive) this.cursor = this.history.length - 1;
    else this.cursor = Math.min(this.cursor, this.history.length - 1);
  }

  show(index: number): void {
    this.cursor = Math.min(Math.max(index, 0), this.history.length - 1);
    this.isLive = this.cursor === this.history.length - 1;
  }

  /** Forgets all frames: the system starts again. */
  clear(): void {
    this.history = new History();
    this.cursor = -1;
    this.isLive = true;
    this.hovered = null;
  }
}
