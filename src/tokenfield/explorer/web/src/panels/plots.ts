/** Live plots: energy, clusters, cosines and harmonics over time; measurements in color, predictions in dashes. */
import uPlot from "uplot";
import { css, mix } from "../state/colors";
import type { Player } from "../state/player";
import type { Run } from "../state/run";
import { readTheme, tint, type Theme } from "../state/theme";
import { shortNumber } from "../state/numbers";
import { element } from "./element";

/** One line of a plot. */
export interface Line {
  label: string;
  x: number[];
  y: (number | null)[];
  color: string;
  width?: number;
  /** A prediction. */
  dash?: number[];
  /** A measurement of the second system, where its color says something else. */
  dots?: number[];
}

interface PlotSpec {
  title: string;
  about: string;
  isLog?: boolean;
  /** Many lines of one kind: no single number stands for them. */
  isMany?: boolean;
  /** Several measurements of each system, which are told apart by their names. */
  isNamed?: boolean;
  /** Predictions that are times, marked by a vertical line. */
  marks?: string[];
  lines(runs: Run[], theme: Theme): Line[];
}

const MOST_POINTS = 500;
const HEIGHT = 110;
const MOST_DIGITS = 9;
const DEGREES = 6;
const DASHES = [5, 4];
const DOTS = [1.5, 2.5];
/** Where logarithmic time begins, as on the server. */
const FIRST_TIME = 0.01;
const HUGE = 1e6;

/** A number of every frame as a line, thinned to what a plot can show. */
export function lineOf(run: Run, name: string, label: string, color: string): Line {
  const values = run.history.series(name);
  const kept = run.history.times.map((_, k) => k).filter((k) => Number.isFinite(values[k]));
  const step = Math.max(1, Math.ceil(kept.length / MOST_POINTS));
  const shown = kept.filter((_, k) => k % step === 0 || k === kept.length - 1);
  return { label, color, x: shown.map((k) => run.history.times[k]), y: shown.map((k) => values[k]) };
}

function ofSystems(name: string, label: string): (runs: Run[], theme: Theme) => Line[] {
  return (runs, theme) =>
    runs.map((run) => lineOf(run, name, runs.length > 1 ? `${label} ${"AB"[run.system]}` : label, css(run.system ? theme.second : theme.accent)));
}

/** Whether energies are too large to be read: they grow as the exponential of beta. */
function isHuge(runs: Run[]): boolean {
  return runs.some((run) => run.history.series("energy").findLast(Number.isFinite)! > HUGE);
}

const SPECS: PlotSpec[] = [
  { title: "Energy", about: "The interaction energy, which the flow increases, as a share of its largest value where that is huge; upright dashes: the predicted time at which chance has grown to order one", marks: ["exit_time"], lines: (runs, theme) => (isHuge(runs) ? ofSystems("normalized_energy", "normalized energy") : ofSystems("energy", "energy"))(runs, theme) },
  {
    title: "Clusters",
    about: "The number of groups of tokens that are close; dashes: the predicted number of first clusters on the circle",
    isLog: true,
    lines: (runs, theme) => [...ofSystems("clusters", "clusters")(runs, theme), ...firstClusters(runs[0], theme)],
  },
  {
    title: "Cosines",
    isNamed: true,
    about: "Mean (solid) and smallest (thin) cosine of pairs; dashes: the equiangular prediction",
    lines(runs, theme) {
      const curve = runs[0]?.ready?.curves.equiangular;
      return [
        ...ofSystems("mean_cosine", "mean")(runs, theme),
        ...ofSystems("smallest_cosine", "smallest")(runs, theme).map((line) => ({ ...line, width: 0.8 })),
        ...(curve ? [{ label: "equiangular", x: curve.map(([t]) => t), y: curve.map(([, c]) => c), color: css(theme.ink), dash: DASHES }] : []),
      ];
    },
  },
  {
    title: "Harmonics",
    about: "Strength of the harmonics of degree 1 to 6 over time, of system B in thin dots; dashes: the predicted growth of the fastest",
    isLog: true,
    isMany: true,
    marks: ["exit_time"],
    lines: (runs, theme) => [...runs.filter((run) => !isGaussian(run)).flatMap((run) => harmonics(run, theme, 1, "k =")), ...runs.slice(0, 1).flatMap((run) => growth(run, theme))],
  },
  {
    title: "Variances",
    about: "Eigenvalues of the covariance",
    isLog: true,
    isMany: true,
    lines: (runs, theme) => runs.filter(isGaussian).flatMap((run) => harmonics(run, theme, 0, "variance")),
  },
];

