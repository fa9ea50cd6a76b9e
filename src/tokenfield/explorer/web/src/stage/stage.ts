/**
 * One stage: it chooses the view that a system needs, and turns pointer and keys into what they mean.
 *
 * A drag on a token moves the token, a drag elsewhere turns the space; a click pins a token. Keys: arrows turn, + and -
 * zoom, [ and ] choose a token, shift with arrows moves it, Escape lets it go, Home looks from the front.
 */
import { pointsOf } from "../protocol/frame";
import { CosinesView } from "./cosines";
import type { Orbit } from "./orbit";
import type { Picture, View } from "./picture";
import { PlaneView } from "./plane";
import { SpaceView } from "./space";

export interface StageActions {
  hover(token: number | null): void;
  pin(token: number | null): void;
  move(token: number, point: number[]): void;
  turned(): void;
}

const CLICK_PIXELS = 5;
const KEY_PIXELS = 14;

export class Stage {
  readonly element = document.createElement("div");
  private space: SpaceView | null = null;
  private plane: PlaneView | null = null;
  private cosines: CosinesView | null = null;
  private view: View | null = null;
  private picture: Picture | null = null;
  private readonly pointers = new Map<number, PointerEvent>();
  private grabbed: { token: number | null; x: number; y: number; moved: boolean } | null = null;

