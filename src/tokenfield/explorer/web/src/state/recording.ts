/** A player of recorded frames: what a live session does, without a server. */
import type { Frame } from "../protocol/frame";
import type { Ready } from "../protocol/messages";
import type { Change, Player } from "./player";
import { scrubTogether } from "./player";
import { Run } from "./run";

const FRAME_MS = 33;

export class Recording implements Player {
  readonly runs: Run[];
  isPlaying = true;
  pace = 1;
  private readonly listeners: ((change: Change) => void)[] = [];
  private shownAt = 0;

  constructor(ready: Ready, frames: Frame[]) {
    const run = new Run(0, ready.config);
    run.ready = ready;
    run.isStarting = false;
    run.state = "paused";
    for (const frame of frames) run.push(frame);
    run.show(0);
    run.isLive = false;
    this.runs = [run];
  }

  get clock(): "linear" | "log" {
    return this.runs[0].ready!.clock;
  }

  subscribe(listener: (change: Change) => void): void {
    this.listeners.push(listener);
  }

  toggle(): void {
    this.isPlaying = !this.isPlaying;
    const [run] = this.runs;
    if (this.isPlaying && run.cursor >= run.history.length - 1) this.show(0);
    this.changed();
  }

  step(by: number): void {
    this.isPlaying = false;
    this.show(this.runs[0].cursor + by);
  }

  restart(): void {
    this.isPlaying = true;
    this.show(0);
  }

  scrub(index: number): void {
    this.isPlaying = false;
    this.show(index);
  }

  tick(now: number): void {
    const [run] = this.runs;
    if (!this.isPlaying || now - this.shownAt < FRAME_MS) return;
    this.shownAt = now;
    if (run.cursor >= run.history.length - 1) this.isPlaying = false;
    this.show(run.cursor + 1);
  }

  private show(index: number): void {
    scrubTogether(this.runs, index);
    // the end of a recording is a place like any other: the time line is drawn there too
    this.runs[0].isLive = false;
    this.changed();
  }

  private changed(): void {
    for (const listener of this.listeners) listener("transport");
  }
}
