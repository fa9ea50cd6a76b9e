/** What can be chosen for a config, and what a choice does to its tables. Kinds come from the catalog of the server. */
import type { Catalog, Kind, Parameter, Tables } from "../protocol/messages";
import { canonical, dimensionOf, identity, randomMatrix, read, rotation, switchKind, write, type Matrix } from "../state/config";
import { shortNumber } from "../state/numbers";
import type { Option } from "./fields";

/** Initial laws of the server, with the space that they live in and the numbers that they take. */
interface Law {
  name: string;
  label: string;
  space: "sphere" | "euclidean";
  states: string[];
  parameters: Record<string, number>;
}

export const LAWS: Law[] = [
  { name: "uniform", label: "uniform", space: "sphere", states: ["tokens"], parameters: {} },
  { name: "quasi-uniform", label: "evenly spread", space: "sphere", states: ["tokens"], parameters: {} },
  { name: "cap", label: "a cap", space: "sphere", states: ["tokens"], parameters: { angle: 1.2 } },
  { name: "von-mises-fisher", label: "around a point", space: "sphere", states: ["tokens", "density"], parameters: { concentration: 2 } },
  { name: "perturbed-uniform", label: "nearly uniform", space: "sphere", states: ["tokens", "density"], parameters: { degree: 2, amplitude: 0.1 } },
  { name: "noisy-uniform", label: "noisy uniform", space: "sphere", states: ["density"], parameters: { amplitude: 0.05 } },
  { name: "symmetric", label: "symmetric", space: "sphere", states: ["tokens"], parameters: { folds: 3 } },
  { name: "simplex", label: "a simplex", space: "sphere", states: ["tokens"], parameters: {} },
  { name: "gaussian", label: "Gaussian", space: "euclidean", states: ["tokens", "gaussian"], parameters: {} },
  { name: "box", label: "uniform in a box", space: "euclidean", states: ["tokens"], parameters: {} },
];

export const MATRICES = ["V", "K", "Q", "O"] as const;

export const spaceOf = (config: Tables): "sphere" | "euclidean" => (read(config, "geometry.kind") as "euclidean") ?? "sphere";
export const stateOf = (config: Tables): string => String(read(config, "state.kind") ?? "tokens");
export const attentionOf = (config: Tables): string => String(read(config, "attention.kind") ?? "softmax");
export const headsOf = (config: Tables): number => ((config.heads as unknown[] | undefined) ?? []).length || 1;
const lawsFor = (config: Tables): Law[] => LAWS.filter((law) => law.space === spaceOf(config) && law.states.includes(stateOf(config)));
export const lawOf = (config: Tables): string => String(read(config, "initial.kind") ?? lawsFor(config)[0]?.name ?? "uniform").replaceAll("_", "-");

/** The law of a density that tokens of a config are drawn from; null if no density starts like them. */
export function densityLaw(config: Tables): string | null {
  const law = lawOf(config);
  if (law === "uniform" || law === "quasi-uniform") return "noisy-uniform";
  return LAWS.some(({ name, states }) => name === law && states.includes("density")) ? law : null;
}

/** What a density starts from, where its name does not say it: the uniform one would rest. */
export function noiseOfStart(config: Tables): string | null {
  if (stateOf(config) !== "density" || lawOf(config) !== "noisy-uniform") return null;
  const amplitude = Number(read(config, "initial.amplitude") ?? 0);
  return amplitude === 0 ? "uniform" : `uniform with ${shortNumber(100 * amplitude)}\u00a0% noise`;
}

/** The laws that fit, and the one that a scene came with, if it is another. */
export function lawOptions(config: Tables): Option[] {
  const fitting = lawsFor(config).map(({ name, label }) => ({ value: name, label }));
  const own = lawOf(config);
  return fitting.some(({ value }) => value === own) ? fitting : [{ value: own, label: own }, ...fitting];
}

export function kindOf(catalog: Catalog, category: string, name: string): Kind | undefined {
  return catalog[category]?.find((kind) => kind.name === name);
}

/** The kinds of a category as options; those that what is chosen excludes are given with the reason. */
export function kindOptions(catalog: Catalog, category: string, config: Tables): Option[] {
  const chosen = [
    `geometry:${spaceOf(config)}`,
    `state:${stateOf(config)}`,
    ...(category === "attention" ? [] : [`attention:${attentionOf(config)}`]),
  ].filter((id) => !id.startsWith(`${category}:`));
  return (catalog[category] ?? [])
    .filter((kind) => kind.in_config)
    .map((kind) => ({
      value: kind.name,
      label: kind.name,
      reason: kind.excludes.find((one) => chosen.includes(one.kind))?.reason,
    }));
}