  constructor(
    private readonly orbit: Orbit,
    private readonly actions: StageActions,
    private readonly canMove: boolean,
  ) {
    this.element.className = "stage";
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "application");
    this.element.setAttribute("aria-roledescription", "stage");
    this.listen();
  }

  show(picture: Picture): void {
    this.picture = picture;
    this.choose(picture);
    const { clientWidth, clientHeight } = this.element;
    if (!clientWidth || !clientHeight || !this.view) return;
    const withCosines = this.cosines?.element.isConnected === true;
    this.element.classList.toggle("split", withCosines);
    this.view.resize(this.view.element.clientWidth, this.view.element.clientHeight);
    this.view.draw(picture);
    if (this.cosines && withCosines) {
      this.cosines.resize(this.cosines.element.clientWidth, this.cosines.element.clientHeight);
      this.cosines.draw(picture);
    }
  }

  /** Draws what there was again: the stage may have another size, and nothing new to show yet. */
  redraw(): void {
    if (this.picture) this.show(this.picture);
  }

  /** What the stage shows, in words. */
  describe(words: string): void {
    if (this.element.getAttribute("aria-label") !== words) this.element.setAttribute("aria-label", words);
  }

  /** Paints the stage into a box of another canvas, as it lies in the page. */
  paint(context: CanvasRenderingContext2D, x: number, y: number, scale: number): void {
    const origin = this.element.getBoundingClientRect();
    for (const view of [this.view, this.cosines]) {
      if (!view?.element.isConnected) continue;
      const box = view.element.getBoundingClientRect();
      const place = [x + (box.x - origin.x) * scale, y + (box.y - origin.y) * scale] as const;
      view.paint(context, ...place, box.width * scale, box.height * scale);
    }
  }

  private choose(picture: Picture): void {
    const isFlat = picture.dimension <= 2;
    const next = isFlat ? (this.plane ??= new PlaneView(this.orbit)) : (this.space ??= this.newSpace());
    if (next !== this.view) {
      this.view?.element.remove();
      if (next) this.element.prepend(next.element);
      this.view = next;
    }
    const isHidden = picture.dimension > 3 || picture.grid?.cosines !== undefined;
    if (isHidden && !this.cosines?.element.isConnected) this.element.append((this.cosines ??= new CosinesView()).element);
    if (!isHidden) this.cosines?.element.remove();
  }

  private newSpace(): SpaceView | null {
    try {
      return new SpaceView(this.orbit);
    } catch {
      this.element.textContent = "This browser draws no WebGL, which the sphere needs. The circle (d = 2) and the plots work.";
      return null;
    }
  }

  private listen(): void {
    const { element } = this;
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"] as const) element.addEventListener(end, (event) => this.up(event));
    element.addEventListener("pointerleave", () => this.actions.hover(null));
    element.addEventListener("dblclick", () => this.look(() => this.orbit.reset()));
    element.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.look(() => this.orbit.scale(Math.exp(-event.deltaY * 0.0012)));
    }, { passive: false });
    element.addEventListener("keydown", (event) => {
      if (this.key(event)) event.preventDefault();
    });
  }

  private look(change: () => void): void {
    change();
    this.actions.turned();
  }

  private at(event: PointerEvent): { x: number; y: number } {
    const box = (this.view?.element ?? this.element).getBoundingClientRect();
    return { x: event.clientX - box.x, y: event.clientY - box.y };
  }

  private down(event: PointerEvent): void {
    this.element.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, event);
    const { x, y } = this.at(event);
    this.grabbed = { token: this.view?.tokenAt(x, y) ?? null, x: event.clientX, y: event.clientY, moved: false };
  }

  private drag(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    const { x, y } = this.at(event);
    if (!before || !this.grabbed) {
      this.actions.hover(this.view?.tokenAt(x, y) ?? null);
      return;
    }
    const others = [...this.pointers.values()].filter((other) => other.pointerId !== event.pointerId);
    this.pointers.set(event.pointerId, event);
    if (others.length > 0) {
      const [far, near] = [event, before].map((one) => Math.hypot(one.clientX - others[0].clientX, one.clientY - others[0].clientY));
      this.grabbed.moved = true;
      this.look(() => this.orbit.scale(far / Math.max(near, 1)));
      return;
    }
    if (Math.hypot(event.clientX - this.grabbed.x, event.clientY - this.grabbed.y) > CLICK_PIXELS) this.grabbed.moved = true;
    if (!this.grabbed.moved) return;
    const point = this.grabbed.token === null || !this.canMove ? null : (this.view?.pointAt(this.grabbed.token, x, y) ?? null);
    if (point && this.grabbed.token !== null) this.actions.move(this.grabbed.token, point);
    else this.look(() => this.orbit.turn(event.clientX - before.clientX, event.clientY - before.clientY));
  }

  private up(event: PointerEvent): void {
    this.pointers.delete(event.pointerId);
    if (this.grabbed && !this.grabbed.moved && event.type === "pointerup") {
      const { token } = this.grabbed;
      if (token !== null) this.actions.pin(token === this.picture?.pinned ? null : token);
    }
    if (this.pointers.size === 0) this.grabbed = null;
  }

  private key(event: KeyboardEvent): boolean {
    const arrows: Record<string, [number, number]> = {
      ArrowLeft: [-KEY_PIXELS, 0],
      ArrowRight: [KEY_PIXELS, 0],
      ArrowUp: [0, -KEY_PIXELS],
      ArrowDown: [0, KEY_PIXELS],
    };
    const way = arrows[event.key];
    const pinned = this.picture?.pinned ?? null;
    if (way && event.shiftKey && pinned !== null && this.canMove) return this.nudge(pinned, ...way);
    if (way) this.look(() => this.orbit.turn(...way));
    else if (event.key === "+" || event.key === "=") this.look(() => this.orbit.scale(1.15));
    else if (event.key === "-") this.look(() => this.orbit.scale(1 / 1.15));
    else if (event.key === "Home") this.look(() => this.orbit.reset());
    else if (event.key === "]" || event.key === "[") this.pinNext(event.key === "]" ? 1 : -1);
    else if (event.key === "Escape" && pinned !== null) this.actions.pin(null);
    else return false;
    return true;
  }

  private pinNext(step: number): void {
    const n = this.picture ? (pointsOf(this.picture.frame)?.n ?? 0) : 0;
    const pinned = this.picture?.pinned ?? (step > 0 ? -1 : 0);
    if (n > 0) this.actions.pin((pinned + step + n) % n);
  }

  private nudge(token: number, dx: number, dy: number): boolean {
    const place = this.view?.placeOf(token);
    const point = place ? this.view?.pointAt(token, place.x + dx, place.y + dy) : null;
    if (point) this.actions.move(token, point);
    return point !== null;
  }
}
