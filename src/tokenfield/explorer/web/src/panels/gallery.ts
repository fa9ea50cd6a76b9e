/** The gallery: ready scenes, each with two sentences and its source. */
import type { GalleryScene, SceneState } from "../protocol/messages";
import { element, openDialog } from "./element";
import { formula } from "./formula";
import { readTheme } from "../state/theme";
import dark from "../thumbnails/dark.webp";
import light from "../thumbnails/light.webp";
import pictured from "../thumbnails/scenes.json";

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
      thumbnail(one.id),
      element("strong", {}, ...formula(one.title)),
      element("span", { class: "text" }, ...formula(one.text)),
      element("span", { class: "source" }, one.source),
    ),
  );
  const dialog = openDialog("Gallery", "gallery", scenes.length > 0 ? element("div", { class: "scenes" }, ...cards) : "There are no scenes yet.");
}

/** The small picture of a scene, a row of the sheet of all; nothing for scenes without one. */
function thumbnail(id: string): HTMLElement | null {
  const row = pictured.indexOf(id);
  if (row < 0) return null;
  const made = element("span", { class: "thumbnail", "aria-hidden": "true" });
  made.style.backgroundImage = `url("${readTheme().isDark ? dark : light}")`;
  made.style.backgroundPosition = `0 ${(100 * row) / Math.max(pictured.length - 1, 1)}%`;
  return made;
}