/** The single numbers that a kind takes, besides those that have a control of their own. */
export function numbersOf(kind: Kind | undefined, without: string[]): Parameter[] {
  const isNumber = (one: Parameter): boolean => typeof one.default === "number" || one.required === true;
  return (kind?.parameters ?? []).filter((one) => isNumber(one) && !without.includes(one.name));
}

export function withAttention(config: Tables, name: string, catalog: Catalog): Tables {
  const next = switchKind(config, "attention", "attention", name, catalog, ["Q", "K", "V", "O", "average", "relative", "rescaled"]);
  if (name !== "none") return next;
  const alone = write({ ...next, attention: { kind: "none" } }, "heads", undefined);
  // something has to move tokens
  return read(alone, "perceptron") === undefined && read(alone, "potential") === undefined ? withPerceptron(alone, "relu") : alone;
}

/** Another space: what only the other one has is left out, and tokens start from a law that lives there. */
export function withSpace(config: Tables, space: string): Tables {
  let next = write(config, "geometry.kind", space);
  if (space === "euclidean") next = write(next, "normalization", undefined);
  if (space === "sphere") next = write(next, "attention.rescaled", undefined);
  const isPossible = space === "sphere" ? stateOf(next) !== "gaussian" : stateOf(next) !== "density";
  if (read(next, "potential.kind") === "quadratic") next = withPotential(next, "quadratic");
  return withLaw(isPossible ? next : write(next, "state", undefined), null);
}

export function withState(config: Tables, state: string): Tables {
  let next = write(write(config, "state", undefined), "state.kind", state === "tokens" ? undefined : state);
  if (state === "gaussian" && spaceOf(next) === "sphere") next = withSpace(write(next, "geometry.kind", "euclidean"), "euclidean");
  if (state === "gaussian") next = write(next, "state.kind", "gaussian");
  if (state !== "tokens") next = write(next, "position", undefined);
  if (state === "density") next = withGrid(write(withSphere(next), "solve.merge", undefined));
  return withLaw(next, null);
}

/** A density on the grid that goes on longest: cells on the circle stay, where smooth functions become too narrow. */
export function withGrid(config: Tables): Tables {
  if (stateOf(config) !== "density") return config;
  return { ...config, state: { kind: "density", ...(dimensionOf(config) === 2 && { grid: "cells" }) } };
}

function withSphere(config: Tables): Tables {
  return write(write(config, "geometry.kind", "sphere"), "geometry.dim", Math.min(dimensionOf(config), 3));
}

/** Another dimension: matrices of the old size make no sense and are left out. */
export function withDimension(config: Tables, d: number): Tables {
  let next = write(config, "geometry.dim", d);
  for (const name of MATRICES) next = write(next, `attention.${name}`, undefined);
  next = withHeads(write(next, "heads", undefined), headsOf(config));
  for (const path of ["perceptron.W", "perceptron.A", "perceptron.b", "potential.direction", "initial.mean", "initial.center", "initial.points", "initial.covariance"])
    next = write(next, path, undefined);
  const potential = read(config, "potential.kind") as string | undefined;
  if (potential) next = withPotential(next, potential);
  next = withGrid(next);
  return withLaw(next, lawOf(next));
}

/** Another initial law with its usual numbers, or the first one that fits. */
export function withLaw(config: Tables, name: string | null): Tables {
  const laws = lawsFor(config);
  const law = laws.find((one) => one.name === name) ?? laws.find((one) => one.name === lawOf(config)) ?? laws[0];
  if (!law) return config;
  const d = dimensionOf(config);
  const before = (config.initial as Tables | undefined) ?? {};
  const initial: Tables = { kind: law.name };
  if (stateOf(config) === "tokens" && before.n !== undefined) initial.n = before.n;
  if (stateOf(config) !== "gaussian" && before.seed !== undefined) initial.seed = before.seed;
  for (const [key, value] of Object.entries(law.parameters)) initial[key] = before[key] ?? value;
  if (law.name === "cap") initial.center = axis(d);
  // of more than three dimensions, densities are symmetric about the first axis
  if (law.name === "von-mises-fisher") initial.mean = stateOf(config) === "density" && d > 3 ? axis(d).reverse() : axis(d);
  if (law.name === "box") Object.assign(initial, { low: -1, high: 1 });
  if (law.name === "gaussian" && stateOf(config) === "gaussian")
    Object.assign(initial, { mean: axis(d).map((value) => value / 2), covariance: identity(d, 0.1) });
  return withCount({ ...config, initial }, before.n as number | undefined);
}

