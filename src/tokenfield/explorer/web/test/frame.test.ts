import { describe, expect, it } from "vitest";
import { bytesOf, decodeFrame, pointsOf, unpack } from "../src/protocol/frame";
import { packed } from "./packing";

describe("frames", () => {
  const buffer = packed(
    { type: "frame", system: 1, index: 7, t: 2.5, scalars: { energy: 3 } },
    { labels: { dtype: "u2", shape: [3], values: [0, 1, 65535] }, points: { dtype: "f4", shape: [3, 2], values: [1, 2, 3, 4, 5, 6] } },
  );

  it("are read with their arrays, whatever the padding", () => {
    const frame = decodeFrame(buffer);
    expect([frame.system, frame.index, frame.t, frame.scalars.energy, frame.projected]).toEqual([1, 7, 2.5, 3, false]);
    expect(Array.from(frame.arrays.labels.data)).toEqual([0, 1, 65535]);
    expect(pointsOf(frame)).toMatchObject({ n: 3, d: 2 });
    expect(Array.from(pointsOf(frame)!.data)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(bytesOf(frame)).toBe(6 + 24);
  });

  it("that are cut off are refused", () => {
    expect(() => unpack(buffer.slice(0, buffer.byteLength - 8))).toThrow("cut off");
    expect(() => unpack(buffer.slice(0, 20))).toThrow("shorter");
    expect(() => unpack(new ArrayBuffer(2))).toThrow("header");
  });
});