function isGaussian(run: Run): boolean {
  return run.ready?.state === "gaussian";
}

/** The spectrum over time, from its entry `first` on. */
function harmonics(run: Run, theme: Theme, first: number, name: string): Line[] {
  const { spectra, times } = run.history;
  const distinct = spectra.map((_, k) => k).filter((k) => spectra[k] && spectra[k] !== spectra[k - 1]);
  const step = Math.max(1, Math.ceil(distinct.length / 250));
  const shown = distinct.filter((_, k) => k % step === 0 || k === distinct.length - 1);
  const isSecond = run.system === 1;
  const count = Math.min(DEGREES, (spectra.find((one) => one !== null)?.length ?? 0) - first);
  return Array.from({ length: Math.max(count, 0) }, (_, k) => ({
    label: `${name} ${k + 1}${isSecond ? " B" : ""}`,
    ...(isSecond && { width: 1.2, dots: DOTS }),
    x: shown.map((row) => times[row]),
    y: shown.map((row) => {
      const value = spectra[row]?.[k + first] ?? NaN;
      return value > 0 ? value : null;
    }),
    color: css(tint(k, theme)),
  }));
}

function predicted(run: Run | undefined, name: string): unknown {
  return run?.ready?.predictions.find((one) => one.name === name && one.applies)?.value;
}

function firstClusters(run: Run | undefined, theme: Theme): Line[] {
  const count = predicted(run, "k_max");
  const end = run?.history.times.at(-1);
  if (run?.ready?.d !== 2 || typeof count !== "number" || end === undefined) return [];
  return [{ label: "predicted", x: [run.history.times[0], end], y: [count, count], color: css(theme.ink), dash: DASHES }];
}

/** The predicted growth of the fastest degree, from its measured power at the start: powers grow at twice the rate. */
function growth(run: Run, theme: Theme): Line[] {
  const [rates, fastest] = [predicted(run, "growth_rates"), predicted(run, "k_max")];
  const start = run.history.spectra.find((one) => one !== null);
  if (!Array.isArray(rates) || typeof fastest !== "number" || !start) return [];
  const [rate, power, t0] = [Number(rates[fastest - 1]), start[fastest], run.history.times[0]];
  const end = Math.min(t0 + Math.log(1 / power) / (2 * rate), run.history.times.at(-1) ?? t0);
  if (!(power > 0) || !(rate > 0) || !(end > t0)) return [];
  const x = Array.from({ length: 24 }, (_, k) => t0 + ((end - t0) * k) / 23);
  return [{ label: `predicted k = ${fastest}`, x, y: x.map((t) => power * Math.exp(2 * rate * (t - t0))), color: css(theme.ink), dash: DASHES }];
}

/** The powers of ten in a range, or more of them if there are few. */
export function decades(low: number, high: number): number[] {
  const steps = high / low > 40 ? [1] : high / low > 6 ? [1, 3] : [1, 2, 3, 5, 7];
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const skip = Math.max(1, Math.ceil((last - first) / 6));
  const found: number[] = [];
  for (let power = first; power <= last; power++)
    if ((power - first) % skip === 0) for (const step of steps) found.push(step * 10 ** power);
  return found.filter((value) => value >= low * 0.999 && value <= high * 1.001);
}

/** Round whole numbers in a range, at most seven of them. */
export function wholeSteps(low: number, high: number): number[] {
  const step = [1, 2, 5, 10, 20, 50, 100].find((one) => (high - low) / one <= 6) ?? Math.ceil((high - low) / 6);
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.max(Math.floor((high - first) / step) + 1, 0) }, (_, k) => first + k * step);
}

export class Plots {
  readonly element = element("section", { class: "plots", "aria-label": "Measured over time" });
  private readonly charts: Chart[];

  constructor(private readonly player: Player) {
    this.charts = SPECS.map((spec) => new Chart(spec, player));
    this.element.append(...this.charts.map((chart) => chart.element));
    let pending = 0;
    new ResizeObserver(() => {
      cancelAnimationFrame(pending);
      pending = requestAnimationFrame(() => this.rebuild());
    }).observe(this.element);
  }

  /** Makes the plots anew: their size or their colors have changed. */
  rebuild(): void {
    for (const chart of this.charts) chart.reset();
    this.update();
  }

  update(): void {
    const theme = readTheme();
    for (const chart of this.charts) chart.update(this.player.runs, theme);
  }

