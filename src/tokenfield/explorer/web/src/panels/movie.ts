/** Pictures and movies of the stages: PNG by the canvas, MP4 and WebM by the recorder of the browser. */
import { css } from "../state/colors";
import { readTheme } from "../state/theme";
import type { Theatre } from "./theatre";

const PICTURE_SCALE = 2;
const FRAMES_PER_SECOND = 30;

/** A kind of movie that this browser can make. */
export interface MovieKind {
  name: string;
  ending: "mp4" | "webm";
  type: string;
}

/** H.264 plays everywhere; browsers that cannot make it make WebM. */
const KINDS: MovieKind[] = [
  { name: "MP4 (H.264)", ending: "mp4", type: "video/mp4;codecs=avc1.640028" },
  { name: "MP4 (H.264)", ending: "mp4", type: "video/mp4;codecs=avc1.42E01F" },
  { name: "WebM", ending: "webm", type: "video/webm" },
];

/** The kinds of movies that this browser can make, the best of each ending. */
export function movieKinds(): MovieKind[] {
  const possible = KINDS.filter(({ type }) => typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported(type));
  return possible.filter((kind, k) => possible.findIndex(({ ending }) => ending === kind.ending) === k);
}

/** The stages as one canvas, as they are now. */
function painted(theatre: Theatre, scale: number, canvas = document.createElement("canvas")): HTMLCanvasElement {
  const box = theatre.element.getBoundingClientRect();
  // codecs of movies want even sides
  const [width, height] = [2 * Math.round((box.width * scale) / 2), 2 * Math.round((box.height * scale) / 2)];
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

  /** Records what is drawn from now on; `done` gets the movie when `stop` is called. */
  start({ type }: MovieKind, done: (movie: Blob) => void): void {
    painted(this.theatre, 1, this.canvas);
    const recorder = new MediaRecorder(this.canvas.captureStream(FRAMES_PER_SECOND), { mimeType: type, videoBitsPerSecond: 8e6 });
    const parts: Blob[] = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.onstop = () => done(new Blob(parts, { type }));
    recorder.start();
    this.recorder = recorder;
    document.documentElement.classList.add("recording");
  }

  stop(): void {
    this.recorder?.stop();
    this.recorder = null;
    document.documentElement.classList.remove("recording");
  }

  /** To be called after each drawn picture. */
  drawn(): void {
    if (this.recorder) painted(this.theatre, 1, this.canvas);
  }
}