/** So many tokens, or as many as the initial law can have: symmetric ones are in groups, a simplex has d + 1 corners. */
export function withCount(config: Tables, n: number | undefined): Tables {
  const law = lawOf(config);
  if (stateOf(config) !== "tokens") return config;
  if (law === "simplex") return write(config, "initial.n", Math.min(n ?? Infinity, dimensionOf(config) + 1));
  if (law !== "symmetric" || n === undefined) return n === undefined ? config : write(config, "initial.n", n);
  const folds = Number(read(config, "initial.folds") ?? 3);
  return write(config, "initial.n", folds * Math.max(1, Math.round(n / folds)));
}

function axis(d: number): number[] {
  return Array.from({ length: d }, (_, k) => (k === d - 1 ? 1 : 0));
}

export type ValueChoice = "identity" | "minus" | "rotation" | "random" | "edit";

/** Which of the choices the matrix V of a config is; of several heads, that which they have in common. */
export function valueChoice(config: Tables): ValueChoice {
  const found = headsIn(config).map((head) => head.V as Matrix | undefined);
  if (found.some((V) => canonical(V) !== canonical(found[0]))) return "edit";
  const V = found[0];
  if (!V || same(V, identity(V.length))) return "identity";
  if (same(V, identity(V.length, -1))) return "minus";
  if (same(V, rotation(V.length, angleOf(V)))) return "rotation";
  return "edit";
}

export function withValues(config: Tables, choice: ValueChoice, seed: number): Tables {
  const d = dimensionOf(config);
  const matrices: Record<string, Matrix | undefined> = {
    identity: undefined,
    minus: identity(d, -1),
    rotation: rotation(d, 45),
    random: randomMatrix(d, seed, true),
  };
  return choice === "edit" ? config : withMatrix(config, "V", matrices[choice]);
}

/** The tables that hold the matrices of each head: those of [[heads]], or [attention] for a single one. */
export function headsIn(config: Tables): Tables[] {
  const heads = (config.heads as Tables[] | undefined) ?? [];
  return heads.length > 0 ? heads : [(config.attention as Tables | undefined) ?? {}];
}

/** The config with another matrix in one head, or in all of them; the identity is left out. */
export function withMatrix(config: Tables, name: string, matrix: Matrix | undefined, head?: number): Tables {
  const value = matrix && same(matrix, identity(matrix.length)) ? undefined : matrix;
  const heads = (config.heads as Tables[] | undefined) ?? [];
  if (heads.length === 0) return write(config, `attention.${name}`, value);
  return { ...config, heads: heads.map((one, k) => (head === undefined || head === k ? write(one, name, value) : one)) };
}

function angleOf(V: Matrix): number {
  return V.length > 1 ? (Math.atan2(V[1][0], V[0][0]) * 180) / Math.PI : 0;
}

function same(A: Matrix, B: Matrix): boolean {
  return A.every((row, i) => row.every((value, j) => Math.abs(value - B[i][j]) < 2e-4));
}

/** Several heads that look in different, random ways: each has its own K, and their mean is taken. */
export function withHeads(config: Tables, count: number): Tables {
  const d = dimensionOf(config);
  const { V } = headsIn(config)[0];
  // matrices are those of heads, or of [attention] if there is one only
  const alone = MATRICES.reduce((next, name) => write(next, `attention.${name}`, undefined), write(config, "heads", undefined));
  if (count <= 1) return write(write(alone, "attention.average", undefined), "attention.V", V);
  const before = (config.heads as Tables[] | undefined) ?? [];
  const heads = Array.from({ length: count }, (_, k) => before[k] ?? { K: randomMatrix(d, 100 + k, false), ...(V !== undefined && { V }) });
  return { ...write(alone, "attention.average", true), heads };
}

export function withNoise(config: Tables, kind: string): Tables {
  if (kind === "none") return write(config, "noise", undefined);
  const noise: Tables = { kappa: read(config, "noise.kappa") ?? 20 };
  if (kind === "common") noise.common = true;
  return write({ ...config, noise }, "solve.merge", undefined);
}

export function withPerceptron(config: Tables, activation: string): Tables {
  if (activation === "none") return write(config, "perceptron", undefined);
  const before = (config.perceptron as Tables | undefined) ?? { width: 8, scale: 0.5 };
  return { ...config, perceptron: { ...before, activation } };
}

export function withPotential(config: Tables, kind: string): Tables {
  if (kind === "none") return write(config, "potential", undefined);
  const d = dimensionOf(config);
  // on the sphere |x|^2 is constant: there it is one coordinate that counts
  const strength = spaceOf(config) === "sphere" ? axis(d) : 1;
  return { ...config, potential: kind === "linear" ? { kind, direction: axis(d) } : { kind, strength } };
}
