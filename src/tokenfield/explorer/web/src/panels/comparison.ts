/** Two systems side by side with one difference. */
import { dimensionOf, read, write } from "../state/config";
import type { Tables } from "../protocol/messages";
import type { Session } from "../state/session";
import { attentionOf, densityLaw, noiseOfStart, spaceOf, stateOf, withGrid, withLaw } from "./choices";
import { element, openDialog } from "./element";

interface Difference {
  title: string;
  text: string | ((config: Tables) => string);
  applies(config: Tables): boolean;
  change(config: Tables): Tables;
}

const DIFFERENCES: Difference[] = [
  {
    title: "Another β",
    text: "A quarter of β beside what you have: fewer, wider clusters that merge sooner.",
    applies: (config) => !["hardmax", "krause", "none"].includes(attentionOf(config)),
    change: (config) => write(config, "attention.beta", Number(read(config, "attention.beta") ?? 9) / 4),
  },
  {
    title: "Another seed",
    text: "The same model from another draw: what is chance, and what is law?",
    applies: (config) => stateOf(config) !== "gaussian",
    change: (config) => write(config, "initial.seed", Number(read(config, "initial.seed") ?? 0) + 1),
  },
  {
    title: "Another normalization",
    text: "Pre-LN beside Post-LN: the same directions, at a speed that falls as tokens grow.",
    applies: (config) => spaceOf(config) === "sphere" && stateOf(config) === "tokens",
    change: (config) => write(config, "normalization", (read(config, "normalization.kind") ?? "post-ln") === "post-ln" ? { kind: "pre-ln" } : undefined),
  },
  {
    title: "Infinitely many tokens",
    text: (config) => {
      const noise = noiseOfStart(meanField(config));
      const start = noise ? `It starts ${noise}, since the uniform density would rest; the amplitude of the noise can be changed` : "It starts from the same law";
      return `n tokens beside their mean field: the density that they would have if there were no end of them. ${start}.`;
    },
    applies: (config) => spaceOf(config) === "sphere" && stateOf(config) === "tokens" && dimensionOf(config) <= 3 && densityLaw(config) !== null && read(config, "position") === undefined,
    change: meanField,
  },
  {
    title: "Causal beside all",
    text: "A token that sees only those before it, beside one that sees all.",
    applies: (config) => stateOf(config) === "tokens",
    change: (config) => write(config, "position.causal", read(config, "position.causal") ? undefined : true),
  },
];

/** The density that tokens of a config would have if there were infinitely many. */
function meanField(config: Tables): Tables {
  return withLaw(withGrid({ ...write(config, "solve.merge", undefined), state: { kind: "density" } }), densityLaw(config));
}

export function openComparison(session: Session): void {
  const config = session.configOf(0);
  const act = (second: Tables | null) => () => {
    dialog.close();
    session.compare(second);
  };
  const cards = DIFFERENCES.filter((one) => one.applies(config)).map((one) =>
    element("button", { type: "button", class: "scene", onclick: act(one.change(config)) }, element("strong", {}, one.title), element("span", { class: "text" }, typeof one.text === "string" ? one.text : one.text(config))),
  );
  if (session.runs.length > 1)
    cards.unshift(element("button", { type: "button", class: "scene", onclick: act(null) }, element("strong", {}, "One system again"), element("span", { class: "text" }, "Keeps system A.")));
  const dialog = openDialog("Compare", "gallery", element("p", { class: "quiet" }, "A second system with one difference. Both can be edited afterwards."), element("div", { class: "scenes" }, ...cards));
}
