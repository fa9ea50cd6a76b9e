/** The whole state of the page in its address: `#s=` and base64url of deflated JSON, or `?scene=` and a gallery id. */
import type { SceneState } from "../protocol/messages";

const VERSION = 1;

/** The fragment, without `#`, that stands for a state. */
export async function encodeState(state: SceneState): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify({ v: VERSION, ...state })), new CompressionStream("deflate-raw"));
  return `s=${toBase64Url(packed)}`;
}

/** The state that a fragment stands for; null if there is none, or one that this page cannot read. */
export async function decodeState(fragment: string): Promise<SceneState | null> {
  const packed = new URLSearchParams(fragment.replace(/^#/, "")).get("s");
  if (!packed) return null;
  try {
    const bytes = await through(fromBase64Url(packed), new DecompressionStream("deflate-raw"));
    const state = JSON.parse(new TextDecoder().decode(bytes)) as SceneState & { v: number };
    return state.v === VERSION && Array.isArray(state.systems) && state.systems.length > 0 ? state : null;
  } catch {
    return null;
  }
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** Bytes passed through a compression stream. */
export async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream): Promise<Uint8Array<ArrayBuffer>> {
  const passed = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(passed).arrayBuffer());
}

function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
}
