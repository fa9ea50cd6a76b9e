/** Frames as the server packs them, for tests. */
interface Given {
  dtype: "f4" | "u2" | "u1";
  shape: number[];
  values: number[];
}

const KINDS = { f4: Float32Array, u2: Uint16Array, u1: Uint8Array };

export function packed(header: object, arrays: Record<string, Given>): ArrayBuffer {
  const listed = Object.entries(arrays).map(([name, { dtype, shape }]) => ({ name, dtype, shape }));
  const text = new TextEncoder().encode(JSON.stringify({ ...header, arrays: listed }));
  const length = new Uint8Array(new Uint32Array([text.length]).buffer);
  const parts = [length, text, ...Object.values(arrays).map(({ dtype, values }) => new Uint8Array(new KINDS[dtype](values).buffer))];
  const bytes = parts.flatMap((part, k) => (k === 0 ? [...part] : [...part, ...new Uint8Array((4 - (part.length % 4)) % 4)]));
  return new Uint8Array(bytes).buffer;
}
