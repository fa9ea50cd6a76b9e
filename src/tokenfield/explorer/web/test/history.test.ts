import { describe, expect, it } from "vitest";
import type { Frame } from "../src/protocol/frame";
import { History } from "../src/state/history";

function frame(t: number, scalars: Record<string, number> = {}, labels?: number[]): Frame {
  const arrays: Frame["arrays"] = { points: { data: new Float32Array([t, 0, 0, t]), shape: [2, 2] } };
  if (labels) arrays.labels = { data: Uint16Array.from(labels), shape: [2] };
  return { system: 0, index: Math.round(t * 10), t, projected: false, scalars, arrays };
}

describe("the history", () => {
  it("finds frames by time", () => {
    const history = new History();
    for (const t of [0, 1, 2, 5]) history.push(frame(t));
    expect([history.indexAt(-1), history.indexAt(0.5), history.indexAt(2), history.indexAt(4), history.indexAt(9)]).toEqual([0, 0, 2, 2, 3]);
  });

  it("keeps the last of what comes rarely", () => {
    const history = new History();
    history.push(frame(0, { energy: 1 }, [0, 0]));
    history.push(frame(1));
    expect(history.last!.arrays.labels.data).toEqual(Uint16Array.from([0, 0]));
    history.push(frame(2, { rank: 3 }));
    expect(history.series("energy")).toEqual([1, NaN, NaN]);
    expect(history.series("rank")).toEqual([NaN, NaN, 3]);
  });

  it("replaces a frame that is sent again at the same time", () => {
    const history = new History();
    history.push(frame(1, { energy: 1 }));
    history.push(frame(1, { energy: 2 }));
    expect([history.length, history.times.length, history.series("energy")[0]]).toEqual([1, 1, 2]);
  });

  it("stays within its memory and keeps all numbers", () => {
    const history = new History(16 * 40);
    for (let t = 0; t < 400; t++) history.push(frame(t, { energy: t }));
    expect(history.length).toBeLessThan(60);
    expect(history.times.length).toBe(400);
    expect(history.last!.t).toBe(399);
    expect(history.frames[0].t).toBe(0);
  });
});
