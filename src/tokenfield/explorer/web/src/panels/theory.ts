/** Theory beside measurement: a card for each prediction, with its assumptions; grey with the reason if it does not apply. */
import type { Prediction } from "../protocol/messages";
import type { Player } from "../state/player";
import type { Run } from "../state/run";
import { element, shortNumber } from "./element";
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

export class Theory {
  readonly element = element("section", { class: "theory", "aria-label": "What theory predicts" });
  private readonly measured = new Map<string, HTMLElement>();
  private shown: Prediction[] | null = null;

  constructor(private readonly player: Player) {}

  update(): void {
    const [run] = this.player.runs;
    const predictions = run?.ready?.predictions ?? [];
    if (predictions !== this.shown) {
      this.shown = predictions;
      this.render(predictions);
    }
    if (run) for (const [name, output] of this.measured) output.textContent = measurement(run, name);
  }

  private render(predictions: Prediction[]): void {
    this.measured.clear();
    const [holding, others] = [predictions.filter((one) => one.applies), predictions.filter((one) => !one.applies)];
    const rest = element("details", { class: "others" }, element("summary", {}, `${others.length} that do not apply here, and why`));
    rest.append(...byReason(others).map(([reason, names]) => element("div", { class: "card grey" }, element("span", { class: "reason" }, reason), element("span", { class: "names" }, names.map(spoken).join(", ")))));
    this.element.replaceChildren(
      element("h2", {}, "Theory"),
      predictions.length === 0 ? element("p", { class: "quiet" }, "Looking up what is known about this model …") : "",
      ...holding.map((one) => this.card(one)),
      others.length > 0 ? rest : "",
    );
  }

  private card(prediction: Prediction): HTMLElement {
    const { name } = prediction;
    const output = element("span", { class: "measured" });
    if (MEASURED[name]) this.measured.set(name, output);
    const head = element("span", { class: "head" }, element("span", { class: "name" }, spoken(name)), element("span", { class: "number" }, shownValue(prediction)));
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
    return value.slice(0, 4).map((one: number) => shortNumber(one)).join("  ") + (value.length > 4 ? " …" : "");
  return text.length > 44 ? `${text.slice(0, 42)}…` : text;
}

/** A name from Python as words. */
export function spoken(name: string): string {
  const words = name.replaceAll("_", " ");
  return words === "k max" ? "fastest degree k_max" : words;
}
