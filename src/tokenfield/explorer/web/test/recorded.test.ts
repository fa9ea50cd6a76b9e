import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodeScene } from "../src/protocol/recorded";
import { packed } from "./packing";

const header = {
  type: "scene",
  title: "a scene",
  config: {},
  toml: "[attention]",
  python: "import tokenfield",
  predictions: [],
  times: [0, 1, 2],
  scalars: { energy: [1, null, 3] },
  n: 3,
  d: 1,
  geometry: "euclidean",
  state: "tokens",
  clock: "linear",
  points: { dtype: "u2", lo: -1, hi: 1, shape: [3, 3, 1] },
};

function text(): string {
  const buffer = packed(header, {
    // 65535 and then 1: differences are modulo 65536
    points: { dtype: "u2", shape: [3, 3, 1], values: [0, 65535, 0, 65535, 1, 0, 0, 0, 65535] },
    labels: { dtype: "u2", shape: [3, 3], values: [0, 65535, 65535, 0, 1, 0, 0, 0, 1] },
    weights: { dtype: "f4", shape: [3], values: [0.5, 0.25, 0.25] },
  });
  return gzipSync(new Uint8Array(buffer)).toString("base64");
}

describe("exported scenes", () => {
  it("give back their frames", async () => {
    const { title, ready, frames } = await decodeScene(`\n${text()}\n`);
    expect([title, ready.n, ready.toml, frames.length]).toEqual(["a scene", 3, "[attention]", 3]);
    expect(frames.map((frame) => Array.from(frame.arrays.points.data))).toEqual([[-1, 1, -1], [1, -1, -1], [1, -1, 1]]);
    expect(frames.map((frame) => Array.from(frame.arrays.labels.data))).toEqual([[0, 65535, 65535], [0, 0, 65535], [0, 0, 0]]);
    // as many tokens as frames: weights belong to tokens all the same
    expect(Array.from(frames[2].arrays.weights.data)).toEqual([0.5, 0.25, 0.25]);
    expect([frames[0].scalars.energy, frames[1].scalars.energy]).toEqual([1, NaN]);
  });

  it("that are none are refused", async () => {
    await expect(decodeScene("@@SCENE@@")).rejects.toThrow();
  });
});
