/** The controls of a model: every one edits the tables of the system that is chosen, and follows them. */
import type { Hello, Tables } from "../protocol/messages";
import { dimensionOf, read, switchKind, write } from "../state/config";
import type { Session } from "../state/session";
import {
  attentionOf,
  headsOf,
  kindOf,
  kindOptions,
  lawOf,
  lawOptions,
  noiseOfStart,
  numbersOf,
  spaceOf,
  stateOf,
  valueChoice,
  withAttention,
  withCount,
  withDimension,
  withHeads,
  withLaw,
  withNoise,
  withPerceptron,
  withPotential,
  withSpace,
  withState,
  withValues,
  type ValueChoice,
} from "./choices";
import { element, iconButton } from "./element";
import { checkField, choiceField, numberField, sliderField, together, unless, when, type Field, type Option } from "./fields";
import { formula } from "./formula";
import { editMatrices } from "./matrix";

const none: Option = { value: "none", label: "none" };

export class Controls {
  readonly element = element("section", { class: "controls", "aria-label": "Model" });
  /** Which of the systems side by side is edited. */
  edited = 0;
  private fields: Field[] = [];
  private readonly tabs = element("div", { class: "segments tabs", role: "group", "aria-label": "Which system to edit" });
  private randomSeed = 0;

  constructor(private readonly session: Session) {}

  /** Builds the controls from the catalog of the server. */
  build(hello: Hello): void {
    const groups: [string, boolean, Field[]][] = [
      ["Attention", true, this.attention(hello)],
      ["Tokens", true, this.tokens(hello)],
      ["Layer", false, this.layer(hello)],
      ["Noise and time", false, this.noise()],
    ];
    this.fields = groups.flatMap(([, , fields]) => fields);
    this.element.replaceChildren(
      this.tabs,
      ...groups.map(([title, open, fields]) =>
        element("details", { open, class: "group" }, element("summary", {}, title), ...fields.map((field) => field.element)),
      ),
    );
    this.sync();
  }

  sync(): void {
    const { runs } = this.session;
    this.edited = Math.min(this.edited, Math.max(runs.length - 1, 0));
    this.tabs.hidden = runs.length < 2;
    this.tabs.replaceChildren(
      ...runs.map((_, k) =>
        element("button", { type: "button", "aria-pressed": String(k === this.edited), onclick: () => this.choose(k) }, `System ${"AB"[k]}`),
      ),
    );
    const config = this.config;
    for (const field of this.fields) field.sync(config);
  }

  private choose(system: number): void {
    this.edited = system;
    this.sync();
  }

  private get config(): Tables {
    return this.session.configOf(this.edited);
  }

  private edit(change: (config: Tables) => Tables): void {
    this.session.edit(this.edited, change(this.config));
  }

  private set(path: string): (value: unknown) => void {
    return (value) => this.edit((config) => write(config, path, value));
  }

  private number(label: string, hint: string, path: string, placeholder = ""): Field {
    return numberField(label, hint, (config) => read(config, path) as number | undefined, this.set(path), placeholder);
  }

  private attention({ catalog: { kinds }, limits }: Hello): Field[] {
    const kind = (config: Tables) => kindOf(kinds, "attention", attentionOf(config));
    const hasBeta = (config: Tables): boolean => kind(config)?.parameters.some((one) => one.name === "beta") ?? false;
    const equation = element("p", { class: "equation" });
    const others = [...new Map(kinds.attention.flatMap((one) => numbersOf(one, ["beta", "tolerance", "max_sweeps"])).map((one) => [one.name, one])).values()];
    const hasAttention = (config: Tables): boolean => attentionOf(config) !== "none";
    return [
      choiceField("Attention", "Which weights a token gives to the others", (config) => kindOptions(kinds, "attention", config), attentionOf, (name) =>
        this.edit((config) => withAttention(config, name, kinds)),
      ),
      {
        element: equation,
        sync(config) {
          equation.replaceChildren(...formula(kind(config)?.equation ?? ""));
          equation.title = kind(config)?.about ?? "";
        },
      },
      when(hasBeta, sliderField("β", "Inverse temperature: how sharply a token looks", { low: 0.05, high: 200, isLog: true }, (config) => Number(read(config, "attention.beta") ?? kind(config)?.parameters.find((one) => one.name === "beta")?.default ?? 9), this.set("attention.beta"))),
      ...others.map((one) =>
        when((config) => kind(config)?.parameters.some((own) => own.name === one.name) ?? false, this.number(one.name, one.meaning, `attention.${one.name}`, String(one.default ?? ""))),
      ),
      when(hasAttention, unless(this.drawn, together("pair", this.values(), this.matrices()))),
      when(hasAttention, unless(this.drawn, sliderField("Heads", "Each head looks in its own way; their mean is taken", { low: 1, high: Math.min(limits.heads, 8), isLog: false, isWhole: true }, headsOf, (count) => this.edit((config) => withHeads(config, count)), "change"))),
    ];
  }

