/** The messages that page and server exchange as JSON over the WebSocket. Frames are binary: see frame.ts. */

/** The tables of a config file as JSON: `{attention: {kind: "softmax", beta: 9}, ...}`. */
export type Tables = Record<string, unknown>;

export interface Parameter {
  name: string;
  default: unknown;
  meaning: string;
  required?: boolean;
}

/** One kind of the catalog: an attention, a normalization, an initial law, ... */
export interface Kind {
  name: string;
  about: string;
  equation: string;
  source: string[];
  parameters: Parameter[];
  in_config: boolean;
  /** Kinds that cannot go with this one, as `category:name`, each with the reason. */
  excludes: { kind: string; reason: string }[];
}

/** The kinds by category: geometry, attention, normalization, ... */
export type Catalog = Record<string, Kind[]>;

export interface GalleryScene {
  id: string;
  title: string;
  text: string;
  source: string;
  config: Tables;
}

/** Something that was done to a system while it ran: tables that replace those of the same name, or a token put elsewhere. */
export type Step = { t: number; change: Tables } | { t: number; token: number; point: number[] };

/** Where a system stands: what was done to it on the way, and up to when it was computed. */
export interface Standing {
  steps: Step[];
  until: number;
  /** The time of the frame that is shown, if it is not the last one. */
  seen?: number;
}

/** What a scene is: one or two configs, what was done to them, and how one looks at them. A shared address holds it. */
export interface SceneState {
  /** The configs that the systems start with. */
  systems: Tables[];
  /** Where the systems stand; those without start from their beginning. */
  standing?: (Standing | null)[];
  /** How fast frames go through time: 1 is 300 frames for the whole run. */
  pace?: number;
  playing?: boolean;
  view?: ViewState;
}

export interface ViewState {
  rotation?: [number, number, number, number];
  zoom?: number;
  trails?: boolean;
  /** The token that is pinned in each system. */
  pinned?: (number | null)[];
}

export interface SentenceModel {
  name: string;
  title: string;
  kind: string;
  layers: number;
  fetched: boolean;
  how: string;
}

export interface Hello {
  type: "hello";
  version: string;
  limits: { n: number; d: number; heads: number; changes: number };
  catalog: { categories: Record<string, string>; kinds: Catalog };
  gallery: GalleryScene[];
  tour: TourStep[];
  sentences: { models: SentenceModel[] };
}

export interface TourStep {
  /** The id of a scene of the gallery. */
  scene: string;
  title: string;
  text: string;
  /** What to try with it. */
  try?: string;
}

export interface Prediction {
  name: string;
  value: unknown;
  text: string;
  statement: string;
  assumptions: string[];
  source: string;
  status?: string;
  topic?: string;
  applies: boolean;
  reason: string;
}

export type Curve = [number, number][];

export interface Ready {
  type: "ready";
  system: number;
  config: Tables;
  n: number;
  d: number;
  geometry: "sphere" | "euclidean";
  state: "tokens" | "density" | "gaussian";
  clock: "linear" | "log";
  /** Units of time for each frame, or with a logarithmic clock the factor of it, at pace 1. */
  speed: number;
  t0: number;
  t1: number;
  grid: Grid | null;
  notes?: string[];
  /** Why time cannot be logarithmic here, and why positions and noise cannot be chosen; null where they can. */
  refused?: { log: string | null; unlike: string | null };
  /** Config and program; null for runs that no config describes. */
  toml: string | null;
  python: string | null;
  predictions: Prediction[];
  curves: Record<string, Curve | null>;
}

/** Where the values of a density are: at angles, at heights and longitudes, or at cosines with an axis. */
export interface Grid {
  shape: number[];
  angles?: number[];
  heights?: number[];
  longitudes?: number[];
  cosines?: number[];
}

/** What theory says; it comes after `ready`, because it may take a while. */
export interface Predictions {
  type: "predictions";
  system: number;
  predictions: Prediction[];
  curves: Record<string, Curve | null>;
}

export type RunState = "compiling" | "replaying" | "running" | "paused" | "finished" | "failed";

export interface Status {
  type: "status";
  system: number;
  state: RunState;
  message: string;
}

export interface Failure {
  type: "error";
  system: number | null;
  message: string;
}

/** The program of a system, with what was changed while it ran. */
export interface Program {
  type: "program";
  system: number;
  python: string;
}

/** What was done to a system, and when: step `number` of them all, which may have been another one before. */
export interface Done {
  type: "done";
  system: number;
  number: number;
  step: Step;
}

export type ServerMessage = Hello | Ready | Predictions | Status | Program | Done | Failure;

export type ClientMessage =
  | ({ type: "start"; system: number; config: Tables; playing: boolean; speed?: number } & Partial<Standing>)
  | { type: "change"; system: number; config: Tables }
  | { type: "play"; system: number; playing: boolean; speed: number }
  | { type: "step"; system: number }
  | { type: "move"; system: number; token: number; point: number[] }
  | { type: "attend"; system: number; token: number | null }
  | { type: "program"; system: number }
  | { type: "halt"; system: number }
  | { type: "ack"; system: number; index: number }
  | { type: "stop"; system: number };
