/** An exported scene: the stage, the plots and the predictions of one run, from one file, without a server. */
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { element, iconButton } from "./panels/element";
import { withLetters } from "./panels/formula";
import { Plots } from "./panels/plots";
import { save } from "./panels/takeaway";
import { Theatre } from "./panels/theatre";
import { Theory } from "./panels/theory";
import { Transport } from "./panels/transport";
import { decodeScene, type RecordedScene } from "./protocol/recorded";
import { Recording } from "./state/recording";

const root = document.querySelector("#explorer")!;

function show({ title, ready, frames }: RecordedScene): void {
  const recording = new Recording(ready, frames);
  const theatre = new Theatre(recording, null);
  const transport = new Transport(recording, null);
  const plots = new Plots(recording);
  const theory = new Theory(recording);
  const take = (label: string, content: string | null, name: string): HTMLElement | null =>
    content === null ? null : element("button", { type: "button", class: "plain", onclick: () => save(content, name) }, label);
  const present = (): void => {
    document.documentElement.classList.toggle("presenting");
    theatre.touch();
  };
  if (title) document.title = title;
  root.replaceChildren(
    element(
      "header",
      { class: "bar" },
      element("h1", {}, "tokenfield", element("span", {}, withLetters(title) || "scene")),
      element("nav", { "aria-label": "Take it with you" }, take("Config", ready.toml, "config.toml"), take("Program", ready.python, "scene.py"), take("Numbers", plots.toCsv(), "plots.csv")),
      element("div", { class: "tools" }, iconButton("stage", "Stage only", present)),
    ),
    element(
      "main",
      { class: "recorded" },
      element("div", { class: "center", id: "stage" }, theatre.element, transport.element),
      element("aside", { class: "findings", "aria-label": "Measured and predicted" }, plots.element, theory.element, ready.toml !== null && config(ready.toml)),
    ),
  );
  recording.subscribe(() => theatre.touch());
  let plotted = 0;
  const tick = (now: number): void => {
    recording.tick(now);
    if (theatre.draw()) {
      transport.update();
      if (now - plotted > 140 || !recording.isPlaying) {
        plotted = now;
        plots.update();
        theory.update();
      }
    }
    requestAnimationFrame(tick);
  };
  window.addEventListener("keydown", (event) => {
    if (event.key === " " && !(event.target as Element).closest?.("button, summary, input")) {
      event.preventDefault();
      recording.toggle();
    }
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    theatre.restyle();
    plots.rebuild();
  });
  requestAnimationFrame(tick);
}

function config(toml: string): HTMLElement {
  return element("details", { class: "others" }, element("summary", {}, "The config of this run"), element("pre", { tabindex: 0 }, toml));
}

decodeScene(document.querySelector("#scene-data")!.textContent ?? "").then(show, (error: unknown) => {
  root.replaceChildren(element("p", { class: "failed" }, `This file holds no scene that can be read: ${String(error)}`));
});
