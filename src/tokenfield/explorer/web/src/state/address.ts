/** The whole state of the page in its address: `#s=` and base64url of deflated JSON, or `?scene=` and a gallery id. */
import type { SceneState } from "../protocol/messages";
import { isSceneState } from "./check";
import { withSteps } from "./config";

const VERSION = 1;
/** Letters of an address: programs that it is sent with cut off longer ones. */
export const LONGEST = 8000;
/** Bytes that an address may unpack to: a message to the server has no more. */
const MOST_BYTES = 2 ** 20;

export interface Fragment {
  /** The fragment, without `#`. */
  text: string;
  /** Whether it holds what was done on the way too. */
  isWhole: boolean;
}

/** The fragment that stands for a state; if that is too long, or has too many steps, one that begins with the model as it is now. */
export async function fragmentOf(state: SceneState, mostSteps = Infinity): Promise<Fragment> {
  const text = await encodeState(state);
  const steps = Math.max(0, ...(state.standing ?? []).map((one) => one?.steps.length ?? 0));
  const isWhole = steps === 0 || (steps <= mostSteps && text.length <= LONGEST);
  return { text: isWhole ? text : await encodeState(withoutPast(state)), isWhole };
}

function withoutPast({ standing, ...state }: SceneState): SceneState {
  return { ...state, playing: true, systems: state.systems.map((config, k) => withSteps(config, standing?.[k]?.steps ?? [])) };
}

export async function encodeState(state: SceneState): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify({ v: VERSION, ...state })), new CompressionStream("deflate-raw"));
  return `s=${toBase64Url(packed)}`;
}

/** The state that a fragment stands for; null if there is none, undefined if there is one that this page cannot read. */
export async function decodeState(fragment: string): Promise<SceneState | null | undefined> {
  const packed = new URLSearchParams(fragment.replace(/^#/, "")).get("s");
  if (!packed) return null;
  try {
    const bytes = await through(fromBase64Url(packed), new DecompressionStream("deflate-raw"), MOST_BYTES);
    const { v, ...state } = JSON.parse(new TextDecoder().decode(bytes)) as SceneState & { v: number };
    // the pin of a single system was a number
    if (state.view && typeof state.view.pinned === "number") state.view.pinned = [state.view.pinned];
    return v === VERSION && isSceneState(state) ? state : undefined;
  } catch {
    return undefined;
  }
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** Bytes passed through a compression stream. Throws if more than `most` come out: a few bytes can stand for a disk full. */
export async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream, most = Infinity): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let count = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    count += next.value.length;
    if (count > most) {
      void reader.cancel();
      throw new Error(`more than ${most} bytes`);
    }
    parts.push(next.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}
