/** The view of spaces of three coordinates: the sphere, R^3, and projections of spaces that nobody can see. */
import {
  ColorManagement,
  Color,
  Group,
  LinearSRGBColorSpace,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from "three";
import { pointsOf, type Frame } from "../protocol/frame";
import { css } from "../state/colors";
import { cholesky, gaussianOf, gaussianRadius } from "./gaussian";
import type { Orbit } from "./orbit";
import { Axes, Ball, Ellipsoids, Hull, Tokens, Trails } from "./parts";
import { nextExtent, REACH, tokenRadius, type Picture, type View } from "./picture";

const DISTANCE = 7.2;
const FIELD_OF_VIEW = 20;

ColorManagement.enabled = false;

export class SpaceView implements View {
  readonly element = document.createElement("div");
  private readonly canvas = document.createElement("canvas");
  private readonly marks = document.createElement("canvas");
  private readonly renderer: WebGLRenderer;
  private readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.1, 100);
  private readonly scene = new Scene();
  private readonly world = new Group();
  private readonly tokens = new Tokens([0.9, 0.62, 0]);
  private readonly trails = new Trails(this.tokens.uniforms);
  private readonly ball = new Ball(this.tokens.uniforms);
  private readonly hull = new Hull(this.tokens.uniforms, [0.34, 0.7, 0.91]);
  private readonly axes = new Axes(this.tokens.uniforms);
  private readonly ellipsoids = new Ellipsoids([0.34, 0.7, 0.91]);
  private width = 0;
  private height = 0;
  private extent = 1;
  private picture: Picture | null = null;

  constructor(private readonly orbit: Orbit) {
    this.element.className = "view";
    this.canvas.className = this.marks.className = "layer";
    this.element.append(this.canvas, this.marks);
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.outputColorSpace = LinearSRGBColorSpace;
    this.world.add(this.ball.object, this.axes.object, this.trails.object, this.hull.object, this.ellipsoids.object, this.tokens.object);
    this.scene.add(this.world);
  }

  resize(width: number, height: number): void {
    if (width === this.width && height === this.height) return;
    [this.width, this.height] = [width, height];
    this.renderer.setPixelRatio(pixelRatio());
    this.renderer.setSize(width, height, false);
    this.marks.width = width * pixelRatio();
    this.marks.height = height * pixelRatio();
    this.camera.aspect = width / Math.max(height, 1);
  }

  draw(picture: Picture): void {
    this.picture = picture;
    this.aim();
    this.place(picture);
    const { theme } = picture;
    const onSphere = picture.geometry === "sphere" && !picture.frame.projected;
    const fog = onSphere ? theme.body : theme.paper;
    this.tokens.uniforms.fog.value = new Vector3(...fog);
    this.tokens.uniforms.reach.value = 1;
    const n = pointsOf(picture.frame)?.n ?? 0;
    this.tokens.uniforms.size.value = 2 * tokenRadius(n, Math.min(this.width, this.height)) * pixelRatio();
    this.tokens.uniforms.nearest.value = DISTANCE / Math.sqrt(this.orbit.zoom);
    this.tokens.show(picture);
    this.trails.show(picture, fog);
    this.ball.object.visible = picture.geometry === "sphere";
    if (this.ball.object.visible) this.ball.show(picture);
    this.axes.object.visible = picture.geometry === "euclidean";
    this.axes.show(theme, this.extent);
    this.hull.object.visible = false;
    if (picture.geometry === "euclidean" && !picture.frame.projected && picture.state === "tokens") this.hull.show(picture);
    this.showGaussian(picture.frame);
    this.renderer.setClearColor(new Color(...theme.paper));
    this.renderer.render(this.scene, this.camera);
    this.mark(picture);
  }

  tokenAt(x: number, y: number): number | null {
    const points = this.picture && pointsOf(this.picture.frame);
    if (!points) return null;
    let best: number | null = null;
    let least = Infinity;
    for (let token = 0; token < points.n; token++) {
      const { x: px, y: py, depth } = this.project(token);
      const away = Math.hypot(px - x, py - y);
      // of two tokens at one place of the screen the nearer one is meant
      if (away < REACH && away + 8 * depth < least) [best, least] = [token, away + 8 * depth];
    }
    return best;
  }

  pointAt(token: number, x: number, y: number): number[] | null {
    if (!this.picture || this.picture.frame.projected || this.picture.dimension !== 3) return null;
    const eye = this.camera.position.clone();
    const way = new Vector3((2 * x) / this.width - 1, 1 - (2 * y) / this.height, 0.5).unproject(this.camera).sub(eye).normalize();
    const hit = this.picture.geometry === "sphere" ? onUnitSphere(eye, way) : this.besideToken(token, eye, way);
    return this.world.worldToLocal(hit).toArray();
  }

  placeOf(token: number): { x: number; y: number } | null {
    return this.picture && token < (pointsOf(this.picture.frame)?.n ?? 0) ? this.project(token) : null;
  }

  paint(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number): void {
    context.drawImage(this.canvas, x, y, width, height);
    context.drawImage(this.marks, x, y, width, height);
  }

  private aim(): void {
    // a narrow view sees the whole ball as well
    const narrow = Math.max(1, 1 / this.camera.aspect);
    this.camera.position.set(0, 0, (DISTANCE * narrow ** 0.94) / this.orbit.zoom ** 0.999);
    this.camera.near = Math.max(this.camera.position.z - 3, 0.05);
    this.camera.far = this.camera.position.z + 3;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }

  private place(picture: Picture): void {
    if (picture.geometry === "euclidean") this.extent = nextExtent(this.extent, largestRadius(picture));
    else this.extent = 1;
    this.world.quaternion.copy(this.orbit.rotation);
    this.world.scale.setScalar(1 / this.extent);
    this.world.updateMatrixWorld(true);
  }

  private showGaussian(frame: Frame): void {
    const law = gaussianOf(frame);
    this.ellipsoids.object.visible = law?.mean.length === 3;
    if (law && this.ellipsoids.object.visible) this.ellipsoids.show(law.mean, cholesky(law.covariance));
  }

  private besideToken(token: number, eye: Vector3, way: Vector3): Vector3 {
    const { data } = pointsOf(this.picture!.frame)!;
    const at = this.world.localToWorld(new Vector3(...data.subarray(3 * token, 3 * token + 3)));
    return eye.clone().addScaledVector(way, (at.z - eye.z) / way.z);
  }

  private project(token: number): { x: number; y: number; depth: number } {
    const { data, d } = pointsOf(this.picture!.frame)!;
    const at = new Vector3(data[token * d], data[token * d + 1], d > 2 ? data[token * d + 2] : 0);
    const depth = 1 - this.world.localToWorld(at).z;
    at.project(this.camera);
    return { x: ((at.x + 1) / 2) * this.width, y: ((1 - at.y) / 2) * this.height, depth };
  }

  private mark(picture: Picture): void {
    const context = this.marks.getContext("2d")!;
    context.setTransform(pixelRatio(), 0, 0, pixelRatio(), 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    const radius = tokenRadius(pointsOf(picture.frame)?.n ?? 0, Math.min(this.width, this.height));
    for (const token of new Set([picture.hovered, picture.pinned])) {
      if (token === null || token >= (pointsOf(picture.frame)?.n ?? 0)) continue;
      const { x, y } = this.project(token);
      context.strokeStyle = css(picture.theme.ink);
      context.lineWidth = token === picture.pinned ? 2 : 1.25;
      context.beginPath();
      context.arc(x, y, radius + 4.5, 0, 2 * Math.PI);
      context.stroke();
    }
    if (picture.words) this.write(context, picture, picture.words, radius);
    if (picture.geometry === "euclidean") {
      context.fillStyle = css(picture.theme.quiet);
      context.font = "12px system-ui, sans-serif";
      context.fillText(`scale: ${this.extent}`, 14, this.height - 14);
    }
  }

  private write(context: CanvasRenderingContext2D, picture: Picture, words: string[], radius: number): void {
    context.font = "600 13px system-ui, sans-serif";
    context.lineWidth = 3.5;
    context.lineJoin = "round";
    context.strokeStyle = css(picture.theme.paper, 0.85);
    words.forEach((word, token) => {
      const { x, y, depth } = this.project(token);
      context.globalAlpha = depth > 1 ? 0.5 : 1;
      context.strokeText(word, x + radius + 5, y + 4);
      context.fillStyle = css(picture.theme.ink);
      context.fillText(word, x + radius + 5, y + 4);
    });
    context.globalAlpha = 1;
  }
}

export function pixelRatio(): number {
  return Math.min(window.devicePixelRatio || 1, 2);
}

function largestRadius(picture: Picture): number {
  const points = pointsOf(picture.frame);
  let largest = 0;
  if (points)
    for (let token = 0; token < points.n; token++)
      largest = Math.max(largest, Math.hypot(...points.data.subarray(token * points.d, (token + 1) * points.d)));
  return Math.max(largest, gaussianRadius(picture.frame));
}

/** Where a ray meets the unit sphere first, or the point of the sphere that is nearest to the ray. */
function onUnitSphere(eye: Vector3, way: Vector3): Vector3 {
  const along = -eye.dot(way);
  const nearest = eye.clone().addScaledVector(way, along);
  const inside = 1 - nearest.lengthSq();
  return inside > 0 ? nearest.addScaledVector(way, -Math.sqrt(inside)) : nearest.normalize();
}