  private values(): Field {
    const labels: Record<ValueChoice, string> = { identity: "I", minus: "−I", rotation: "rotation", random: "random symmetric", edit: "other" };
    const options = Object.entries(labels).map(([value, label]) => ({ value, label }));
    return choiceField("V", "The value matrix", () => options, valueChoice, (choice) => {
      this.randomSeed += 1;
      if (choice === "edit") {
        this.editMatrix();
        this.sync(); // until the editor is done, V is what it was
      } else this.edit((config) => withValues(config, choice as ValueChoice, this.randomSeed));
    });
  }

  private matrices(): Field {
    const button = element("button", { type: "button", class: "plain", onclick: () => this.editMatrix() }, "Edit matrices");
    return { element: button, sync: () => undefined };
  }

  private editMatrix(): void {
    editMatrices(this.config, (config) => this.session.edit(this.edited, config));
  }

  private tokens({ catalog: { kinds }, limits }: Hello): Field[] {
    const isTokens = (config: Tables): boolean => stateOf(config) === "tokens";
    const parameters = ["concentration", "angle", "degree", "amplitude", "folds"];
    return [
      choiceField("Space", "Where tokens live", () => [{ value: "sphere", label: "sphere" }, { value: "euclidean", label: "R^d" }], spaceOf, (space) => this.edit((config) => withSpace(config, space))),
      choiceField("Held as", "n tokens, or the law of infinitely many", (config) => kindOptions(kinds, "state", write(config, "state", undefined)), stateOf, (state) => this.edit((config) => withState(config, state))),
      sliderField("d", "Dimension: 2 is the circle, 3 the sphere; of more, cosines and a projection are seen", { low: 2, high: Math.min(limits.d, 64), isLog: true, isWhole: true }, dimensionOf, (d) => this.edit((config) => withDimension(config, d)), "change"),
      when(isTokens, sliderField("n", "Number of tokens", { low: 2, high: Math.min(limits.n, 4000), isLog: true, isWhole: true }, (config) => Number(read(config, "initial.n") ?? this.session.runs[this.edited]?.ready?.n ?? 1000), (n) => this.edit((config) => withCount(config, n)), "change")),
      choiceField("Start", "The law that tokens start from", lawOptions, lawOf, (law) => this.edit((config) => withLaw(config, law))),
      ...parameters.map((name) => when((config) => read(config, `initial.${name}`) !== undefined, this.number(name, `The ${name} of the initial law`, `initial.${name}`))),
      startNote(),
      when((config) => stateOf(config) !== "gaussian", together("pair", this.number("Seed", "Seed of the tokens, random weights and noise", "initial.seed", "0"), this.dice())),
    ];
  }

  private dice(): Field {
    const next = (): void => this.edit((config) => write(config, "initial.seed", Number(read(config, "initial.seed") ?? 0) + 1));
    return { element: iconButton("dice", "Another seed", next), sync: () => undefined };
  }

