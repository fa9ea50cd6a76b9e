/** Which scene the page opens with, and the address that stands for what is shown. */
import type { Hello, SceneState } from "../protocol/messages";
import { decodeState, encodeState } from "../state/address";

const REMEMBER_MS = 400;

/** What one sees without choosing anything: tokens on the sphere gather in clusters. */
export const FIRST_SCENE: SceneState = {
  systems: [{ geometry: { kind: "sphere", dim: 3 }, attention: { kind: "softmax", beta: 9 }, initial: { kind: "uniform", n: 1000, seed: 1 }, solve: { t1: 30 } }],
};

/** The scene of the address; else that of the gallery which it names; else the first one. */
export async function openingScene(hello: Hello, address: Location = window.location): Promise<SceneState> {
  const shared = await decodeState(address.hash);
  if (shared) return shared;
  const named = new URLSearchParams(address.search).get("scene");
  const found = hello.gallery.find((one) => one.id === named);
  return found ? { systems: [found.config] } : FIRST_SCENE;
}

let pending = 0;

/** Writes the state into the address, a moment after its last change. */
export function rememberScene(state: () => SceneState): void {
  window.clearTimeout(pending);
  pending = window.setTimeout(() => {
    void encodeState(state()).then((fragment) => history.replaceState(null, "", `#${fragment}`));
  }, REMEMBER_MS);
}
