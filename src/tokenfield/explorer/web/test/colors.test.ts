import { describe, expect, it } from "vitest";
import { ALONE, ClusterColors, groups, mix, rgb } from "../src/state/colors";

const NONE = 65535;

describe("colors of clusters", () => {
  it("stay when the server numbers clusters anew", () => {
    const colors = new ClusterColors();
    const first = colors.next([0, 0, 0, 1, 1, NONE], 6);
    const second = colors.next([1, 1, 1, 0, 0, NONE], 6);
    expect(Array.from(second)).toEqual(Array.from(first));
    expect(first[5]).toBe(ALONE);
    expect(first[0]).not.toBe(first[3]);
  });

  it("of the larger one are kept when two merge", () => {
    const colors = new ClusterColors();
    const before = colors.next([0, 0, 0, 1, 1], 5);
    const after = colors.next([0, 0, 0, 0, 0], 5);
    expect(new Set(after)).toEqual(new Set([before[0]]));
  });

  it("are given to clusters, not to chance pairs among many", () => {
    const labels = Array.from({ length: 200 }, (_, k) => (k < 2 ? 0 : k < 12 ? 1 : NONE));
    const colors = new ClusterColors().next(labels, 200);
    expect(colors[0]).toBe(ALONE);
    expect(colors[5]).not.toBe(ALONE);
  });

  it("start anew when the number of tokens changes", () => {
    const colors = new ClusterColors();
    colors.next([0, 0], 2);
    expect(colors.next([0, 0, 0], 3).length).toBe(3);
  });

  it("come from groups, largest first", () => {
    expect(groups([3, 3, NONE, 1, 1, 1], 6)).toEqual([[3, 4, 5], [0, 1]]);
    expect(mix(rgb("#000000"), rgb("#ffffff"), 0.5)).toEqual([0.5, 0.5, 0.5]);
  });
});
