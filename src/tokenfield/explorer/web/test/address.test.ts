import { describe, expect, it } from "vitest";
import type { SceneState, Standing } from "../src/protocol/messages";
import { decodeState, encodeState, fragmentOf, LONGEST, through } from "../src/state/address";

const state: SceneState = {
  systems: [{ attention: { beta: 9 }, note: "β ⟨x, y⟩" }, { attention: { beta: 3 } }],
  pace: 2,
  playing: false,
  view: { rotation: [0, 0, 0.6, 0.8], zoom: 1.5, trails: true, pinned: [3, null] },
  standing: [{ steps: [{ t: 0.1 + 0.2, change: { attention: { beta: 4 }, noise: null } }, { t: 1, token: 3, point: [0, 1e-7, 1] }], until: 7.5, seen: 1.25 }, null],
};

/** A token that is dragged for so many frames. */
function dragged(count: number): Standing {
  return { steps: Array.from({ length: count }, (_, k) => ({ t: k / 7, token: 1, point: [Math.sin(k), Math.cos(k)] })), until: count / 7 };
}

describe("the address", () => {
  it("holds the whole state", async () => {
    const { text, isWhole } = await fragmentOf(state, 2);
    expect([text.match(/^s=[A-Za-z0-9_-]+$/) !== null, isWhole]).toEqual([true, true]);
    expect(await decodeState(`#${text}`)).toEqual(state);
  });

  it("that was written before tokens were pinned in both systems is read", async () => {
    const old = await encodeState({ systems: [{}], view: { pinned: 4 as unknown as number[] } });
    expect(await decodeState(old)).toMatchObject({ view: { pinned: [4] } });
    expect(await decodeState(await encodeState({ systems: [{}], view: { pinned: null as unknown as number[] } }))).toBeTruthy();
  });

  it("that would be too long begins with the model as it is now", async () => {
    const systems = [{ attention: { beta: 9 }, noise: { kappa: 2 } }];
    const long = dragged(1000);
    long.steps.push({ t: 1e3, change: { attention: { beta: 5 }, noise: null } });
    const { text, isWhole } = await fragmentOf({ systems, standing: [long], playing: false }, Infinity);
    expect([isWhole, text.length < LONGEST]).toEqual([false, true]);
    expect(await decodeState(text)).toEqual({ systems: [{ attention: { beta: 5 } }], playing: true });
    const short = { systems, standing: [dragged(5)] };
    expect((await fragmentOf(short, 5)).isWhole).toBe(true);
    expect((await fragmentOf(short, 4)).isWhole).toBe(false);
  });

  it("that is not there holds none, and one that cannot be read is told from it", async () => {
    expect(await decodeState("")).toBeNull();
    for (const text of ["#s=!!!", "#s=abcd", `#${await encodeState({ systems: [] })}`, `#${(await encodeState(state)).slice(0, -9)}`]) expect(await decodeState(text)).toBeUndefined();
  });

  it("does not fill the memory", async () => {
    const bomb = await through(new Uint8Array(2 ** 24), new CompressionStream("deflate-raw"));
    expect(bomb.length).toBeLessThan(2 ** 15);
    const text = btoa(String.fromCharCode(...bomb)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    expect(await decodeState(`#s=${text}`)).toBeUndefined();
  });

  // each of these in the place of one part
  const bad: [string, unknown[]][] = [
    ["systems", [null, {}, [1], [[]], [{}, {}, {}], "x"]],
    ["standing", [{}, "x", [1], [{}], [{ steps: [] }], [null, null, null]]],
    ["pace", [0, -1, 1e9, "2", null]],
    ["playing", [1, "yes", null]],
    ["view", [[], 1, { zoom: 0 }, { zoom: 1e9 }, { rotation: [1, 2, 3] }, { rotation: [0, 0, 0, 0] }, { rotation: ["a", 0, 0, 1] }, { trails: 1 }, { pinned: [-1] }, { pinned: [0.5] }, { other: 1 }]],
    ["other", [1]],
  ];
  const badSteps: unknown[] = [null, 1, {}, { t: 1 }, { t: "1", change: {} }, { t: null, change: {} }, { t: 1, change: [] }, { t: 1, change: null }, { t: 1, token: -1, point: [1] }, { t: 1, token: 0 }, { t: 1, token: 0, point: [] }, { t: 1, token: 0, point: ["x"] }, { t: 1, token: 0, point: [1], change: {} }];

  it.each(bad.flatMap(([name, values]) => values.map((value) => [name, value] as const)))("with another %s, %j, is none", async (name, value) => {
    expect(await decodeState(await encodeState({ ...state, [name]: value } as SceneState))).toBeUndefined();
  });

  it.each(badSteps)("with the step %j is none", async (step) => {
    const standing = [{ steps: [step], until: 1 }] as Standing[];
    expect(await decodeState(await encodeState({ ...state, standing }))).toBeUndefined();
  });

  it.each([{ until: null }, { until: "1" }, { seen: "1" }, { seen: null }, { steps: null }, { more: 1 }])("with standing %j is none", async (part) => {
    const standing = [{ steps: [], until: 1, ...part }] as unknown as Standing[];
    expect(await decodeState(await encodeState({ ...state, standing }))).toBeUndefined();
  });
});
