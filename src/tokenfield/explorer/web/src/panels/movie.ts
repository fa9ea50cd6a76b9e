/** Pictures and movies of the stages: PNG by the canvas, WebM by the recorder of the browser. */
import { css } from "../state/colors";
import { readTheme } from "../state/theme";
import type { Theatre } from "./theatre";

const PICTURE_SCALE = 2;
const FRAMES_PER_SECOND = 30;

/** The stages as one canvas, as they are now. */
function painted(theatre: Theatre, scale: number, canvas = document.createElement("canvas")): HTMLCanvasElement {
  const box = theatre.element.getBoundingClientRect();
  const [width, height] = [Math.round(box.width * scale), Math.round(box.height * scale)];
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d")!;
  context.fillStyle = css(readTheme().paper);
  context.fillRect(0, 0, width, height);
  theatre.paint(context, scale);
  return canvas;
}

export function takePicture(theatre: Theatre): Promise<Blob> {
  return new Promise((resolve, reject) => {
    painted(theatre, PICTURE_SCALE).toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser made no picture"))), "image/png");
  });
}

export class Movie {
  private canvas = document.createElement("canvas");
  private recorder: MediaRecorder | null = null;

  constructor(private readonly theatre: Theatre) {}

  get isRecording(): boolean {
    return this.recorder !== null;
  }

  static get isPossible(): boolean {
    return typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported("video/webm");
  }

  /** Records what is drawn from now on; `done` gets the movie when `stop` is called. */
  start(done: (movie: Blob) => void): void {
    painted(this.theatre, 1, this.canvas);
    const recorder = new MediaRecorder(this.canvas.captureStream(FRAMES_PER_SECOND), { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
    const parts: Blob[] = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.onstop = () => done(new Blob(parts, { type: "video/webm" }));
    recorder.start();
    this.recorder = recorder;
  }

  stop(): void {
    this.recorder?.stop();
    this.recorder = null;
  }

  /** To be called after each drawn picture. */
  drawn(): void {
    if (this.recorder) painted(this.theatre, 1, this.canvas);
  }
}
