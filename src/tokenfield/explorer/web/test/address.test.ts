import { describe, expect, it } from "vitest";
import { decodeState, encodeState } from "../src/state/address";

describe("the address", () => {
  const state = { systems: [{ attention: { beta: 9 }, note: "β ⟨x, y⟩" }, { attention: { beta: 3 } }], pace: 2, view: { zoom: 1.5, pinned: null } };

  it("holds the whole state", async () => {
    const fragment = await encodeState(state);
    expect(fragment).toMatch(/^s=[A-Za-z0-9_-]+$/);
    expect(await decodeState(`#${fragment}`)).toMatchObject(state);
  });

  it("that cannot be read holds none", async () => {
    expect(await decodeState("")).toBeNull();
    expect(await decodeState("#s=!!!")).toBeNull();
    expect(await decodeState("#s=abcd")).toBeNull();
    expect(await decodeState(`#${await encodeState({ systems: [] })}`)).toBeNull();
  });
});
