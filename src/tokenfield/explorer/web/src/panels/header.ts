/** The line at the top: gallery, tour, comparison, a real sentence, and what one takes away. */
import type { Hello, SceneState } from "../protocol/messages";
import type { Session } from "../state/session";
import { chooseTheme, readTheme } from "../state/theme";
import { openComparison } from "./comparison";
import type { Controls } from "./controls";
import { element, iconButton } from "./element";
import { openGallery } from "./gallery";
import type { Plots } from "./plots";
import { openSentence } from "./sentence";
import { openTakeaway } from "./takeaway";
import type { Theatre } from "./theatre";
import type { Tour } from "./tour";
import { Movie } from "./movie";

export interface Parts {
  session: Session;
  theatre: Theatre;
  plots: Plots;
  controls: Controls;
  tour: Tour;
  open(scene: SceneState): void;
  state(): SceneState;
  restyle(): void;
}

export class Header {
  readonly element = element("header", { class: "bar" });
  private readonly movie: Movie;
  private hello: Hello | null = null;

  constructor(private readonly parts: Parts) {
    this.movie = new Movie(parts.theatre);
    // parts in parentheses are left out on phones
    const button = (label: string, action: () => void): HTMLButtonElement =>
      element("button", { type: "button", class: "plain", onclick: action }, ...label.split(/(\(.*\))/).map((part) => (part.startsWith("(") ? element("span", { class: "wide" }, part.slice(1, -1)) : part)));
    this.element.append(
      element("h1", {}, "tokenfield", element("span", {}, "explorer")),
      element(
        "nav",
        { "aria-label": "Scenes" },
        button("Gallery", () => this.openGallery()),
        button("Tour", () => parts.tour.begin()),
        button("Compare", () => openComparison(parts.session)),
        button("(A real )sentence", () => this.hello && openSentence(this.hello.sentences.models)),
        button("Take it( with you)", () => this.takeAway()),
      ),
      element(
        "div",
        { class: "tools" },
        element("button", { type: "button", class: "plain record", onclick: () => this.movie.stop() }, "■ Stop the movie"),
        iconButton("stage", "Stage only (F)", () => this.present()),
        iconButton("theme", "Light or dark", () => this.otherTheme()),
      ),
    );
  }

  greet(hello: Hello): void {
    this.hello = hello;
  }

  openGallery(): void {
    if (this.hello) openGallery(this.hello.gallery, (scene) => this.parts.open(scene));
  }

  takeAway(): void {
    openTakeaway(this.parts, this.movie);
  }

  /** Shows the stage alone, for a lecture, or all panels again. */
  present(): void {
    document.documentElement.classList.toggle("presenting");
    this.parts.theatre.touch();
  }

  /** To be called after each drawn picture. */
  drawn(): void {
    this.movie.drawn();
  }

  private otherTheme(): void {
    chooseTheme(readTheme().isDark ? "light" : "dark");
    this.parts.restyle();
  }
}
