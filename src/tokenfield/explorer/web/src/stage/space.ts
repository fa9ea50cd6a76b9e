/**
 * The view of spaces of three coordinates: the sphere, R^3, and projections of spaces that nobody can see.
 *
 * Where no graphics card helps, shading the ball takes longer than all tokens: there what lies behind the tokens (the ball,
 * the axes) is drawn once while one looks from the same place, into a canvas of its own, and edges are not smoothed.
 */
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
import { shortNumber } from "../state/numbers";
import { css } from "../state/colors";
import { cholesky, gaussianOf, gaussianRadius } from "./gaussian";
import { Labels } from "./labels";
import type { Orbit } from "./orbit";
import { Axes, Ball, Ellipsoids, Hull, Tokens, Trails } from "./parts";
import { nextExtent, REACH, tokenRadius, type Picture, type View } from "./picture";
import { isDrawnBySoftware } from "./software";

const DISTANCE = 7.2;
const FIELD_OF_VIEW = 20;

ColorManagement.enabled = false;

export class SpaceView implements View {
  readonly element = document.createElement("div");
  private readonly ground = document.createElement("canvas");
  private readonly canvas = document.createElement("canvas");
  private readonly marks = document.createElement("canvas");
  private readonly renderer: WebGLRenderer;
  private readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.1, 100);
  private readonly scene = new Scene();
  private readonly world = new Group();
  private readonly front = new Group();
  private readonly paper = new Color();
  private readonly tokens = new Tokens([0.9, 0.62, 0], !isDrawnBySoftware());
  private readonly trails = new Trails(this.tokens.uniforms);
  private readonly ball = new Ball(this.tokens.uniforms);
  private readonly hull = new Hull(this.tokens.uniforms, [0.34, 0.7, 0.91]);
  private readonly axes = new Axes(this.tokens.uniforms);
  private readonly ellipsoids = new Ellipsoids([0.34, 0.7, 0.91]);
  private width = 0;
  private height = 0;
  private extent = 1;
  private picture: Picture | null = null;
  private readonly labels = new Labels();
  private readonly isLayered = isDrawnBySoftware();
  /** What the last picture had behind its tokens, and what the ground shows of it. */
  private behind = "";
  private grounded = "";
  private isMarked = false;

  constructor(private readonly orbit: Orbit) {
    this.element.className = "view";
    this.ground.className = this.canvas.className = this.marks.className = "layer";
    this.element.append(this.ground, this.canvas, this.marks);
    this.renderer = new WebGLRenderer({ canvas: this.canvas, alpha: this.isLayered, antialias: !this.isLayered, preserveDrawingBuffer: true });
    this.renderer.outputColorSpace = LinearSRGBColorSpace;
    this.front.add(this.trails.object, this.hull.object, this.ellipsoids.object, this.tokens.object);
    this.world.add(this.ball.object, this.axes.object, this.front);
    this.scene.add(this.world);
  }

  resize(width: number, height: number): void {
    if (width === this.width && height === this.height) return;
    [this.width, this.height] = [width, height];
    this.renderer.setPixelRatio(pixelRatio());
    this.renderer.setSize(width, height, false);
    for (const layer of [this.ground, this.marks]) {
      layer.width = width * pixelRatio();
      layer.height = height * pixelRatio();
    }
    this.behind = this.grounded = "";
    this.isMarked = true;
    this.camera.aspect = width / Math.max(height, 1);
  }

  draw(picture: Picture): void {
    this.picture = picture;
    this.aim();
    this.place(picture);
    const { theme } = picture;
    const onSphere = picture.geometry === "sphere" && !picture.frame.projected;
    const fog = onSphere ? theme.body : theme.paper;
    (this.tokens.uniforms.fog.value as Vector3).set(...fog);
    const n = pointsOf(picture.frame)?.n ?? 0;
    this.tokens.uniforms.size.value = 2 * tokenRadius(n, Math.min(this.width, this.height)) * pixelRatio();
    this.tokens.uniforms.nearest.value = DISTANCE / Math.sqrt(this.orbit.zoom);
    this.tokens.show(picture);
    this.trails.show(picture);
    this.hull.object.visible = false;
    if (picture.geometry === "euclidean" && !picture.frame.projected && picture.state === "tokens") this.hull.show(picture);
    this.showGaussian(picture.frame);
    this.render(picture);
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
    if (!this.picture) return null;
    const eye = this.camera.position.clone();
    const way = new Vector3((2 * x) / this.width - 1, 1 - (2 * y) / this.height, 0.5).unproject(this.camera).sub(eye).normalize();
    const { geometry, frame } = this.picture;
    const hit = geometry === "sphere" && !frame.projected ? onUnitSphere(eye, way) : this.besideToken(token, eye, way);
    // what is seen of a sphere of more dimensions lies in the ball
    if (geometry === "sphere" && frame.projected) hit.clampLength(0, 1);
    return this.world.worldToLocal(hit).toArray();
  }

  placeOf(token: number): { x: number; y: number } | null {
    return this.picture && token < (pointsOf(this.picture.frame)?.n ?? 0) ? this.project(token) : null;
  }

  paint(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number): void {
    if (!this.ground.hidden) context.drawImage(this.ground, x, y, width, height);
    context.drawImage(this.canvas, x, y, width, height);
    context.drawImage(this.marks, x, y, width, height);
  }

  /** Draws the tokens above what lies behind them; that too, if it is not as it was in the last picture. */
  private render(picture: Picture): void {
    const { theme, geometry, frame } = picture;
    const density = frame.arrays.density ? `${frame.index} ${frame.t}` : "";
    const behind = [...this.orbit.rotation.toArray(), this.orbit.zoom, this.extent, theme.isDark, geometry, frame.projected, density].join(" ");
    const isResting = this.isLayered && behind === this.behind;
    this.behind = behind;
    if (!isResting || behind !== this.grounded) {
      this.ball.object.visible = geometry === "sphere";
      if (this.ball.object.visible) this.ball.show(picture);
      this.axes.object.visible = geometry === "euclidean";
      this.axes.show(theme, this.extent);
    }
    this.renderer.setClearColor(this.paper.setRGB(...theme.paper), 1);
    if (isResting && behind !== this.grounded) {
      this.drawGround();
      this.grounded = behind;
    }
    this.ground.hidden = !isResting;
    if (isResting) {
      this.ball.object.visible = this.axes.object.visible = false;
      this.renderer.setClearColor(this.paper, 0);
    }
    this.renderer.render(this.scene, this.camera);
  }

  /** What is drawn once may take its time: it is drawn at twice its size, so that its edges are smooth. */
  private drawGround(): void {
    const { width, height } = this.ground;
    this.front.visible = false;
    this.renderer.setDrawingBufferSize(width, height, 2);
    this.renderer.render(this.scene, this.camera);
    this.ground.getContext("2d")!.drawImage(this.canvas, 0, 0, width, height);
    this.renderer.setDrawingBufferSize(this.width, this.height, pixelRatio());
    this.front.visible = true;
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
    const hasMarks = picture.hovered !== null || picture.pinned !== null || picture.words !== null || picture.geometry === "euclidean";
    if (!hasMarks && !this.isMarked) return;
    this.isMarked = hasMarks;
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
      context.fillText(`scale: ${shortNumber(this.extent)}`, 14, this.height - 14);
    }
  }

  private write(context: CanvasRenderingContext2D, picture: Picture, words: string[], radius: number): void {
    context.font = "600 13px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    const places = words.map((_, token) => this.project(token));
    const anchors = words.map((word, token) => ({ ...places[token], width: context.measureText(word).width }));
    // the one that is pointed at chooses first, then those in front
    const rank = (token: number): number => (token === picture.hovered ? -Infinity : places[token].depth);
    const order = words.map((_, token) => token).sort((a, b) => rank(a) - rank(b));
    const labels = this.labels.place(anchors, order, radius, this.width, this.height);
    labels.forEach((label, token) => {
      if (!label) return;
      context.globalAlpha = places[token].depth > 1 && token !== picture.hovered ? 0.6 : 1;
      if (label.line) {
        context.strokeStyle = css(picture.theme.quiet, 0.6);
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(places[token].x, places[token].y);
        context.lineTo(label.line.x, label.line.y);
        context.stroke();
      }
      context.strokeStyle = css(picture.theme.paper, 0.85);
      context.lineWidth = 3.5;
      context.strokeText(words[token], label.x, label.y);
      context.fillStyle = css(picture.theme.ink);
      context.fillText(words[token], label.x, label.y);
    });
    context.globalAlpha = 1;
    context.textBaseline = "alphabetic";
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
