/** Theory beside measurement: a card for each prediction, with its assumptions; grey with the reason if it does not apply. */
import type { Prediction } from "../protocol/messages";
import type { Player } from "../state/player";
import type { Run } from "../state/run";
import { shortNumber } from "../state/numbers";
import { element } from "./element";
import { formula } from "./formula";

/** What is measured of that which a prediction speaks of. */
const MEASURED: Record<string, { scalar: string; label: string }> = {
  k_max: { scalar: "clusters", label: "clusters now" },
  equiangular_time: { scalar: "mean_cosine", label: "mean cosine now" },
  stationary_order: { scalar: "order_parameter", label: "order parameter now" },
  plateau: { scalar: "clusters", label: "clusters now" },
  strong_renyi_count: { scalar: "clusters", label: "clusters now" },
  renyi_count_circle: { scalar: "clusters", label: "clusters now" },
  consensus_rate: { scalar: "smallest_cosine", label: "smallest cosine now" },
  common_hemisphere: { scalar: "smallest_cosine", label: "smallest cosine now" },
  exit_time: { scalar: "order_parameter", label: "order parameter now" },
};

/** Of a prediction that is a list, as many as fit beside its name. */
const MOST_VALUES = 3;

export class Theory {
  readonly element = element("section", { class: "theory", "aria-label": "What theory predicts" });
  private readonly measured = new Map<string, HTMLElement>();
  private shown: Prediction[][] = [];

  constructor(private readonly player: Player) {}

  update(): void {
    const { runs } = this.player;
    const predictions = runs.map((run) => run.ready?.predictions ?? []);
    if (predictions.length !== this.shown.length || predictions.some((one, k) => one !== this.shown[k])) {
      this.shown = predictions;
      this.render(predictions);
    }
    for (const [name, output] of this.measured) output.textContent = measurements(runs, name);
  }

  /** Cards of what applies to one of the systems at least; what applies to none is grey. */
  private render(ofSystems: Prediction[][]): void {
    this.measured.clear();
    const [first = [], second = []] = ofSystems;
    const holds = (name: string): boolean => ofSystems.some((list) => list.some((one) => one.name === name && one.applies));
    const others = first.filter((one) => !holds(one.name));
    const cards = first.filter((one) => holds(one.name)).map((one) => {
      const twin = second.find(({ name }) => name === one.name);
      return this.card(one.applies ? one : twin!, ofSystems.length > 1 ? [one, twin] : [one]);
    });
    const rest = element("details", { class: "others" }, element("summary", {}, `${others.length} that do not apply here, and why`));
    rest.append(...byReason(others).map(([reason, names]) => element("div", { class: "card grey" }, element("span", { class: "reason" }, reason), element("span", { class: "names" }, names.map(spoken).join(", ")))));
    this.element.replaceChildren(
      element("h2", {}, "Theory"),
      first.length === 0 ? element("p", { class: "quiet" }, "Looking up what is known about this model …") : "",
      ...cards,
      others.length > 0 ? rest : "",
    );
  }

  private card(prediction: Prediction, ofSystems: (Prediction | undefined)[]): HTMLElement {
    const { name } = prediction;
    const output = element("span", { class: "measured" });
    if (MEASURED[name]) this.measured.set(name, output);
    const head = element("span", { class: "head" }, element("span", { class: "name" }, ...formula(spoken(name))), element("span", { class: "number" }, ...numbers(ofSystems)));
    const more = element(
      "div",
      { class: "more" },
      prediction.assumptions.length > 0 && element("span", { class: "label" }, "Assuming"),
      prediction.assumptions.length > 0 && element("ul", {}, ...prediction.assumptions.map((one) => element("li", {}, one))),
      element("span", { class: "source" }, [prediction.status, prediction.source].filter(Boolean).join(" · ")),
    );
    // opened by pointing at it, by focus, and by a tap
    return element("div", { class: "card", tabindex: 0, role: "group", "aria-label": spoken(name) }, head, element("p", { class: "statement" }, ...formula(prediction.statement)), output, more);
  }
}

/** The value of one system, or those of two, each with its letter. */
function numbers(ofSystems: (Prediction | undefined)[]): (Node | string)[] {
  const values = ofSystems.map((one) => (one?.applies ? shownValue(one) : "–"));
  if (values.length === 1) return values;
  return values.map((value, k) => element("span", { class: "of-system" }, element("b", { class: `system-${"ab"[k]}` }, "AB"[k]), ` ${value}`));
}

function measurements(runs: Run[], name: string): string {
  const found = runs.map((run) => measurement(run, name));
  if (found.length < 2) return found[0] ?? "";
  return found.some(Boolean) ? `${MEASURED[name].label}: ${found.map((one, k) => `${"AB"[k]} ${one.split(": ")[1] ?? "–"}`).join(", ")}` : "";
}

function measurement(run: Run, name: string): string {
  const { scalar, label } = MEASURED[name];
  const values = run.history.series(scalar);
  for (let k = values.length - 1; k >= 0; k--)
    if (Number.isFinite(values[k]) && run.history.times[k] <= (run.frame?.t ?? Infinity)) return `${label}: ${shortNumber(values[k])}`;
  return "";
}

/** Predictions that do not apply, by the reason, which many have in common. */
export function byReason(predictions: Prediction[]): [string, string[]][] {
  const found = new Map<string, string[]>();
  for (const { name, reason } of predictions) found.set(reason, [...(found.get(reason) ?? []), name]);
  return [...found].sort(([, a], [, b]) => b.length - a.length);
}

function shownValue({ value, text }: Prediction): string {
  if (typeof value === "number") return shortNumber(value, 4);
  if (Array.isArray(value) && value.every((one) => typeof one === "number"))
    return value.slice(0, MOST_VALUES).map((one: number) => shortNumber(one)).join("  ") + (value.length > MOST_VALUES ? " …" : "");
  return text.length > 44 ? `${text.slice(0, 42)}…` : text;
}

/** A name from Python as words. */
export function spoken(name: string): string {
  const words = name.replaceAll("_", " ").replace("renyi", "Rényi");
  const known: Record<string, string> = { "k max": "fastest degree k_max", "k max window": "window of k_max" };
  return known[words] ?? words.replace("k max", "k_max");
}
