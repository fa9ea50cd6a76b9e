/** The stages of all systems side by side: what they show, and what is done on them. */
import type { ViewState } from "../protocol/messages";
import { canonical, differences } from "../state/config";
import type { Player } from "../state/player";
import type { Run } from "../state/run";
import { readTheme, type Theme } from "../state/theme";
import { Orbit } from "../stage/orbit";
import { Stage } from "../stage/stage";
import { shortNumber } from "../state/numbers";
import { noiseOfStart } from "./choices";
import { element } from "./element";
import { withLetters } from "./formula";

/** What only a live session can do with tokens. */
export interface TokenActions {
  hover(system: number, token: number | null): void;
  pin(system: number, token: number | null): void;
  move(system: number, token: number, point: number[]): void;
}

const TRAIL = 26;
const PAST = 110;
const BIG_TRAIL_TOKENS = 1200;

interface Place {
  stage: Stage;
  caption: HTMLElement;
  readout: HTMLElement;
  notice: HTMLElement;
  element: HTMLElement;
}

export class Theatre {
  readonly element = element("div", { class: "theatre" });
  readonly orbit = new Orbit();
  hasTrails = true;
  private places: Place[] = [];
  private theme: Theme = readTheme();
  private isDirty = true;

  constructor(
    private readonly player: Player,
    private readonly actions: TokenActions | null,
    private readonly turned: () => void = () => undefined,
  ) {
    new ResizeObserver(() => this.touch()).observe(this.element);
  }

  /** Marks the stages as out of date; `draw` then draws them. */
  touch(): void {
    this.isDirty = true;
  }

  restyle(): void {
    this.theme = readTheme();
    this.touch();
  }

  look(view: ViewState | undefined): void {
    this.orbit.reset();
    if (view?.rotation) this.orbit.rotation.set(...view.rotation).normalize();
    if (view?.zoom) this.orbit.zoom = view.zoom;
    this.hasTrails = view?.trails ?? true;
    this.touch();
  }

  get view(): ViewState {
    const { x, y, z, w } = this.orbit.rotation;
    const rotation = [x, y, z, w].map((part) => Math.round(part * 1e4) / 1e4) as [number, number, number, number];
    return { rotation, zoom: Math.round(this.orbit.zoom * 100) / 100, trails: this.hasTrails, pinned: this.player.runs.map((run) => run.pinned) };
  }

  /** Draws what has changed; true if anything was drawn. */
  draw(): boolean {
    if (!this.isDirty) return false;
    this.isDirty = false;
    this.arrange();
    this.player.runs.forEach((run, k) => this.show(run, this.places[k]));
    return true;
  }

  /** Paints all stages into one canvas. */
  paint(context: CanvasRenderingContext2D, scale: number): void {
    const origin = this.element.getBoundingClientRect();
    for (const { stage, caption } of this.places) {
      const box = stage.element.getBoundingClientRect();
      stage.paint(context, (box.x - origin.x) * scale, (box.y - origin.y) * scale, scale);
      context.fillStyle = getComputedStyle(caption).color;
      context.font = `${13 * scale}px system-ui, sans-serif`;
      context.fillText(caption.textContent ?? "", (box.x - origin.x + 16) * scale, (box.y - origin.y + 26) * scale);
    }
  }

  private arrange(): void {
    const { runs } = this.player;
    while (this.places.length > runs.length) this.places.pop()!.element.remove();
    while (this.places.length < runs.length) this.places.push(this.newPlace(this.places.length));
    this.element.classList.toggle("two", runs.length > 1);
  }

  private newPlace(system: number): Place {
    const stage = new Stage(this.orbit, {
      hover: (token) => this.actions?.hover(system, token),
      pin: (token) => (this.actions ? this.actions.pin(system, token) : this.pinAlone(system, token)),
      move: (token, point) => this.actions?.move(system, token, point),
      turned: () => {
        this.touch();
        this.turned();
      },
    }, this.actions !== null);
    const caption = element("p", { class: "caption" });
    const readout = element("p", { class: "readout" });
    const notice = element("p", { class: "notice", role: "status" });
    const words = element("div", { class: "words-on-stage" }, caption, readout);
    const place = { stage, caption, readout, notice, element: element("div", { class: "place" }, stage.element, words, notice) };
    this.element.append(place.element);
    return place;
  }