  /** All lines of all plots as comma-separated values: plot, line, t, value. */
  toCsv(): string {
    const theme = readTheme();
    const rows = SPECS.flatMap((spec) =>
      spec.lines(this.player.runs, theme).flatMap((line) => line.x.map((t, k) => [spec.title, line.label, t, line.y[k] ?? ""].join(","))),
    );
    return ["plot,line,t,value", ...rows].join("\n") + "\n";
  }
}

class Chart {
  readonly element = element("figure", { class: "plot" });
  private readonly value = element("span", { class: "value" });
  private readonly box = element("div", { class: "canvas" });
  private plot: uPlot | null = null;
  private shape = "";
  private isLogTime = false;

  constructor(
    private readonly spec: PlotSpec,
    private readonly player: Player,
  ) {
    this.element.append(element("figcaption", { title: spec.about }, element("span", {}, spec.title), this.value), this.box);
    this.box.setAttribute("role", "img");
  }

  reset(): void {
    this.plot?.destroy();
    this.plot = null;
  }

  update(runs: Run[], theme: Theme): void {
    const lines = this.spec.lines(runs, theme).filter((line) => line.x.length > 0);
    this.element.hidden = lines.every((line) => line.dash) || lines.every((line) => line.y.every((value) => value === null));
    if (this.element.hidden) return;
    const isLogTime = this.player.clock === "log";
    const shape = JSON.stringify([isLogTime, lines.map(({ label, color }) => [label, color])]);
    if (shape !== this.shape) this.reset();
    this.shape = shape;
    this.isLogTime = isLogTime;
    const data = joined(lines, isLogTime, lastTime(runs));
    const width = this.box.clientWidth;
    if (width < 40) return;
    if (!this.plot) this.plot = new uPlot(this.options(lines, theme, isLogTime, width), data, this.box);
    else this.plot.setData(data);
    this.describe(lines);
  }

  private describe(lines: Line[]): void {
    const measured = lines.filter((line) => !line.dash);
    const latest = measured.map((line) => ({ label: line.label, y: valueAt(line, this.player.runs[0]?.frame?.t ?? Infinity) }));
    if (this.spec.isMany) this.explain(measured.filter((line) => !line.dots));
    else if (this.spec.isNamed && this.player.runs.length === 1)
      this.value.textContent = latest.map(({ label, y }) => `${label} ${shortNumber(y)}`).join(", ");
    else this.value.textContent = shortNumber(latest[0]?.y ?? NaN);
    this.box.setAttribute("aria-label", `${this.spec.title} over time. Now ${latest.map(({ label, y }) => `${label} ${shortNumber(y)}`).join(", ")}.`);
  }

  /** Which color is which line. */
  private explain(lines: Line[]): void {
    const key = lines.map(({ color }) => color).join();
    if (this.value.dataset.key === key) return;
    this.value.dataset.key = key;
    this.value.classList.add("key");
    const swatch = ({ label, color }: Line): HTMLElement => {
      const made = element("span", {}, label.split(" ").at(-1) ?? "");
      made.style.setProperty("--swatch", color);
      return made;
    };
    this.value.replaceChildren(...lines.map(swatch));
  }

  private options(lines: Line[], theme: Theme, isLogTime: boolean, width: number): uPlot.Options {
    const quiet = css(theme.quiet);
    const grid = { stroke: css(mix(theme.paper, theme.line, 0.8)), width: 1 };
    const axis: uPlot.Axis = { stroke: quiet, font: "11px system-ui, sans-serif", grid, ticks: { show: false } };
    const onlyDecades: uPlot.Axis = { splits: (_plot, _axis, low, high) => decades(low, high), filter: (_plot, splits) => splits };
    const powers: uPlot.Axis = {
      splits: (_plot, _axis, low, high) => wholeSteps(low, high),
      values: (_plot, values) => named(values.map((value) => (value === null ? "" : shortNumber(10 ** value, 1)))),
    };
    const format = (_: uPlot, values: (number | null)[]): string[] => toldApart(values);
    return {
      width,
      height: HEIGHT,
      padding: [8, 14, 0, 0],
      legend: { show: false },
      cursor: { points: { show: false }, drag: { x: false, y: false }, y: false },
      scales: { x: { time: false, range: (_, low, high) => this.timeRange(low, high) }, y: { distr: this.spec.isLog ? 3 : 1 } },
      axes: [
        { ...axis, size: 28, gap: 6, values: (plot, values) => named(format(plot, values)), space: 60, ...(isLogTime && powers) },
        { ...axis, size: widthOf, gap: 2, values: format, space: 26, ...(this.spec.isLog && onlyDecades) },
      ],
      series: [
        {},
        ...lines.map((line) => ({ label: line.label, stroke: line.color, width: line.width ?? 1.6, dash: line.dash ?? line.dots, spanGaps: true, points: { show: false } })),
      ],
      hooks: {
        draw: [(plot) => this.drawNow(plot, quiet)],
        ready: [(plot) => plot.over.addEventListener("click", () => this.scrubTo(plot))],
      },
    };
  }

