/** The parts of the space view, each a three.js object that knows how to show a picture: tokens, trails, ball, hull. */
import {
  BufferAttribute,
  BufferGeometry,
  DataTexture,
  DynamicDrawUsage,
  EdgesGeometry,
  Group,
  LinearFilter,
  LineSegments,
  Matrix4,
  Mesh,
  Points,
  RepeatWrapping,
  ShaderMaterial,
  SphereGeometry,
  Vector3,
} from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import { pointsOf, type Frame, type Tensor } from "../protocol/frame";
import { ALONE, mix, type Rgb } from "../state/colors";
import { heat, tintTable, type Theme } from "../state/theme";
import { glowOf, sizesOf, type Picture } from "./picture";
import { isDrawnBySoftware } from "./software";
import { ballMaterial, haloMaterial, lineMaterial, tokenMaterial, trailMaterial, uniforms, vector, veilMaterial } from "./shaders";

const MAX_SEGMENTS = 24_000;
const MAX_SEGMENTS_BY_SOFTWARE = 8_000;
const MAX_HULL = 4000;
/** The drawn ball is a little smaller than the sphere, so that tokens lie on it. */
const RADIUS = 0.995;

function attribute(geometry: BufferGeometry, name: string, count: number, size: number): Float32Array {
  const found = geometry.getAttribute(name) as BufferAttribute | undefined;
  if (!found || found.array.length < count * size) {
    const fresh = new BufferAttribute(new Float32Array(Math.max(count, 16) * size), size);
    fresh.setUsage(DynamicDrawUsage);
    geometry.setAttribute(name, fresh);
    return fresh.array as Float32Array;
  }
  found.needsUpdate = true;
  return found.array as Float32Array;
}

/** Tokens as shaded discs, with halos where attention goes. */
export class Tokens {
  readonly uniforms = uniforms();
  readonly object = new Group();
  private readonly geometry = new BufferGeometry();
  private readonly halos: Points;

  constructor(accent: Rgb, isSmooth: boolean) {
    const discs = new Points(this.geometry, tokenMaterial(this.uniforms, isSmooth));
    this.halos = new Points(this.geometry, haloMaterial(this.uniforms, accent));
    discs.frustumCulled = this.halos.frustumCulled = false;
    this.halos.renderOrder = 3;
    discs.renderOrder = 2;
    this.object.add(discs, this.halos);
  }

  show(picture: Picture): void {
    const points = pointsOf(picture.frame);
    const n = points?.n ?? 0;
    const position = attribute(this.geometry, "position", n, 3);
    const color = attribute(this.geometry, "tint", n, 3);
    const mass = attribute(this.geometry, "mass", n, 1);
    const glow = attribute(this.geometry, "glow", n, 1);
    const shares = glowOf(picture.frame);
    const sizes = sizesOf(picture.frame);
    const { colors } = picture.frame;
    const tints = tintTable(picture.theme);
    for (let token = 0; points && token < n; token++) {
      for (let k = 0; k < 3; k++) position[3 * token + k] = k < points.d ? points.data[token * points.d + k] : 0;
      const index = 3 * (colors?.[token] ?? ALONE);
      for (let k = 0; k < 3; k++) color[3 * token + k] = tints[index + k];
      mass[token] = sizes[token];
      glow[token] = shares?.[token] ?? 0;
    }
    this.geometry.setDrawRange(0, n);
    this.halos.visible = shares !== null;
    this.uniforms.dim.value = shares ? 1 : 0;
  }
}

/** The ways that tokens have come, fading with age. */
export class Trails {
  readonly object: LineSegments<BufferGeometry, ShaderMaterial>;
  private readonly geometry = new BufferGeometry();

  constructor(shared: ReturnType<typeof uniforms>) {
    this.object = new LineSegments(this.geometry, trailMaterial(shared));
    this.object.frustumCulled = false;
    this.object.renderOrder = 1;
  }

