/** A real sentence: the tokens of a text, with their words, layer by layer through a real model. */
import type { SentenceModel } from "../protocol/messages";
import type { Frame } from "../protocol/frame";
import { readTheme } from "../state/theme";
import { Orbit } from "../stage/orbit";
import { Stage } from "../stage/stage";
import { shortNumber } from "../state/numbers";
import { element, iconButton, openDialog, setIcon } from "./element";

interface Layer {
  points: number[][];
  norms: number[];
  cosine: number;
  entropy: number | null;
  rank: number;
  top: { word: string; p: number }[];
}

export interface Sentence {
  words: string[];
  layers: Layer[];
  sink: { token: number; from_layer: number; ratio: number } | null;
  /** The same without the sink, which otherwise is all that one sees. */
  without_sink: { tokens: number[]; layers: Pick<Layer, "points" | "cosine" | "rank">[] } | null;
}

/** Pictures from one layer to the next. */
const BETWEEN = 14;
const EXAMPLE = "The capital of France is Paris, and the capital of Italy is";

/** The tokens between two layers, or at one: `place` counts layers and may be a fraction. */
export function frameBetween(layers: Pick<Layer, "points">[], place: number, marked: number | null): Frame {
  const low = Math.min(Math.floor(place), layers.length - 1);
  const [a, b] = [layers[low].points, layers[Math.min(low + 1, layers.length - 1)].points];
  const data = new Float32Array(a.flatMap((point, token) => point.map((x, k) => x + (place - low) * (b[token][k] - x))));
  const colors = Uint8Array.from(a, (_, token) => (token === marked ? 1 : 0));
  return { system: 0, index: low, t: place, projected: true, scalars: {}, arrays: { points: { data, shape: [a.length, 3] } }, colors };
}

export function openSentence(models: SentenceModel[]): void {
  const fetched = models.filter((model) => model.fetched);
  if (fetched.length === 0) {
    openDialog(
      "A real sentence",
      "sentence empty",
      element("p", {}, "A text goes through a real language model, and its tokens are shown with their words, layer by layer. For that a model has to be fetched once, in a terminal:"),
      ...models.map((model) => element("div", { class: "model" }, element("strong", {}, model.title), element("span", { class: "quiet" }, `${model.kind}, ${model.layers} layers`), element("code", {}, model.how))),
      element("div", { class: "buttons" }, element("span", { class: "quiet" }, "The scene stays as it is."), element("button", { type: "button", class: "primary", onclick: () => window.location.reload() }, "Look again")),
    );
    return;
  }
  new SentencePanel(fetched);
}

class SentencePanel {
  private readonly text = element("textarea", { rows: 2, "aria-label": "Text", maxlength: 400 }, EXAMPLE);
  private readonly model: HTMLSelectElement;
  private readonly orbit = new Orbit();
  private readonly stage = new Stage(this.orbit, { hover: (token) => this.point(token), pin: (token) => this.point(token), move: () => undefined, turned: () => this.draw() }, false);
  private readonly slider = element("input", { type: "range", min: 0, max: 0, step: "any", class: "scrub", "aria-label": "Layer", disabled: true });
  private readonly play: HTMLButtonElement;
  private readonly facts = element("div", { class: "facts", "aria-live": "polite" });
  private readonly without = element("input", { type: "checkbox" });
  private readonly sinkRow: HTMLElement;
  private readonly dialog: HTMLDialogElement;
  private sentence: Sentence | null = null;
  private isPlaying = false;
  private hovered: number | null = null;

  constructor(models: SentenceModel[]) {
    const chosen = models.find((model) => model.kind.startsWith("causal")) ?? models[0];
    this.model = element("select", { "aria-label": "Model" }, ...models.map(({ name, title }) => element("option", { value: name, selected: name === chosen.name }, title)));
    this.play = iconButton("play", "Play", () => this.toggle(), { class: "icon-button play" });
    this.sinkRow = element("label", { class: "check", hidden: true }, this.without, element("span", {}));
    this.slider.addEventListener("input", () => this.draw());
    this.without.addEventListener("change", () => this.draw());
    const go = element("button", { type: "button", class: "primary", onclick: () => void this.read() }, "Watch it");
    this.stage.describe("The tokens of the text, seen from their leading directions");
    this.dialog = openDialog(
      "A real sentence",
      "sentence",
      element("div", { class: "ask" }, this.text, this.model, go),
      element("div", { class: "room" }, element("div", { class: "place" }, this.stage.element), this.facts),
      element("div", { class: "transport" }, this.play, this.slider),
      this.sinkRow,
    );
    new ResizeObserver(() => this.draw()).observe(this.stage.element);
    void this.read();
  }

  private async read(): Promise<void> {
    this.facts.replaceChildren(element("p", { class: "quiet" }, "The model reads …"));
    const content = await asked(this.text.value, this.model.value);
    if ("error" in content) {
      this.facts.replaceChildren(element("p", { class: "error" }, content.error));
      return;
    }
    this.sentence = content;
    this.slider.max = String(content.layers.length - 1);
    this.slider.value = "0";
    this.slider.disabled = false;
    this.showSink(content);
    this.draw();
    if (!this.isPlaying) this.toggle();
  }

