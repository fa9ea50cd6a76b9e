/** Keys that work everywhere on the page, unless one is typing. */
import type { Session } from "../state/session";

const TYPING = "input:not([type=range]):not([type=checkbox]), select, textarea, dialog";

export function listenToKeys(session: Session, header: { present(): void; openGallery(): void }): void {
  window.addEventListener("keydown", (event) => {
    const target = event.target as Element;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.(TYPING)) return;
    const isButton = target.closest?.("button, summary, a") !== null;
    const actions: Record<string, () => void> = {
      ",": () => session.step(-1),
      ".": () => session.step(1),
      r: () => session.restart(),
      f: () => header.present(),
      g: () => header.openGallery(),
    };
    const action = event.key === " " && !isButton ? () => session.toggle() : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
