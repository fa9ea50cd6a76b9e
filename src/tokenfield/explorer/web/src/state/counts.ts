/** How many frames came and how many of them were drawn: what `tokenfield bench explorer` reads, as `window.explorerCounts`. */
import type { Ready } from "../protocol/messages";
import type { Player } from "./player";

export class Counts {
  private readonly counts = {
    received: 0,
    /** Pictures that showed a frame which no picture before had shown. */
    drawn: 0,
    /** Models of which a frame has been drawn: a change of beta makes a new one. */
    models: 0,
    /** Milliseconds from the opening of the page to the first drawn frame. */
    firstMs: 0,
  };
  private isNew = false;
  private model: Ready | null = null;
  private newest: Ready | null = null;

  constructor(private readonly player: Player) {
    Object.assign(window, { explorerCounts: this.counts });
  }

  received(): void {
    this.counts.received++;
    this.isNew = true;
    this.newest = this.player.runs[0]?.ready ?? null;
  }

  drawn(now: number): void {
    if (!this.isNew) return;
    this.isNew = false;
    this.counts.drawn++;
    this.counts.firstMs ||= now;
    if (this.newest === this.model) return;
    this.model = this.newest;
    this.counts.models++;
  }
}