  private showSink({ sink, words }: Sentence): void {
    this.sinkRow.hidden = sink === null;
    if (sink) this.sinkRow.lastElementChild!.textContent = `Without the sink: “${words[sink.token]}” is ${shortNumber(sink.ratio)} times as long as the others from layer ${sink.from_layer} on`;
  }

  private toggle(): void {
    this.isPlaying = !this.isPlaying;
    setIcon(this.play, this.isPlaying ? "pause" : "play", this.isPlaying ? "Pause" : "Play");
    if (!this.isPlaying) return;
    if (Number(this.slider.value) >= Number(this.slider.max)) this.slider.value = "0";
    const next = (): void => {
      if (!this.isPlaying || !this.dialog.isConnected) return;
      this.slider.value = String(Number(this.slider.value) + 1 / BETWEEN);
      this.draw();
      if (Number(this.slider.value) >= Number(this.slider.max)) this.toggle();
      else requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  }

  /** The word of the token that is pointed at is shown whatever else is there. */
  private point(token: number | null): void {
    if (token === this.hovered) return;
    this.hovered = token;
    this.draw();
  }

  private draw(): void {
    const { sentence } = this;
    if (!sentence) return;
    const place = Number(this.slider.value);
    const rest = this.without.checked ? sentence.without_sink : null;
    this.slider.style.setProperty("--share", `${(100 * place) / Math.max(Number(this.slider.max), 1)}%`);
    this.slider.setAttribute("aria-valuetext", `layer ${Math.round(place)}`);
    this.stage.show({
      geometry: "sphere",
      state: "tokens",
      dimension: 3,
      grid: null,
      frame: frameBetween(rest?.layers ?? sentence.layers, place, rest ? null : (sentence.sink?.token ?? null)),
      trail: [],
      hovered: this.hovered,
      pinned: null,
      words: rest ? rest.tokens.map((token) => sentence.words[token]) : sentence.words,
      theme: readTheme(),
    });
    const layer = Math.round(place);
    this.showFacts(sentence, layer, rest?.layers[layer] ?? sentence.layers[layer]);
  }

  private showFacts(sentence: Sentence, layer: number, { cosine, rank }: Pick<Layer, "cosine" | "rank">): void {
    const { entropy, top } = sentence.layers[layer];
    const fact = (name: string, value: string): HTMLElement => element("div", {}, element("dt", {}, name), element("dd", {}, value));
    const bars = top.map(({ word, p }) => {
      const bar = element("span", { class: "bar-of" });
      bar.style.setProperty("--share", `${100 * p}%`);
      return element("li", {}, element("span", { class: "word" }, visible(word)), bar, element("span", { class: "p" }, shortNumber(p, 2)));
    });
    this.facts.replaceChildren(
      element("dl", {}, fact("Layer", `${layer} of ${sentence.layers.length - 1}`), fact("Mean cosine", shortNumber(cosine)), entropy !== null && fact("Entropy of the next word", `${shortNumber(entropy)} nats`), fact("Effective rank", shortNumber(rank))),
      element("h3", {}, "Mean cosine along depth"),
      along(sentence.layers.map((one) => one.cosine), layer),
      entropy === null ? "" : element("h3", {}, "Entropy of the next word along depth"),
      entropy === null ? "" : along(sentence.layers.map((one) => one.entropy ?? 0), layer),
      bars.length > 0 ? element("h3", {}, "Next word, if the model ended here") : "",
      element("ol", { class: "words" }, ...bars),
    );
  }
}

/** The text through the model, or why the server did not do it. */
async function asked(text: string, model: string): Promise<Sentence | { error: string }> {
  try {
    const answer = await fetch("/api/sentence", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ text, model }) });
    return (await answer.json()) as Sentence | { error: string };
  } catch {
    return { error: "The server could not read this. Is tokenfield explore still running?" };
  }
}

/** A small curve over the layers, with a mark at one of them. */
function along(values: number[], layer: number): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const x = (k: number): number => (100 * k) / Math.max(values.length - 1, 1);
  const curve = document.createElementNS(space, "polyline");
  curve.setAttribute("points", values.map((value, k) => `${x(k)},${36 * (1 - (value - least) / (most - least || 1)) + 2}`).join(" "));
  const mark = document.createElementNS(space, "line");
  for (const [name, value] of Object.entries({ x1: x(layer), x2: x(layer), y1: 0, y2: 40 })) mark.setAttribute(name, String(value));
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 100 40");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("class", "along");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `from ${shortNumber(values[0])} to ${shortNumber(values.at(-1) ?? NaN)}, between ${shortNumber(least)} and ${shortNumber(most)}`);
  svg.append(mark, curve);
  return svg;
}

/** A word that can be seen even if it is a space or the end of a line. */
function visible(word: string): string {
  const shown = word.replaceAll("\n", "⏎").trim();
  return shown === "" ? "␣" : shown;
}
