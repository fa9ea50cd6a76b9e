/** Whether what came in an address is a state. What its configs and steps ask for is checked by the server. */
import type { SceneState, Tables } from "../protocol/messages";

type Check = (value: unknown) => boolean;

const MOST_SYSTEMS = 2;

const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isBoolean: Check = (value) => typeof value === "boolean";
const isToken: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isTable = (value: unknown): value is Tables => value !== null && typeof value === "object" && !Array.isArray(value);
const orNull = (check: Check): Check => (value) => value === null || check(value);
const between = (low: number, high: number): Check => (value) => isNumber(value) && (value as number) >= low && (value as number) <= high;
const list = (check: Check, least = 0, most = Infinity): Check => (value) => Array.isArray(value) && value.length >= least && value.length <= most && value.every(check);

/** A table with these entries and no others; those whose name ends in `?` may be left out. */
const table = (entries: Record<string, Check>): Check => {
  const checks = new Map(Object.entries(entries).map(([name, check]) => [name.replace("?", ""), { check, isNeeded: !name.endsWith("?") }]));
  return (value) =>
    isTable(value) &&
    Object.keys(value).every((name) => checks.has(name)) &&
    [...checks].every(([name, { check, isNeeded }]) => (value[name] === undefined ? !isNeeded : check(value[name])));
};

const change = table({ t: isNumber, change: isTable });
const move = table({ t: isNumber, token: isToken, point: list(isNumber, 1) });
const view = table({
  "rotation?": (value) => list(isNumber, 4, 4)(value) && Math.hypot(...(value as number[])) > 0.1,
  "zoom?": between(0.1, 100),
  "trails?": isBoolean,
  "pinned?": orNull(list(orNull(isToken), 0, MOST_SYSTEMS)),
});
const standing = table({ steps: list((step) => change(step) || move(step)), until: isNumber, "seen?": isNumber });
const scene = table({
  systems: list(isTable, 1, MOST_SYSTEMS),
  "standing?": list(orNull(standing), 0, MOST_SYSTEMS),
  "pace?": between(1e-3, 1e3),
  "playing?": isBoolean,
  "view?": view,
});

export function isSceneState(value: unknown): value is SceneState {
  return scene(value);
}