  private pinAlone(system: number, token: number | null): void {
    this.player.runs[system].pinned = token;
    this.touch();
  }

  private show(run: Run, { stage, caption, readout, notice }: Place): void {
    notice.textContent = noticeOf(run);
    notice.className = `notice ${run.error ? "error" : ""}`;
    notice.hidden = notice.textContent === "";
    caption.textContent = this.player.runs.length > 1 ? captionOf(this.player.runs, run) : "";
    readout.textContent = readoutOf(run);
    const { frame, ready } = run;
    if (!frame || !ready) {
      stage.redraw();
      return;
    }
    // the circle has room for the whole past inside it
    const isCircle = ready.d === 2 && ready.geometry === "sphere";
    const trail = isCircle ? run.past(PAST) : run.trail(ready.n > BIG_TRAIL_TOKENS ? TRAIL / 2 : TRAIL);
    stage.show({
      geometry: ready.geometry,
      state: ready.state,
      dimension: ready.d,
      grid: ready.grid ?? null,
      frame,
      trail: this.hasTrails ? trail : [],
      hovered: run.hovered,
      pinned: run.pinned,
      words: null,
      theme: this.theme,
    });
    stage.describe(inWords(run));
  }
}

function noticeOf(run: Run): string {
  if (run.error) return run.error;
  if (run.isStarting || run.state === "compiling") return run.history.length > 0 ? "Compiling the new model …" : "Compiling …";
  return run.state === "finished" && run.isLive && run.message ? run.message : "";
}

/** The token that is pointed at or pinned, and whom it attends to most. */
function readoutOf({ hovered, pinned, frame, isLive }: Run): string {
  const token = hovered ?? pinned;
  if (token === null || !frame) return "";
  const attention = frame.arrays.attention?.data;
  if (!attention) return isLive ? `token ${token}` : `token ${token}; its attention is shown at the newest frame`;
  const order = Array.from(attention.keys()).sort((a, b) => attention[b] - attention[a]);
  const most = order.slice(0, 3).map((other) => `${shortNumber(attention[other], 2)} to ${other === token ? "itself" : other}`);
  return `token ${token} gives ${most.join(", ")}`;
}

/** What this system has that the other does not. */
function captionOf(runs: Run[], run: Run): string {
  const states = runs.map(({ ready }) => ready?.state);
  // of tokens and their mean field, all else that differs follows from that
  if (run.ready && states[0] !== states[1]) return `${"AB"[run.system]}  ${run.ready.state === "tokens" ? `${run.ready.n} tokens` : `a ${run.ready.state}${startOf(run)}`}`;
  const found = differences(runs[0].config, runs[1].config);
  const words = found.slice(0, 3).map(({ path, values }) => `${withLetters(path.split(".").at(-1) ?? "")} = ${valueInWords(values[run.system])}`);
  return `${"AB"[run.system]}  ${words.join(", ") || (canonical(runs[0].config) === canonical(runs[1].config) ? "the same" : "")}`;
}

function startOf({ config }: Run): string {
  const noise = noiseOfStart(config);
  return noise ? `, at first ${noise}` : "";
}

function valueInWords(value: unknown): string {
  if (value === undefined) return "default";
  if (Array.isArray(value)) return "a matrix";
  return typeof value === "number" ? shortNumber(value) : String(value);
}

/** The stage for those who do not see it. */
function inWords({ ready, frame, history }: Run): string {
  if (!ready || !frame) return "Stage, empty";
  const space = ready.geometry === "sphere" ? (ready.d === 2 ? "the circle" : `the sphere in ${ready.d} dimensions`) : `R^${ready.d}`;
  const what = ready.state === "tokens" ? `${ready.n} tokens` : `a ${ready.state}`;
  const counts = history.series("clusters").filter(Number.isFinite);
  const clusters = counts.length > 0 ? `, ${counts.at(-1)} clusters` : "";
  return `${what} on ${space} at time ${shortNumber(frame.t)}${clusters}. Arrows turn, plus and minus zoom, brackets choose a token, shift with arrows moves it.`;
}
