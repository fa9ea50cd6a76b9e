/** The gallery: ready scenes, each with two sentences and its source. */
import type { GalleryScene, SceneState } from "../protocol/messages";
import { element, openDialog } from "./element";
import { formula } from "./formula";

export function openGallery(scenes: GalleryScene[], open: (scene: SceneState) => void): void {
  const cards = scenes.map((one) =>
    element(
      "button",
      {
        type: "button",
        class: "scene",
        onclick: () => {
          dialog.close();
          open({ systems: [one.config] });
        },
      },
      element("strong", {}, ...formula(one.title)),
      element("span", { class: "text" }, ...formula(one.text)),
      element("span", { class: "source" }, one.source),
    ),
  );
  const dialog = openDialog("Gallery", "gallery", scenes.length > 0 ? element("div", { class: "scenes" }, ...cards) : "There are no scenes yet.");
}
