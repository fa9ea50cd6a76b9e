/** One system as the page knows it: its config, what the server said of it, its frames, and the frame that is shown. */
import type { Frame } from "../protocol/frame";
import type { Ready, RunState, Tables } from "../protocol/messages";
import { History } from "./history";

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
  /** Something was changed since it started: its config alone does not lead to what is seen. */
  isChanged = false;

  /** The tables that the server has taken; `config` are those that it was asked to take. */
  accepted: Tables;

  constructor(
    readonly system: number,
    public config: Tables,
  ) {
    this.accepted = config;
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
