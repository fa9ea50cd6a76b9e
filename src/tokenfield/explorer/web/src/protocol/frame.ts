/** Binary frames: a little-endian length, a JSON header, then arrays, each padded to four bytes. */

export type Numbers = Float32Array | Uint16Array | Uint8Array;

export interface Tensor {
  data: Numbers;
  shape: number[];
}

/** One system at one time. `colors` are indices of the palette, filled in when the frame enters a history. */
export interface Frame {
  system: number;
  index: number;
  t: number;
  projected: boolean;
  scalars: Record<string, number>;
  arrays: Record<string, Tensor>;
  colors?: Uint8Array;
}

interface ArrayHeader {
  name: string;
  dtype: "f4" | "u2" | "u1";
  shape: number[];
}

const KINDS = { f4: Float32Array, u2: Uint16Array, u1: Uint8Array } as const;

/** The header and the arrays of a packed buffer. Throws if the buffer is shorter than its header says. */
export function unpack(buffer: ArrayBuffer): { header: Record<string, unknown>; arrays: Record<string, Tensor> } {
  if (buffer.byteLength < 4) throw new Error("a frame without a header");
  const length = new DataView(buffer).getUint32(0, true);
  if (4 + length > buffer.byteLength) throw new Error("a frame shorter than its header");
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as Record<string, unknown>;
  const arrays: Record<string, Tensor> = {};
  let offset = padded(4 + length);
  for (const { name, dtype, shape } of (header.arrays ?? []) as ArrayHeader[]) {
    const kind = KINDS[dtype];
    const size = shape.reduce((product, side) => product * side, 1);
    if (offset + size * kind.BYTES_PER_ELEMENT > buffer.byteLength) throw new Error(`array ${name} is cut off`);
    arrays[name] = { data: new kind(buffer, offset, size), shape };
    offset = padded(offset + size * kind.BYTES_PER_ELEMENT);
  }
  return { header, arrays };
}

/** The frame that a binary message holds. */
export function decodeFrame(buffer: ArrayBuffer): Frame {
  const { header, arrays } = unpack(buffer);
  const { system = 0, index = 0, t = 0, projected = false, scalars = {} } = header as Partial<Frame>;
  return { system, index, t, projected, scalars, arrays };
}

/** The points of a frame and how many coordinates each has; null for states without points. */
export function pointsOf(frame: Frame): { data: Numbers; n: number; d: number } | null {
  const points = frame.arrays.points;
  return points ? { data: points.data, n: points.shape[0], d: points.shape[1] } : null;
}

/** How many bytes the arrays of a frame take. */
export function bytesOf(frame: Frame): number {
  return Object.values(frame.arrays).reduce((sum, { data }) => sum + data.byteLength, 0);
}

function padded(offset: number): number {
  return (offset + 3) & ~3;
}
