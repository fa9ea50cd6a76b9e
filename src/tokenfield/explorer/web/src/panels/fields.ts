/** The inputs of the controls. Each reads its value from tables, shows it, and tells what was chosen. */
import type { Tables } from "../protocol/messages";
import { shortNumber } from "../state/numbers";
import { element } from "./element";

/** A labelled input that follows the tables. */
export interface Field {
  readonly element: HTMLElement;
  sync(config: Tables): void;
}

export interface Option {
  value: string;
  label: string;
  /** Why it cannot be chosen now; empty if it can. */
  reason?: string;
}

let count = 0;

function row(label: string, hint: string, ...inputs: HTMLElement[]): HTMLElement {
  const id = `field-${++count}`;
  inputs[0].id = id;
  return element("div", { class: "field", title: hint }, element("label", { for: id }, label), ...inputs);
}

/** A choice among options; `options` may depend on the tables. */
export function choiceField(
  label: string,
  hint: string,
  options: (config: Tables) => Option[],
  get: (config: Tables) => string,
  set: (value: string) => void,
): Field {
  const select = element("select", { onchange: () => set(select.value) });
  let shown = "";
  return {
    element: row(label, hint, select),
    sync(config) {
      const list = options(config);
      const text = JSON.stringify(list);
      if (text !== shown) {
        select.replaceChildren(
          ...list.map(({ value, label: name, reason }) => element("option", { value, disabled: Boolean(reason), title: reason }, reason ? `${name} (not here)` : name)),
        );
        shown = text;
      }
      select.value = get(config);
    },
  };
}

export interface Range {
  low: number;
  high: number;
  isLog: boolean;
  isWhole?: boolean;
}

const NOTCHES = 400;

/** The number at a notch of a slider, rounded to what one can tell apart. */
export function atNotch(range: Range, notch: number): number {
  const share = notch / NOTCHES;
  const value = range.isLog ? range.low * (range.high / range.low) ** share : range.low + (range.high - range.low) * share;
  if (range.isWhole) return Math.round(value);
  return Number(value.toPrecision(3));
}

/** The notch of a slider that is nearest to a number. */
export function notchOf(range: Range, value: number): number {
  const share = range.isLog
    ? Math.log(Math.max(value, range.low) / range.low) / Math.log(range.high / range.low)
    : (value - range.low) / (range.high - range.low);
  return Math.round(Math.min(Math.max(share, 0), 1) * NOTCHES);
}

/** A slider with a number beside it; the number may also lie outside the slider. */
export function sliderField(label: string, hint: string, range: Range, get: (config: Tables) => number, set: (value: number) => void, when: "input" | "change" = "input"): Field {
  const slider = element("input", { type: "range", min: 0, max: NOTCHES, step: 1 });
  const number = element("input", { type: "number", class: "number", step: range.isWhole ? 1 : "any", "aria-label": `${label} as a number` });
  const share = (): void => slider.style.setProperty("--share", `${(100 * Number(slider.value)) / NOTCHES}%`);
  const preview = (): void => {
    number.value = String(atNotch(range, Number(slider.value)));
    share();
  };
  slider.addEventListener("input", preview);
  slider.addEventListener(when, () => set(atNotch(range, Number(slider.value))));
  number.addEventListener("change", () => {
    if (number.value !== "" && Number.isFinite(Number(number.value))) set(Number(number.value));
  });
  return {
    element: row(label, hint, slider, number),
    sync(config) {
      const value = get(config);
      if (document.activeElement !== slider) slider.value = String(notchOf(range, value));
      if (document.activeElement !== number) number.value = String(value);
      slider.setAttribute("aria-valuetext", shortNumber(value));
      share();
    },
  };
}

/** A number; empty means that it is left out, or its default. */
export function numberField(label: string, hint: string, get: (config: Tables) => number | undefined, set: (value: number | undefined) => void, placeholder = ""): Field {
  const input = element("input", { type: "number", step: "any", class: "number", placeholder });
  input.addEventListener("change", () => set(input.value === "" ? undefined : Number(input.value)));
  return {
    element: row(label, hint, input),
    sync(config) {
      const value = get(config);
      if (document.activeElement !== input) input.value = value === undefined ? "" : String(value);
    },
  };
}

export function checkField(label: string, hint: string, get: (config: Tables) => boolean, set: (value: boolean) => void): Field {
  const input = element("input", { type: "checkbox", onchange: () => set(input.checked) });
  return {
    element: element("label", { class: "check", title: hint }, input, label),
    sync(config) {
      input.checked = get(config);
    },
  };
}

/** A field that is grey while there is a reason why it cannot be chosen; who points at it reads the reason. */
export function unless(reason: () => string | null | undefined, field: Field): Field {
  const hint = field.element.title;
  return {
    element: field.element,
    sync(config) {
      field.sync(config);
      const why = reason();
      field.element.title = why || hint;
      field.element.classList.toggle("refused", Boolean(why));
      for (const input of field.element.querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLButtonElement>("input, select, button")) input.disabled = Boolean(why);
    },
  };
}

/** A field that is shown only for some tables. */
export function when(shown: (config: Tables) => boolean, field: Field): Field {
  return {
    element: field.element,
    sync(config) {
      field.element.hidden = !shown(config);
      if (!field.element.hidden) field.sync(config);
    },
  };
}

/** Several fields as one. */
export function together(className: string, ...fields: Field[]): Field {
  return {
    element: element("div", { class: className }, ...fields.map((field) => field.element)),
    sync(config) {
      for (const field of fields) field.sync(config);
    },
  };
}
