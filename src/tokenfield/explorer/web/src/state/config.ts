/** Reading and editing the tables of a config. Edits return new tables; what is left out has its default. */
import type { Catalog, Step, Tables } from "../protocol/messages";

export type Matrix = number[][];

/** The value at a dotted path, such as "attention.beta"; undefined if it is left out. */
export function read(config: Tables, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (value as Tables | undefined)?.[key], config);
}

/** The tables with one value changed, or left out if it is undefined. Tables that become empty are left out too. */
export function write(config: Tables, path: string, value: unknown): Tables {
  const [key, ...rest] = path.split(".");
  const changed = rest.length > 0 ? write((config[key] as Tables | undefined) ?? {}, rest.join("."), value) : value;
  const next = { ...config, [key]: changed };
  const isEmpty = rest.length > 0 && Object.keys(changed as Tables).length === 0;
  if (changed === undefined || isEmpty) delete next[key];
  return next;
}

/** The table with another kind: parameters that the new kind does not have are dropped. */
export function switchKind(config: Tables, table: string, category: string, name: string, catalog: Catalog, shared: string[] = []): Tables {
  const before = (config[table] as Tables | undefined) ?? {};
  const known = new Set([...shared, ...(catalog[category]?.find((kind) => kind.name === name)?.parameters ?? []).map((one) => one.name)]);
  const kept = Object.fromEntries(Object.entries(before).filter(([key]) => known.has(key)));
  return { ...config, [table]: { ...kept, kind: name } };
}

/** The tables that a system has after steps: a change replaces whole tables, and null drops one. */
export function withSteps(config: Tables, steps: Step[]): Tables {
  const changed = Object.assign({}, config, ...steps.map((step) => ("change" in step ? step.change : {}))) as Tables;
  return Object.fromEntries(Object.entries(changed).filter(([, table]) => table !== null));
}

/** Whether a running system cannot go on with the new tables: it has to start again. */
export function needsStart(before: Tables, after: Tables): boolean {
  // merging changes the precision that tokens are held in
  const places = ["geometry", "state", "initial", "solve.merge", "solve.dtype", "solve.t0"];
  return places.some((path) => canonical(read(before, path)) !== canonical(read(after, path)));
}

/** The same text for the same tables, whatever the order of their keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "undefined";
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, part]) => `${key}:${canonical(part)}`).join(",")}}`;
}

/** The dotted paths at which two configs differ, with both values. */
export function differences(a: Tables, b: Tables, path = ""): { path: string; values: [unknown, unknown] }[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) => {
    const values: [unknown, unknown] = [a[key], b[key]];
    if (canonical(values[0]) === canonical(values[1])) return [];
    if (values.every((value) => isTable(value) || value === undefined) && values.some(isTable))
      return differences((values[0] as Tables) ?? {}, (values[1] as Tables) ?? {}, `${path}${key}.`);
    return [{ path: path + key, values }];
  });
}

function isTable(value: unknown): value is Tables {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

export function dimensionOf(config: Tables): number {
  return Number(read(config, "geometry.dim") ?? 3);
}

export function identity(d: number, factor = 1): Matrix {
  return Array.from({ length: d }, (_, i) => Array.from({ length: d }, (_, j) => (i === j ? factor : 0)));
}

/** Turns the first two coordinates by an angle in degrees. */
export function rotation(d: number, degrees: number): Matrix {
  const V = identity(d);
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)].map(rounded);
  if (d > 1) [V[0][0], V[0][1], V[1][0], V[1][1]] = [cos, -sin, sin, cos];
  return V;
}

/** A random matrix with entries of variance 1/d, symmetric if asked; the same for the same seed. */
export function randomMatrix(d: number, seed: number, isSymmetric: boolean): Matrix {
  const normal = normals(seed);
  const G = Array.from({ length: d }, () => Array.from({ length: d }, () => normal() / Math.sqrt(d)));
  return G.map((row, i) => row.map((value, j) => rounded(isSymmetric ? (value + G[j][i]) / Math.SQRT2 : value)));
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

/** Normal numbers from a seed (mulberry32 and Box-Muller): config files hold the matrix, so any generator would do. */
function normals(seed: number): () => number {
  let state = (seed + 1) >>> 0;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}
