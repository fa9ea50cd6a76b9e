/** Formulas as the server writes them, x_j and e^{β⟨x, y⟩}, with raised and lowered parts. */
import { element } from "./element";

const PART = /([_^])(\{((?:[^{}]|\{[^{}]*\})*)\}|\((?:[^()]|\([^()]*\))*\)|[\p{L}\p{N}]+|[+−-]\p{N}+)/gu;

const LETTERS: Record<string, string> = { beta: "β", gamma: "γ", delta: "δ", kappa: "κ", theta: "θ", sigma: "σ", lambda: "λ", mu: "μ", nu: "ν", pi: "π", dsigma: "dσ", int: "∫", "<=": "≤", ">=": "≥" };
const SPELLED = new RegExp(`(?<![\\p{L}])(?:${Object.keys(LETTERS).join("|")})(?![\\p{L}])`, "gu");

/** The nodes of a formula, or of a sentence with formulas in it. */
export function formula(text: string): (Node | string)[] {
  return raised(withLetters(text));
}

/** Greek letters instead of their names. */
export function withLetters(text: string): string {
  return text.replace(SPELLED, (word) => LETTERS[word]).replace(/<([^<>=]+,[^<>=]+)>/g, "⟨$1⟩");
}

function raised(text: string): (Node | string)[] {
  const nodes: (Node | string)[] = [];
  let done = 0;
  for (const match of text.matchAll(PART)) {
    const before = text[match.index - 1];
    // a name such as gamma_kmax keeps its underscore out of sight, a word such as x_ does not start with one
    if (before === undefined || before === " ") continue;
    nodes.push(text.slice(done, match.index));
    const inner = match[3] ?? match[2].replace(/^\((.*)\)$/, "$1");
    nodes.push(element(match[1] === "_" ? "sub" : "sup", {}, ...raised(inner)));
    done = match.index + match[0].length;
  }
  nodes.push(text.slice(done));
  return nodes.filter((node) => node !== "");
}
