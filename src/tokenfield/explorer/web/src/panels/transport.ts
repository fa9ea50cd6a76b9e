/** Play, pause, step, restart, scrub, and how fast time goes; the same bar in the explorer and in exported scenes. */
import type { Player } from "../state/player";
import { shortNumber } from "../state/numbers";
import { element, iconButton, setIcon } from "./element";

/** What only a live session can do. */
export interface Live {
  pace: number;
  setPace(pace: number): void;
  setClock(clock: "linear" | "log"): void;
}

const LOG = "Logarithmic time: clusters that have collapsed merge, and the run goes on to t = 10³⁰";
const PACES = [0.125, 0.25, 0.5, 1, 2, 4, 8];

export class Transport {
  readonly element: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly slider = element("input", { type: "range", min: 0, max: 0, step: 1, class: "scrub", "aria-label": "Time, over what has been computed" });
  private readonly time = element("output", { class: "time" });
  private readonly pace = element("select", { "aria-label": "Speed" });
  private readonly clocks = new Map<"linear" | "log", HTMLButtonElement>();

  constructor(
    private readonly player: Player,
    private readonly live: Live | null,
  ) {
    this.play = iconButton("pause", "Pause", () => player.toggle(), { class: "icon-button play", "aria-keyshortcuts": "Space" });
    this.slider.addEventListener("input", () => player.scrub(Number(this.slider.value)));
    this.pace.append(...PACES.map((pace) => element("option", { value: pace }, `${pace < 1 ? `1/${1 / pace}` : pace}×`)));
    this.pace.addEventListener("change", () => live?.setPace(Number(this.pace.value)));
    this.element = element(
      "div",
      { class: "transport", role: "group", "aria-label": "Time" },
      iconButton("restart", "Restart", () => player.restart(), { "aria-keyshortcuts": "R" }),
      iconButton("back", "One frame back", () => player.step(-1), { "aria-keyshortcuts": "," }),
      this.play,
      iconButton("step", "One frame on", () => player.step(1), { "aria-keyshortcuts": "." }),
      this.slider,
      this.time,
      live && this.pace,
      live && this.clockSwitch(live),
    );
  }

  update(): void {
    const [run] = this.player.runs;
    setIcon(this.play, this.player.isPlaying ? "pause" : "play", this.player.isPlaying ? "Pause" : "Play");
    const last = Math.max((run?.history.length ?? 1) - 1, 0);
    this.slider.max = String(last);
    this.slider.value = String(run?.isLive ? last : (run?.cursor ?? 0));
    const t = run?.frame?.t;
    const words = t === undefined ? "" : `t = ${shortNumber(t)}`;
    this.time.textContent = words;
    this.slider.setAttribute("aria-valuetext", words || "nothing yet");
    this.slider.style.setProperty("--share", `${last > 0 ? (100 * Number(this.slider.value)) / last : 100}%`);
    if (this.live) this.pace.value = String(PACES.reduce((a, b) => (Math.abs(b - this.live!.pace) < Math.abs(a - this.live!.pace) ? b : a)));
    const reason = this.player.runs.map((one) => one.ready?.refused?.log).find(Boolean);
    for (const [clock, button] of this.clocks) {
      button.setAttribute("aria-pressed", String(clock === this.player.clock));
      if (clock === "log") {
        button.disabled = Boolean(reason) && this.player.clock !== "log";
        button.title = button.disabled ? reason! : LOG;
      }
    }
  }

  private clockSwitch(live: Live): HTMLElement {
    const button = (clock: "linear" | "log", title: string): HTMLButtonElement => {
      const made = element("button", { type: "button", title, onclick: () => live.setClock(clock) }, clock);
      this.clocks.set(clock, made);
      return made;
    };
    return element(
      "div",
      { class: "segments", role: "group", "aria-label": "Clock" },
      button("linear", "Linear time"),
      button("log", LOG),
    );
  }
}
