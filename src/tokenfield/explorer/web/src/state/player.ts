/** What the stage, the transport and the plots need of whoever has the frames: a live session or a recording. */
import type { Run } from "./run";

export type Change = "hello" | "scene" | "ready" | "status" | "frame" | "transport" | "look";

export interface Player {
  readonly runs: Run[];
  readonly isPlaying: boolean;
  readonly clock: "linear" | "log";
  toggle(): void;
  step(by: number): void;
  restart(): void;
  /** Shows the frame at an index of the first system, and of the others at the same time. */
  scrub(index: number): void;
  subscribe(listener: (change: Change) => void): void;
}

/** Shows frame `index` of the first run, and the frames of the other runs at its time. */
export function scrubTogether(runs: Run[], index: number): void {
  const [first, ...others] = runs;
  if (!first || first.history.length === 0) return;
  first.show(index);
  const t = first.frame?.t ?? 0;
  for (const run of others) if (run.history.length > 0) run.show(first.isLive ? run.history.length - 1 : run.history.indexAt(t));
}
