import { describe, expect, it } from "vitest";
import { decades, joined, toldApart, wholeSteps } from "../src/panels/plots";
import { byReason, spoken } from "../src/panels/theory";
import { shortNumber } from "../src/state/numbers";
import { convexHull } from "../src/stage/hull";
import { cholesky } from "../src/stage/gaussian";
import { nextExtent } from "../src/stage/picture";

describe("plots", () => {
  it("join lines with their own times", () => {
    const line = (x: number[], y: number[]) => ({ label: "", color: "", x, y });
    expect(joined([line([0, 1], [5, 6]), line([1, 9], [7, 8])], false, 2)).toEqual([[0, 1], [5, 6], [undefined, 7]]);
    // logarithmic times are drawn as powers of ten, also those that no axis could hold
    expect(joined([line([0, 1, 1e60], [5, 6, 7])], true, 1e60)).toEqual([[0, 60], [6, 7]]);
  });

  it("have few marks on logarithmic axes", () => {
    expect(decades(0.001, 1)).toEqual([0.001, 0.01, 0.1, 1].map((value) => expect.closeTo(value, 9)));
    expect(decades(1e-2, 1e30).length).toBeLessThan(9);
    expect(wholeSteps(-2, 3)).toEqual([-2, -1, 0, 1, 2, 3]);
    expect(wholeSteps(-2, 58)).toEqual([0, 10, 20, 30, 40, 50]);
    expect(toldApart([0.8528, 0.85285, 0.8529, null])).toEqual(["0.8528", "0.85285", "0.8529", ""]);
    expect(toldApart([0, 2.5, 5])).toEqual(["0", "2.5", "5"]);
  });
});

describe("words and shapes", () => {
  it("write numbers shortly", () => {
    expect([0, 3, 0.125, 1e30, -2.5e-7, NaN].map((value) => shortNumber(value))).toEqual(["0", "3", "0.125", "10³⁰", "−2.5·10⁻⁷", "–"]);
    expect(spoken("exit_time")).toBe("exit time");
    const refused = (name: string, reason: string) => ({ name, reason, value: null, text: "", statement: "", assumptions: [], source: "", applies: false });
    expect(byReason([refused("a", "x"), refused("b", "y"), refused("c", "y")])).toEqual([["y", ["b", "c"]], ["x", ["a"]]]);
  });

  it("find hulls, roots of covariances and round scales", () => {
    expect(convexHull([[0, 0], [2, 0], [1, 1], [2, 2], [0, 2]]).length).toBe(4);
    expect(cholesky([[4, 2], [2, 5]])).toEqual([[2, 0], [1, 2]]);
    expect(cholesky([[1, 1], [1, 1]])).toEqual([[1, 0], [1, 0]]);
    expect([nextExtent(1, 0.8), nextExtent(1, 1.3), nextExtent(5, 0.3)]).toEqual([1, 2, 0.5]);
  });
});