  show(picture: Picture): void {
    const n = pointsOf(picture.frame)?.n ?? 0;
    const frames = [...picture.trail, picture.frame].filter((frame) => pointsOf(frame)?.n === n);
    // a density has no tokens, hence no ways
    const steps = n > 0 ? Math.max(frames.length - 1, 0) : 0;
    const stride = Math.max(1, Math.ceil((n * steps) / (isDrawnBySoftware() ? MAX_SEGMENTS_BY_SOFTWARE : MAX_SEGMENTS)));
    const shown = Math.floor(n / stride);
    const position = attribute(this.geometry, "position", 2 * shown * steps, 3);
    const color = attribute(this.geometry, "tint", 2 * shown * steps, 3);
    const youth = attribute(this.geometry, "youth", 2 * shown * steps, 1);
    const tints = tintTable(picture.theme);
    const { colors } = picture.frame;
    let vertex = 0;
    for (let step = 0; step < steps; step++)
      for (const end of [0, 1]) {
        // all lines of a step, first their beginnings and then their ends: every other vertex
        const { data, d } = pointsOf(frames[step + end])!;
        const young = ((step + end) / steps) ** 1.4 * 0.7;
        for (let line = 0; line < shown; line++) {
          const token = line * stride;
          const place = 2 * (step * shown + line) + end;
          const at = 3 * place;
          const index = 3 * (colors?.[token] ?? ALONE);
          for (let k = 0; k < 3; k++) {
            position[at + k] = k < d ? data[token * d + k] : 0;
            color[at + k] = tints[index + k];
          }
          youth[place] = young;
        }
        vertex += shown;
      }
    this.geometry.setDrawRange(0, vertex);
  }
}

/** The unit sphere with faint meridians and parallels, or with a density painted on it. */
export class Ball {
  readonly object = new Group();
  private readonly body = new Mesh(new SphereGeometry(RADIUS, 160, 96).rotateX(Math.PI / 2), ballMaterial());
  private readonly grid: LineSegments<BufferGeometry, ShaderMaterial>;
  private texture: DataTexture | null = null;

  constructor(shared: ReturnType<typeof uniforms>) {
    this.grid = new LineSegments(graticule(), lineMaterial(shared));
    this.grid.material.depthWrite = false;
    this.object.add(this.body, this.grid);
  }

  show(picture: Picture): void {
    const { theme } = picture;
    const density = picture.state === "density" ? onSphere(picture) : null;
    const { uniforms } = this.body.material;
    uniforms.body.value = vector(theme.body);
    uniforms.edge.value = vector(mix(theme.body, theme.quiet, 0.55));
    uniforms.mapped.value = density ? 1 : 0;
    if (density) uniforms.map.value = this.painted(density, theme);
    const color = attribute(this.grid.geometry, "tint", this.grid.geometry.getAttribute("position").count, 3);
    const faint = mix(theme.body, theme.quiet, theme.isDark ? 0.34 : 0.3);
    for (let k = 0; k < color.length; k += 3) color.set(faint, k);
    this.grid.visible = !density;
  }

  private painted({ data, shape: [rows, columns] }: Tensor, theme: Theme): DataTexture {
    if (this.texture?.image.width !== columns || this.texture.image.height !== rows) {
      this.texture?.dispose();
      this.texture = new DataTexture(new Uint8Array(4 * rows * columns), columns, rows);
      this.texture.magFilter = this.texture.minFilter = LinearFilter;
      this.texture.wrapS = RepeatWrapping;
    }
    const pixels = this.texture.image.data as Uint8Array;
    const scale = heatScale(data);
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        const color = heat(scale(data[row * columns + column]), theme.ramp);
        // the texture of a ball begins on the far side of the first axis
        const pixel = 4 * (row * columns + ((column + columns / 2) % columns));
        for (let k = 0; k < 3; k++) pixels[pixel + k] = 255 * color[k];
        pixels[pixel + 3] = 255;
      }
    this.texture.needsUpdate = true;
    return this.texture;
  }
}

/** The convex hull of tokens in R^3, and the frame that shows how large the space is. */
export class Hull {
  readonly object = new Group();
  private readonly faces: Mesh;
  private readonly edges: LineSegments;
  private shown: Frame | null = null;

  constructor(shared: ReturnType<typeof uniforms>, accent: Rgb) {
    this.faces = new Mesh(new BufferGeometry(), veilMaterial(accent, 0.07));
    this.edges = new LineSegments(new BufferGeometry(), lineMaterial(shared));
    this.object.add(this.faces, this.edges);
  }

  show(picture: Picture): void {
    const points = pointsOf(picture.frame);
    this.object.visible = points !== null && points.n > 3 && points.n <= MAX_HULL;
    if (!points || !this.object.visible || this.shown === picture.frame) return;
    this.shown = picture.frame;
    const corners = Array.from({ length: points.n }, (_, k) => new Vector3(...points.data.subarray(3 * k, 3 * k + 3)));
    this.faces.geometry.dispose();
    this.edges.geometry.dispose();
    this.faces.geometry = new ConvexGeometry(corners);
    this.edges.geometry = new EdgesGeometry(this.faces.geometry, 0.5);
    const color = attribute(this.edges.geometry, "tint", this.edges.geometry.getAttribute("position").count, 3);
    const faint = mix(picture.theme.paper, picture.theme.quiet, 0.55);
    for (let k = 0; k < color.length; k += 3) color.set(faint, k);
  }
}

