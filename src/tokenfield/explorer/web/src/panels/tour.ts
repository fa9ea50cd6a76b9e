/** The guided tour: scenes in order, each with the words that go with it, under the stage. */
import type { Hello, SceneState, TourStep } from "../protocol/messages";
import { element, iconButton } from "./element";
import { formula } from "./formula";

export class Tour {
  readonly element = element("section", { class: "tour", "aria-label": "Guided tour", hidden: true });
  private steps: TourStep[] = [];
  private hello: Hello | null = null;
  private place = 0;

  constructor(private readonly open: (scene: SceneState) => void) {}

  load(hello: Hello): void {
    this.hello = hello;
    this.steps = hello.tour;
  }

  begin(): void {
    if (this.steps.length > 0) this.go(0);
  }

  private go(place: number): void {
    this.place = place;
    const step = this.steps[place];
    const scene = this.hello?.gallery.find((one) => one.id === step.scene);
    if (scene) this.open({ systems: [scene.config] });
    const move = (by: number, label: string): HTMLButtonElement =>
      element("button", { type: "button", class: by > 0 ? "primary" : "plain", disabled: this.place + by < 0, onclick: () => this.step(by) }, label);
    const forward = move(1, place === this.steps.length - 1 ? "Finish" : "Next");
    this.element.replaceChildren(
      element("header", {}, element("span", { class: "count" }, `${place + 1} of ${this.steps.length}`), element("h2", {}, ...formula(step.title.replace(/^\d+\. /, ""))), iconButton("close", "End the tour", () => this.end())),
      element("p", { "aria-live": "polite" }, ...formula(step.text)),
      step.try ? element("p", { class: "try" }, element("strong", {}, "Try: "), ...formula(step.try)) : "",
      element("footer", {}, element("span", { class: "source" }, scene?.source ?? ""), move(-1, "Back"), forward),
    );
    this.element.hidden = false;
    forward.focus();
  }

  private step(by: number): void {
    if (this.place + by >= this.steps.length) this.end();
    else this.go(this.place + by);
  }

  private end(): void {
    this.element.hidden = true;
  }
}
