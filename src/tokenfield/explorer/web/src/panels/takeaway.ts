/** What one takes away: the address, a picture, a movie, the numbers, the config, the program. */
import { fragmentOf, LONGEST } from "../state/address";
import { element, openDialog } from "./element";
import type { Parts } from "./header";
import { movieKinds, takePicture, type Movie, type MovieKind } from "./movie";

/** Lets the browser save a file. */
export function save(content: Blob | string, name: string, type = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function openTakeaway(parts: Parts, movie: Movie): void {
  const { session, theatre, plots, controls } = parts;
  const run = session.runs[controls.edited];
  const address = element("input", { type: "text", readonly: true, "aria-label": "Address of this scene" });
  const about = element("p", { class: "quiet" });
  void fragmentOf(parts.state(), session.hello?.limits.changes).then(({ text, isWhole }) => {
    address.value = `${window.location.origin}${window.location.pathname}#${text}`;
    about.textContent = aboutAddress(text.length, isWhole);
  });
  const isChanged = (run?.standing?.steps.length ?? 0) > 0;
  const copy = element("button", { type: "button", class: "primary" }, "Copy");
  copy.addEventListener("click", () => {
    address.select();
    void navigator.clipboard?.writeText(address.value).then(() => (copy.textContent = "Copied"));
  });
  const item = (title: string, text: string, action: () => void, isPossible = true): HTMLElement =>
    element("button", { type: "button", class: "scene", disabled: !isPossible, onclick: action }, element("strong", {}, title), element("span", { class: "text" }, text));
  const record = (kind: MovieKind | null) => (): void => {
    if (kind) movie.start(kind, (blob) => save(blob, `tokens.${kind.ending}`));
    else movie.stop();
    dialog.close();
  };
  const movies = movie.isRecording
    ? [item("Stop the movie", "Saves what was recorded", record(null))]
    : movieKinds().map((kind) => item(`Movie, ${kind.name}`, "Of what is drawn from now on, until you stop it", record(kind)));
  const dialog = openDialog(
    "Take it with you",
    "gallery takeaway",
    about,
    element("div", { class: "address" }, address, copy),
    element(
      "div",
      { class: "scenes" },
      item("Picture", "PNG of the stage, at twice its size", () => void takePicture(theatre).then((blob) => save(blob, "tokens.png"))),
      ...movies,
      item("Numbers", "CSV of all plots", () => save(plots.toCsv(), "plots.csv", "text/csv")),
      item("Config", `TOML for tokenfield simulate, and for tokenfield export, which makes a page that plays without a server${isChanged ? "; it starts anew with the model as it is now" : ""}`, () => save(run?.ready?.toml ?? "", "config.toml"), Boolean(run?.ready)),
      item("Program", `Python that computes the same${isChanged ? ", with all that you changed on the way" : ""}`, () => void session.program(run.system).then((python) => save(python, "scene.py", "text/x-python")), Boolean(run?.ready)),
    ),
  );
}

function aboutAddress(letters: number, isWhole: boolean): string {
  const isLong = letters > LONGEST ? ` It has ${Math.round(letters / 1000)},000 letters, which some programs cut off: the config is safer.` : "";
  if (!isWhole) return `So much was done on the way that no address can hold it. This one begins with the model as it is now; the program below has all of it.${isLong}`;
  return `The address holds the whole scene: what you see, and what you did on the way. Who opens it with a tokenfield of their own stands where you stand.${isLong}`;
}
