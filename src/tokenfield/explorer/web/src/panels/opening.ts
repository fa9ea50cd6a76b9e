/** Which scene the page opens with, and the address that stands for what is shown. */
import type { Hello, SceneState } from "../protocol/messages";
import { decodeState, fragmentOf } from "../state/address";
import { element, iconButton } from "./element";

const REMEMBER_MS = 400;
const UNREADABLE = "The address holds a scene that this page cannot read: it may have been cut off on its way. This is the scene that one begins with.";
const TOO_LONG = "So much was done that no address can hold it: this one begins with the model as it is now. The program of the scene has all of it.";

/** What one sees without choosing anything: tokens on the sphere gather in clusters. */
export const FIRST_SCENE: SceneState = {
  systems: [{ geometry: { kind: "sphere", dim: 3 }, attention: { kind: "softmax", beta: 9 }, initial: { kind: "uniform", n: 1000, seed: 1 }, solve: { t1: 30 } }],
};

/** The address of the page: what it holds at first, and what is written into it; and a line where it cannot hold all. */
export class AddressBar {
  readonly element = element("div", { class: "address-note", hidden: true });
  private readonly words = element("p", { role: "status" });
  private isWhole = true;
  private pending = 0;
  private due = Infinity;
  private hello: Hello | null = null;

  constructor(
    private readonly state: () => SceneState,
    private readonly takeAway: () => void,
  ) {}

  /** The scene of an address; else that of the gallery which it names; else the first one. */
  async opening(hello: Hello, address: string): Promise<SceneState> {
    this.hello = hello;
    const shared = await decodeState(new URL(address).hash);
    this.say(shared === undefined ? UNREADABLE : "");
    if (shared) return shared;
    const named = new URL(address).searchParams.get("scene");
    const found = hello.gallery.find((one) => one.id === named);
    return found ? { systems: [found.config] } : FIRST_SCENE;
  }

  /** Writes the state into the address, at the latest after so many milliseconds. */
  remember(within = REMEMBER_MS): void {
    const due = performance.now() + within;
    if (due >= this.due) return;
    window.clearTimeout(this.pending);
    this.due = due;
    this.pending = window.setTimeout(() => {
      this.due = Infinity;
      void fragmentOf(this.state(), this.hello?.limits.changes).then(({ text, isWhole }) => {
        history.replaceState(null, "", `#${text}`);
        if (isWhole === this.isWhole) return;
        this.isWhole = isWhole;
        this.say(isWhole ? "" : TOO_LONG, element("button", { type: "button", class: "plain", onclick: this.takeAway }, "Take it with you"));
      });
    }, within);
  }

  private say(words: string, ...more: HTMLElement[]): void {
    this.words.replaceChildren(words);
    this.element.replaceChildren(this.words, ...more, iconButton("close", "Close", () => (this.element.hidden = true)));
    this.element.hidden = words === "";
  }
}