  /** All plots show the same times. */
  private timeRange(low: number, high: number): [number, number] {
    const times = this.player.runs.flatMap((run) => [run.history.times[0], run.history.times.at(-1)]).filter((t) => t !== undefined);
    if (times.length === 0) return [low ?? 0, high ?? 1];
    const isLogTime = this.player.clock === "log";
    const first = isLogTime ? FIRST_TIME : Math.min(...times);
    const last = Math.max(...times);
    const [from, to] = [this.place(first), this.place(last)];
    return [from, to > from ? to : from + 1];
  }

  /** Where a time is on the axis: its logarithm if time is, which may be too large for the plots of uPlot. */
  private place(t: number): number {
    return this.isLogTime ? Math.log10(Math.max(t, FIRST_TIME)) : t;
  }

  private drawNow(plot: uPlot, color: string): void {
    const [run] = this.player.runs;
    plot.ctx.strokeStyle = color;
    plot.ctx.lineWidth = 1;
    for (const time of (this.spec.marks ?? []).map((name) => predicted(run, name))) {
      if (typeof time !== "number" || this.place(time) > (plot.scales.x.max ?? 0)) continue;
      const x = Math.round(plot.valToPos(this.place(time), "x", true)) + 0.5;
      plot.ctx.setLineDash([3, 3]);
      plot.ctx.beginPath();
      plot.ctx.moveTo(x, plot.bbox.top);
      plot.ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
      plot.ctx.stroke();
      plot.ctx.setLineDash([]);
    }
    if (!run?.frame || run.isLive) return;
    const x = plot.valToPos(this.place(run.frame.t), "x", true);
    plot.ctx.fillStyle = color;
    plot.ctx.fillRect(x, plot.bbox.top, 1.5, plot.bbox.height);
  }

  private scrubTo(plot: uPlot): void {
    const [run] = this.player.runs;
    if (!run || plot.cursor.left === undefined) return;
    const x = plot.posToVal(plot.cursor.left, "x");
    this.player.scrub(run.history.indexAt(this.isLogTime ? 10 ** x : x));
  }
}

/** Room for the longest number beside an axis: as much as in the plots around it, or what it needs. */
function widthOf(_: uPlot, values: string[] | null): number {
  return Math.max(46, 10 + 6.5 * Math.max(0, ...(values ?? []).map((value) => value.length)));
}

/** Numbers with as many digits as it takes to tell them apart. */
export function toldApart(values: (number | null)[]): string[] {
  const shown = (digits: number): string[] => values.map((value) => (value === null ? "" : shortNumber(value, digits)));
  for (let digits = 3; digits < MOST_DIGITS; digits++) {
    const words = shown(digits).filter(Boolean);
    if (new Set(words).size === words.length) return shown(digits);
  }
  return shown(MOST_DIGITS);
}

/** Ticks of the axis of time, the second of which says so: there is room for it. */
function named(ticks: string[]): string[] {
  return ticks.map((tick, k) => (k === 1 && tick ? `t = ${tick}` : tick));
}

function valueAt(line: Line, t: number): number {
  let found = NaN;
  for (let k = 0; k < line.x.length && line.x[k] <= t; k++) found = line.y[k] ?? found;
  return found;
}

function lastTime(runs: Run[]): number {
  return Math.max(...runs.map((run) => run.history.times.at(-1) ?? 0), 0);
}

/** Lines with their own times as the columns of one table; of logarithmic times the powers of ten. Predictions end a little after what is measured. */
export function joined(lines: Line[], isLogTime: boolean, end: number): uPlot.AlignedData {
  const usable = (t: number): boolean => (!isLogTime || t > 0) && t <= end * 1.02;
  const times = [...new Set(lines.flatMap((line) => line.x))].filter(usable).sort((a, b) => a - b);
  const place = new Map(times.map((t, k) => [t, k]));
  const columns = lines.map((line) => {
    const column: (number | null | undefined)[] = new Array(times.length).fill(undefined);
    line.x.forEach((t, k) => {
      const row = place.get(t);
      if (row !== undefined) column[row] = line.y[k];
    });
    return column;
  });
  return [isLogTime ? times.map(Math.log10) : times, ...columns] as uPlot.AlignedData;
}
