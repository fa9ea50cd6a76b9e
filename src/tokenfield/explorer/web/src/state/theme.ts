/** Colors of the drawn parts of the page, read from the style sheet so that light and dark have one home. */
import { ALONE, mix, PALETTE, rgb, type Rgb } from "./colors";

export interface Theme {
  isDark: boolean;
  paper: Rgb;
  body: Rgb;
  line: Rgb;
  quiet: Rgb;
  ink: Rgb;
  alone: Rgb;
  accent: Rgb;
  second: Rgb;
  /** From nothing to the most, for densities and Gram matrices. */
  ramp: Rgb[];
}

export function readTheme(root: Element = document.documentElement): Theme {
  const style = getComputedStyle(root);
  const color = (name: string): Rgb => rgb(style.getPropertyValue(`--${name}`).trim());
  const paper = color("stage");
  const isDark = paper[0] + paper[1] + paper[2] < 1.5;
  const body = color("body");
  return {
    isDark,
    paper,
    body,
    line: color("line"),
    quiet: color("quiet"),
    ink: color("ink"),
    alone: color("alone"),
    accent: color("series-a"),
    second: color("series-b"),
    ramp: isDark
      ? [body, rgb("#0a4a73"), rgb("#1f86bd"), rgb("#8fcbe8"), rgb("#f0e442")]
      : [body, rgb("#bfdcee"), rgb("#56a7d8"), rgb("#0a6aa8"), rgb("#0b2f4d")],
  };
}

const CHOSEN = "tokenfield-theme";

/** Light or dark whatever the system prefers, also when the page is opened the next time. */
export function chooseTheme(theme: string): void {
  document.documentElement.dataset.theme = theme;
  localStorage.setItem(CHOSEN, theme);
}

/** The theme that was chosen, if one was. */
export function recallTheme(): void {
  const theme = localStorage.getItem(CHOSEN);
  if (theme) document.documentElement.dataset.theme = theme;
}

/** The color of a palette index. Dark themes lighten, light themes deepen what would not stand out. */
export function tint(index: number, theme: Theme): Rgb {
  if (index === ALONE) return theme.alone;
  const base = rgb(PALETTE[index % PALETTE.length]);
  const shown = theme.isDark ? mix(base, [1, 1, 1], 0.16) : mix(base, [0, 0, 0], index % PALETTE.length === 6 ? 0.18 : 0);
  return index < PALETTE.length ? shown : mix(shown, theme.isDark ? [1, 1, 1] : theme.ink, 0.38);
}

const tables = new WeakMap<Theme, Float32Array>();

/** The colors of all palette indices one after another, three numbers each: what is looked up for every token. */
export function tintTable(theme: Theme): Float32Array {
  let table = tables.get(theme);
  if (!table) {
    table = new Float32Array(3 * 256);
    for (let index = 0; index < 256; index++) table.set(tint(index, theme), 3 * index);
    tables.set(theme, table);
  }
  return table;
}

/** The color at a share between 0 and 1 of the ramp. */
export function heat(share: number, ramp: Rgb[]): Rgb {
  const place = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
  const low = Math.min(Math.floor(place), ramp.length - 2);
  return mix(ramp[low], ramp[low + 1], place - low);
}
