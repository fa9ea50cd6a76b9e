/** From where one looks at a space: a rotation and a zoom, shared by the stages of systems that are compared. */
import { Euler, Quaternion, Vector3 } from "three";

const RADIANS_PER_PIXEL = 0.0065;

export class Orbit {
  readonly rotation = new Quaternion();
  zoom = 1;

  constructor() {
    this.reset();
  }

  /** The third coordinate up, seen from a little above. */
  reset(): void {
    this.rotation.setFromEuler(new Euler(-Math.PI / 2 + 0.38, 0, -0.5));
    this.zoom = 1;
  }

  /** Turns what is seen by a way of the pointer in pixels. */
  turn(dx: number, dy: number): void {
    const right = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), dx * RADIANS_PER_PIXEL);
    const down = new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), dy * RADIANS_PER_PIXEL);
    this.rotation.premultiply(right).premultiply(down).normalize();
  }

  scale(factor: number): void {
    this.zoom = Math.min(Math.max(this.zoom * factor, 0.4), 12);
  }
}