/** The coordinate axes of R^3, as long as the frame of the view. */
export class Axes {
  readonly object: LineSegments<BufferGeometry, ShaderMaterial>;

  constructor(shared: ReturnType<typeof uniforms>) {
    const ends = [-1, 1].flatMap((end) => [end, 0, 0]).concat([0, -1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1]);
    this.object = new LineSegments(new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(ends), 3)), lineMaterial(shared));
  }

  show(theme: Theme, extent: number): void {
    const color = attribute(this.object.geometry, "tint", 6, 3);
    for (let k = 0; k < 18; k += 3) color.set(mix(theme.paper, theme.quiet, 0.5), k);
    this.object.scale.setScalar(extent);
  }
}

/** A Gaussian law as the ellipsoids that hold most of it: m + r L u, where L L^T is the covariance. */
export class Ellipsoids {
  readonly object = new Group();

  constructor(accent: Rgb) {
    for (const radius of [1, 2]) {
      const shell = new Mesh(new SphereGeometry(radius, 48, 32), veilMaterial(accent, radius === 1 ? 0.3 : 0.14));
      shell.matrixAutoUpdate = false;
      this.object.add(shell);
    }
  }

  show(mean: ArrayLike<number>, factor: number[][]): void {
    const [a, b, c] = factor;
    const matrix = new Matrix4().set(a[0], a[1], a[2], mean[0], b[0], b[1], b[2], mean[1], c[0], c[1], c[2], mean[2], 0, 0, 0, 1);
    for (const shell of this.object.children) {
      shell.matrix.copy(matrix);
      shell.matrixWorldNeedsUpdate = true;
    }
  }
}

/** A density on the sphere as rows from the south pole to the north, each from longitude 0 on; null if it has none. */
export function onSphere({ frame, grid }: Pick<Picture, "frame" | "grid">): Tensor | null {
  const density = frame.arrays.density;
  if (!density) return null;
  if (grid?.cosines) return fromAxis(density.data, grid.cosines);
  if (density.shape.length !== 2) return null;
  const [rows, columns] = density.shape;
  const isFromNorth = grid?.heights !== undefined && grid.heights[0] > grid.heights[rows - 1];
  if (!isFromNorth) return density;
  const flipped = new Float32Array(density.data.length);
  for (let row = 0; row < rows; row++) flipped.set(density.data.subarray(row * columns, (row + 1) * columns), (rows - 1 - row) * columns);
  return { data: flipped, shape: density.shape };
}

/** A function of the cosine with the first axis, on all of the sphere. */
function fromAxis(values: ArrayLike<number>, cosines: number[]): Tensor {
  const [rows, columns] = [64, 128];
  const order = cosines.map((_, k) => k).sort((a, b) => cosines[a] - cosines[b]);
  const data = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const latitude = ((row + 0.5) / rows - 0.5) * Math.PI;
      const x = Math.cos(latitude) * Math.cos((2 * Math.PI * column) / columns);
      const above = order.findIndex((k) => cosines[k] >= x);
      data[row * columns + column] = values[order[above < 0 ? order.length - 1 : above]];
    }
  return { data, shape: [rows, columns] };
}

/** Shares between 0 and 1 from the least to the largest value of a density; what hardly differs looks the same. */
export function heatScale(data: ArrayLike<number>): (value: number) => number {
  let [least, largest] = [Infinity, -Infinity];
  for (let k = 0; k < data.length; k++) {
    least = Math.min(least, data[k]);
    largest = Math.max(largest, data[k]);
  }
  const span = Math.max(largest - least, 0.1);
  return (value) => Math.max((value - least) / span, 0) ** 0.7;
}

function graticule(): BufferGeometry {
  const places: number[] = [];
  const around = 96;
  const point = (latitude: number, longitude: number): void => {
    const flat = RADIUS * Math.cos(latitude);
    places.push(flat * Math.cos(longitude), flat * Math.sin(longitude), RADIUS * Math.sin(latitude));
  };
  for (let k = 0; k < around; k++) {
    const [from, to] = [(2 * Math.PI * k) / around, (2 * Math.PI * (k + 1)) / around];
    for (const latitude of [-60, -30, 0, 30, 60]) for (const end of [from, to]) point((latitude * Math.PI) / 180, end);
    for (let meridian = 0; meridian < 6; meridian++) for (const end of [from, to]) point(end, (meridian * Math.PI) / 6);
  }
  return new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
}
