/** What one sees while the server does again what was done to a scene: how far it is, and a way to end it. */
import type { Session } from "../state/session";
import { shortNumber } from "../state/numbers";
import { element } from "./element";

export class Replaying {
  readonly element: HTMLElement;
  private readonly words = element("span", { role: "status" });
  private readonly bar = element("progress", { max: 1, value: 0, "aria-label": "How much is done again" });

  constructor(private readonly session: Session) {
    const stop = element("button", { type: "button", class: "plain", onclick: () => session.halt() }, "Stop here");
    this.element = element("div", { class: "replaying", hidden: true }, this.words, this.bar, stop);
  }

  update(): void {
    const runs = this.session.runs.filter((run) => run.target !== null);
    this.element.hidden = runs.length === 0;
    const words = runs.length === 0 ? "" : wordsOf(Math.max(...runs.map((run) => run.target!.until)), Math.max(...runs.map((run) => run.target!.steps.length)));
    if (this.words.textContent !== words) this.words.textContent = words;
    this.bar.value = Math.min(...runs.map((run) => run.progress), 1);
  }
}

function wordsOf(until: number, steps: number): string {
  const changes = steps === 0 ? "" : steps === 1 ? ", with the change that was made" : `, with the ${steps} changes that were made`;
  return `Replaying to t = ${shortNumber(until)}${changes}`;
}
