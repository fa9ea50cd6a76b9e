import { describe, expect, it } from "vitest";
import type { Catalog, Kind } from "../src/protocol/messages";
import { densityLaw, headsIn, valueChoice, withAttention, withCount, withDimension, withHeads, withLaw, withMatrix, withPotential, withSpace, withState, withValues } from "../src/panels/choices";
import { atNotch, notchOf } from "../src/panels/fields";
import { differences, identity, needsStart, randomMatrix, read, rotation, switchKind, write } from "../src/state/config";

const kind = (name: string, ...parameters: string[]): Kind => ({
  name,
  about: "",
  equation: "",
  source: [],
  in_config: true,
  excludes: [],
  parameters: parameters.map((one) => ({ name: one, default: 1, meaning: "" })),
});
const catalog: Catalog = { attention: [kind("softmax", "beta"), kind("krause", "radius")] };
const config = { geometry: { dim: 3 }, attention: { kind: "softmax", beta: 9 }, initial: { n: 10, seed: 1 } };

describe("tables", () => {
  it("are read and written by paths, and never changed in place", () => {
    const next = write(config, "attention.beta", 4);
    expect([read(next, "attention.beta"), read(config, "attention.beta"), read(config, "noise.kappa")]).toEqual([4, 9, undefined]);
    expect(write(write(config, "noise.kappa", 1), "noise.kappa", undefined)).toEqual(config);
  });

  it("keep only what another kind has", () => {
    expect(switchKind(config, "attention", "attention", "krause", catalog, ["V"]).attention).toEqual({ kind: "krause" });
  });

  it("go on with another beta, start again with another start", () => {
    expect(needsStart(config, write(config, "attention.beta", 2))).toBe(false);
    expect(needsStart(config, { ...config, initial: { seed: 1, n: 10 } })).toBe(false);
    expect(needsStart(config, write(config, "initial.seed", 2))).toBe(true);
    expect(needsStart(config, write(config, "solve.merge", true))).toBe(true);
  });

  it("say where they differ", () => {
    expect(differences(config, write(config, "attention.beta", 2))).toEqual([{ path: "attention.beta", values: [9, 2] }]);
    expect(differences(config, write(config, "normalization.kind", "pre-ln")).map((one) => one.path)).toEqual(["normalization.kind"]);
  });
});

describe("choices", () => {
  it("of V are recognized again", () => {
    for (const choice of ["identity", "minus", "rotation"] as const) expect(valueChoice(withValues(config, choice, 0))).toBe(choice);
    expect(valueChoice(withValues(config, "random", 3))).toBe("edit");
  });

  it("leave out what no longer fits", () => {
    const heads = withHeads(withValues(config, "minus", 0), 3);
    expect((heads.heads as unknown[]).length).toBe(3);
    const next = withDimension(heads, 5);
    expect(next).toMatchObject({ geometry: { dim: 5 }, attention: { kind: "softmax", beta: 9 } });
    expect((next.heads as { K: number[][]; V?: number[][] }[]).map(({ K, V }) => [K.length, V])).toEqual([[5, undefined], [5, undefined], [5, undefined]]);
    expect(read(withSpace(write(config, "normalization.kind", "pre-ln"), "euclidean"), "normalization")).toBeUndefined();
    expect(read(withState(config, "gaussian"), "geometry.kind")).toBe("euclidean");
    expect(read(withState(config, "density"), "initial.n")).toBeUndefined();
    expect(read(withLaw(config, "cap"), "initial.n")).toBe(10);
  });

  it("of matrices are those of the heads, and of [attention] if there is one", () => {
    const heads = withHeads(withValues(config, "minus", 0), 2);
    expect(read(heads, "attention.V")).toBeUndefined();
    expect(headsIn(heads).map(({ V }) => V)).toEqual([identity(3, -1), identity(3, -1)]);
    expect(valueChoice(heads)).toBe("minus");
    const turned = withMatrix(heads, "V", rotation(3, 30), 1);
    expect(valueChoice(turned)).toBe("edit");
    expect(valueChoice(withValues(turned, "rotation", 0))).toBe("rotation");
    expect(withHeads(heads, 1)).toEqual(withValues(config, "minus", 0));
  });

  it("of a mean field start as tokens do, or there is none", () => {
    expect(["uniform", "von-mises-fisher", "cap"].map((law) => densityLaw(withLaw(config, law)))).toEqual(["noisy-uniform", "von-mises-fisher", null]);
  });

  it("of random matrices are symmetric if asked, and the same for the same seed", () => {
    const V = randomMatrix(4, 7, true);
    V.forEach((row, i) => row.forEach((value, j) => expect(value).toBe(V[j][i])));
    expect(randomMatrix(4, 7, true)).toEqual(V);
    expect(randomMatrix(4, 8, true)).not.toEqual(V);
  });

  it("of sliders come back to their notch", () => {
    const range = { low: 0.05, high: 200, isLog: true };
    expect(atNotch(range, 0)).toBe(0.05);
    expect(atNotch(range, notchOf(range, 9))).toBeCloseTo(9, 0);
    expect(atNotch({ low: 2, high: 4000, isLog: true, isWhole: true }, 400)).toBe(4000);
  });
});

describe("choices that would be refused as they are", () => {
  const base = { attention: { kind: "softmax", beta: 4 }, initial: { n: 40 } };

  it("get as many tokens as the initial law can have", () => {
    expect(withLaw(base, "symmetric").initial).toMatchObject({ n: 39, folds: 3 });
    expect(withLaw(base, "simplex").initial).toMatchObject({ n: 4 });
    expect(withCount(withLaw(base, "symmetric"), 100).initial).toMatchObject({ n: 99 });
    expect(withCount(base, 7).initial).toEqual({ n: 7 });
  });

  it("get something that moves tokens", () => {
    expect(withAttention(base, "none", {}).perceptron).toMatchObject({ activation: "relu" });
    expect(withPotential(base, "quadratic").potential).toEqual({ kind: "quadratic", strength: [0, 0, 1] });
    expect(withSpace(withPotential(base, "quadratic"), "euclidean").potential).toEqual({ kind: "quadratic", strength: 1 });
  });
});