  private layer({ catalog: { kinds } }: Hello): Field[] {
    const onSphere = (config: Tables): boolean => spaceOf(config) === "sphere";
    const isTokens = (config: Tables): boolean => stateOf(config) === "tokens";
    const unlike = this.unlike;
    const normalization = (config: Tables): string => String(read(config, "normalization.kind") ?? "post-ln");
    const withNone = (category: string) => (config: Tables) => [none, ...kindOptions(kinds, category, config)];
    return [
      when(onSphere, choiceField("Normalization", "Where a layer normalizes", (config) => kindOptions(kinds, "normalization", config), normalization, (name) => this.edit((config) => withNormalization(config, name, kinds)))),
      when((config) => normalization(config) === "mix-ln", this.number("tau", "Depth at which Pre-LN takes over", "normalization.tau")),
      when((config) => normalization(config) === "ngpt", this.number("alpha", "Speed", "normalization.alpha", "1")),
      when(isTokens, unless(unlike, checkField("Causal", "A token sees itself and those before it", (config) => read(config, "position.causal") === true, (on) => this.edit((config) => write(config, "position.causal", on || undefined))))),
      when(isTokens, unless(unlike, this.number("ALiBi", "Weights decay with distance: the slope λ", "position.alibi", "off"))),
      when(isTokens, unless(unlike, checkField("RoPE", "Rotary positions; d must be even", (config) => read(config, "position.rope") === true, (on) => this.edit((config) => write(config, "position.rope", on || undefined))))),
      choiceField("Perceptron", "The feed-forward layer W σ(A x + b)", withNone("perceptron"), (config) => String(read(config, "perceptron.activation") ?? "none"), (name) => this.edit((config) => withPerceptron(config, name))),
      when((config) => read(config, "perceptron.width") !== undefined, together("pair", this.number("Width", "Number of random neurons", "perceptron.width"), this.number("Scale", "How strong the perceptron is", "perceptron.scale", "1"))),
      choiceField("Potential", "What moves each token by itself", withNone("potential"), (config) => String(read(config, "potential.kind") ?? "none"), (name) => this.edit((config) => withPotential(config, name))),
      when((config) => read(config, "potential.kind") === "quadratic" && spaceOf(config) === "euclidean", this.number("Strength", "Pushes outward; negative confines", "potential.strength", "1")),
    ];
  }

  /** Why what makes tokens unlike each other cannot be chosen now. */
  private readonly unlike = (): string | null | undefined => this.session.runs[this.edited]?.ready?.refused?.unlike;

  /** Why the matrices cannot be chosen now. */
  private readonly drawn = (): string | null =>
    (read(this.config, "schedule.kind") ?? "constant") === "constant" ? null : "The weights of this scene change along depth: their schedule has the matrices";

  private noise(): Field[] {
    const kind = (config: Tables): string => (read(config, "noise") === undefined ? "none" : read(config, "noise.common") === true ? "common" : "private");
    const options = [none, { value: "private", label: "one for each token" }, { value: "common", label: "common to all" }];
    return [
      unless(this.unlike, choiceField("Noise", "Brownian motion √(2/κ) dW", () => options, kind, (name) => this.edit((config) => withNoise(config, name)))),
      when((config) => kind(config) !== "none", sliderField("κ", "Inverse strength of the noise", { low: 0.5, high: 1000, isLog: true }, (config) => Number(read(config, "noise.kappa") ?? 20), this.set("noise.kappa"))),
      this.number("Until t", "Where the run ends", "solve.t1", "30"),
    ];
  }
}

/** What a density starts from, in words. */
function startNote(): Field {
  const words = element("p", { class: "hint" });
  return {
    element: words,
    sync(config) {
      const noise = noiseOfStart(config);
      words.hidden = noise === null;
      words.textContent = noise === "uniform" ? "It starts uniform, and rests: give it an amplitude." : `It starts ${noise}: that is the standard deviation at each node. Without it the uniform density would rest.`;
    },
  };
}

function withNormalization(config: Tables, name: string, kinds: Hello["catalog"]["kinds"]): Tables {
  if (name === "post-ln") return write(config, "normalization", undefined);
  const next = switchKind(config, "normalization", "normalization", name, kinds);
  return name === "mix-ln" ? write(next, "normalization.tau", read(next, "normalization.tau") ?? 2) : next;
}
