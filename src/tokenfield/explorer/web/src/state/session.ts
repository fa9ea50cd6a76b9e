/**
 * The live session: systems that the server computes, and everything that can be asked of them.
 *
 * Edits are sent one at a time for each system, the newest one next, so that a dragged slider never queues work.
 */
import { Connection, type Listener } from "../protocol/connection";
import type { Frame } from "../protocol/frame";
import type { ClientMessage, Hello, Ready, RunState, SceneState, ServerMessage, Standing, Tables } from "../protocol/messages";
import { canonical, needsStart, write } from "./config";
import { scrubTogether, type Change, type Player } from "./player";
import { Run } from "./run";

const ANSWER_MS = 4000;
const REPLAY_MS = 33;
/** The states of a system that is not yet where it stood. */
const ON_THE_WAY: RunState[] = ["compiling", "replaying"];
/** How long runs are unless their config says so: a staircase of merging clusters is one of powers of ten. */
const LENGTH = { linear: 30, log: 1e30 } as const;

export class Session implements Player {
  runs: Run[] = [];
  hello: Hello | null = null;
  isPlaying = true;
  isConnected = false;
  /** How fast frames go through time: 1 is 300 frames for the whole run. */
  pace = 1;
  private readonly connection: { send(message: ClientMessage): void };
  private readonly listeners: ((change: Change) => void)[] = [];
  private readonly waiting = new Map<number, Tables>();
  private readonly asked = new Map<number, number>();
  private readonly drawn = new Map<number, number>();
  private readonly programs = new Map<number, (python: string) => void>();
  private replayedAt = 0;
  /** Nothing plays because all systems have come to their end, not because somebody paused. */
  private hasEnded = false;

  constructor(connect: (listener: Listener) => { send(message: ClientMessage): void }) {
    this.connection = connect({
      message: (message) => this.receive(message),
      frame: (frame) => this.receiveFrame(frame),
      lost: () => this.lose(),
    });
  }

  static over(address: string): Session {
    return new Session((listener) => new Connection(address, listener));
  }

  subscribe(listener: (change: Change) => void): void {
    this.listeners.push(listener);
  }

  /** Opens a scene: its systems start from their initial laws, or go to where they stood. */
  open(scene: SceneState): void {
    this.pace = scene.pace ?? 1;
    this.isPlaying = scene.playing ?? true;
    this.hasEnded = false;
    for (const run of this.runs.slice(scene.systems.length)) this.connection.send({ type: "stop", system: run.system });
    this.runs = scene.systems.slice(0, 2).map((config, system) => new Run(system, config));
    for (const run of this.runs) run.target = scene.standing?.[run.system] ?? null;
    for (const run of this.runs) {
      run.pinned = scene.view?.pinned?.[run.system] ?? null;
      this.start(run, run.target);
    }
    this.changed("scene");
  }

  /** The systems, what was done to them and where they stand, as `open` takes it. */
  get scene(): SceneState {
    const { runs, pace, isPlaying: playing } = this;
    return { systems: runs.map((run) => run.started), standing: runs.map((run) => run.standing), pace, playing };
  }

  /** Whether systems are on their way to where they stood. */
  get isReplaying(): boolean {
    return this.runs.some((run) => run.target !== null);
  }

  /** Ends the way to where systems stood: they stay where they are. */
  halt(): void {
    this.isPlaying = false;
    for (const run of this.runs) if (run.target) this.connection.send({ type: "halt", system: run.system });
    this.changed("transport");
  }

  /** Goes on with other tables: from where the tokens are if that is possible, else from the start. */
  edit(system: number, config: Tables): void {
    const run = this.runs[system];
    if (!run || canonical(run.config) === canonical(config)) return;
    this.waiting.set(system, config);
    this.sendEdits();
    this.changed("scene");
  }

  /** The tables that a system has, or will have once the server has taken them. */
  configOf(system: number): Tables {
    return this.waiting.get(system) ?? this.runs[system]?.config ?? {};
  }

  /** Puts a second system beside the first, or takes it away. */
  compare(config: Tables | null): void {
    if (!this.runs[0]) return;
    const systems = config ? [this.configOf(0), config] : [this.configOf(0)];
    if (config) this.open({ systems, pace: this.pace, playing: this.isPlaying });
    else {
      this.connection.send({ type: "stop", system: 1 });
      this.runs = this.runs.slice(0, 1);
      this.changed("scene");
    }
  }

  toggle(): void {
    this.play(!this.isPlaying);
  }

  play(isPlaying: boolean): void {
    // at the end, playing is playing again what there was
    if (isPlaying && this.hasEnded && this.runs[0]?.isLive) scrubTogether(this.runs, 0);
    this.isPlaying = isPlaying;
    this.hasEnded = false;
    this.sendPlay();
    this.changed("transport");
  }

  step(by: number): void {
    if (this.isPlaying) this.play(false);
    const [first] = this.runs;
    if (!first) return;
    if (by > 0 && first.isLive) for (const run of this.runs) this.connection.send({ type: "step", system: run.system });
    else this.scrub(first.cursor + by);
  }

  restart(): void {
    for (const run of this.runs) this.start(run);
    this.changed("scene");
  }

  scrub(index: number): void {
    if (this.isPlaying) this.play(false);
    scrubTogether(this.runs, index);
    this.changed("transport");
  }

  get clock(): "linear" | "log" {
    return this.runs[0]?.ready?.clock ?? "linear";
  }

  setPace(pace: number): void {
    this.pace = pace;
    this.sendPlay();
    this.changed("transport");
  }

  /** Linear time, or time that grows by a factor for each frame, with merging; the systems start again. */
  setClock(clock: "linear" | "log"): void {
    for (const run of this.runs) {
      const merged = write(this.configOf(run.system), "solve.merge", clock === "log" ? true : undefined);
      this.edit(run.system, write(merged, "solve.t1", LENGTH[clock]));
    }
  }

  /** The program that does again what was seen of a system, with all that was changed on the way. */
  program(system: number): Promise<string> {
    this.connection.send({ type: "program", system });
    return new Promise((resolve) => this.programs.set(system, resolve));
  }

  move(system: number, token: number, point: number[]): void {
    scrubTogether(this.runs, this.runs[0].history.length - 1);
    // less than a pixel is lost, and the address is shorter
    this.connection.send({ type: "move", system, token, point: point.map((x) => Number(x.toPrecision(6))) });
  }

  pin(system: number, token: number | null): void {
    this.runs[system].pinned = token;
    this.attend(system);
  }

  hover(system: number, token: number | null): void {
    const run = this.runs[system];
    if (!run || run.hovered === token) return;
    run.hovered = token;
    this.attend(system);
  }

  /** To be called once for each drawn picture: tells the server what was drawn, and replays what is recorded. */
  tick(now: number): void {
    const slowest = this.slowest();
    for (const run of this.runs) {
      const index = run.history.last?.index ?? -1;
      if (index === this.drawn.get(run.system) || run.isStarting || index < 0) continue;
      // who is ahead waits: frames that are not acknowledged hold the server back
      if (run.history.last!.t > slowest) continue;
      this.acknowledge(run.system, index);
    }
    const [first] = this.runs;
    if (this.isPlaying && first && !first.isLive && now - this.replayedAt > REPLAY_MS) {
      this.replayedAt = now;
      scrubTogether(this.runs, first.cursor + 1);
      if (first.isLive) this.sendPlay();
      this.changed("transport");
    }
    this.endTogether();
  }

  private acknowledge(system: number, index: number): void {
    this.drawn.set(system, index);
    this.connection.send({ type: "ack", system, index });
  }

  /** The time of the system that is behind, of those that still go on; infinite if there is none to wait for. */
  private slowest(): number {
    if (this.runs.length < 2 || !this.isPlaying) return Infinity;
    const going = this.runs.filter((run) => run.isStarting || run.state === "running" || run.state === "compiling");
    return Math.min(...going.map((run) => (run.isStarting ? -Infinity : (run.history.last?.t ?? -Infinity))), Infinity);
  }

  /** Plays again after the end, because there is something new to see. */
  private resume(): void {
    if (!this.hasEnded) return;
    this.hasEnded = false;
    this.isPlaying = true;
  }

  /** Stops playing when all systems are at their end and the last frame is shown. */
  private endTogether(): void {
    if (!this.isPlaying || this.runs.length === 0 || !this.runs.every((run) => run.state === "finished" && run.isLive)) return;
    this.isPlaying = false;
    this.hasEnded = true;
    this.changed("transport");
  }

  private start(run: Run, target: Standing | null = null): void {
    this.resume();
    this.waiting.delete(run.system);
    run.start(target);
    this.drawn.delete(run.system);
    const { started: config, system } = run;
    // who comes first to where it stood waits there for the other
    this.connection.send({ type: "start", system, config, playing: this.isPlaying && !this.isReplaying, ...target });
  }

  /** A system has come to where it stood, or to where that ended; when all have, they go on as they did. */
  private arrive(run: Run): void {
    const { seen } = run.target!;
    if (!run.arrive()) this.isPlaying = false;
    else if (seen !== undefined && run.isLive) run.cursor = run.history.indexAt(seen);
    this.changed("ready");
    if (this.isReplaying) return;
    const [first] = this.runs;
    const isLive = first.cursor >= first.history.length - 1;
    for (const one of this.runs) one.isLive = isLive;
    this.hasEnded = !this.isPlaying && isLive && this.runs.every((one) => one.state === "finished");
    this.sendPlay();
    this.changed("transport");
  }

  private sendEdits(): void {
    for (const [system, config] of this.waiting) {
      const run = this.runs[system];
      if (!run || performance.now() - (this.asked.get(system) ?? -Infinity) < ANSWER_MS) continue;
      this.waiting.delete(system);
      this.asked.set(system, performance.now());
      const fromStart = run.isStarting || needsStart(run.accepted, config);
      run.config = config;
      if (fromStart) this.start(run);
      else {
        this.connection.send({ type: "change", system, config });
        if (this.hasEnded) {
          this.resume();
          this.sendPlay();
        }
      }
      if (!run.isLive) scrubTogether(this.runs, this.runs[0].history.length - 1);
    }
  }

  private answered(system: number): void {
    this.asked.delete(system);
    this.sendEdits();
  }

  private sendPlay(): void {
    // while the past is replayed the server waits
    const playing = this.isPlaying && (this.runs[0]?.isLive ?? true) && !this.isReplaying;
    for (const { system, ready } of this.runs)
      if (ready) this.connection.send({ type: "play", system, playing, speed: speedOf(ready, this.pace) });
  }

  private attend(system: number): void {
    const run = this.runs[system];
    this.connection.send({ type: "attend", system, token: run.hovered ?? run.pinned });
    this.changed("look");
  }

  private receive(message: ServerMessage): void {
    if (message.type === "hello") {
      this.hello = message;
      this.isConnected = true;
      this.changed("hello");
      return;
    }
    const run = this.runs[message.system ?? 0];
    if (!run) return;
    if (message.type === "ready") {
      if (run.isStarting) run.clear();
      // until theory has answered, what it said before stays
      if (!run.isStarting && run.ready) Object.assign(message, { predictions: run.ready.predictions, curves: run.ready.curves });
      // a new system plays at pace 1, and one that was changed as it did before
      const isOtherSpeed = run.isStarting ? this.pace !== 1 : message.speed !== run.ready?.speed;
      run.ready = message;
      if (isOtherSpeed) this.sendPlay();
      run.isStarting = false;
      run.error = null;
      run.accepted = run.config;
      if (run.pinned !== null && run.pinned >= message.n) run.pinned = null;
      if (run.pinned !== null) this.attend(run.system);
      this.answered(run.system);
      this.changed("ready");
    } else if (message.type === "predictions") {
      if (run.ready) Object.assign(run.ready, { predictions: message.predictions, curves: message.curves });
      this.changed("ready");
    } else if (message.type === "status") {
      run.state = message.state;
      run.message = message.message;
      if (message.state === "failed") run.error = message.message;
      if (message.state === "failed" && run.isStarting) this.answered(run.system);
      if (run.target && !ON_THE_WAY.includes(message.state)) this.arrive(run);
      this.changed("status");
    } else if (message.type === "done") {
      if (!run.isStarting) run.steps.splice(message.number, Infinity, message.step);
      this.changed("look");
    } else if (message.type === "program") {
      this.programs.get(run.system)?.(message.python);
    } else {
      // a change that is refused leaves the system as it was
      run.error = message.message;
      this.answered(run.system);
      this.changed("status");
    }
  }

  private receiveFrame(frame: Frame): void {
    const run = this.runs[frame.system];
    if (!run || run.isStarting) return;
    run.push(frame);
    if (run.target) this.acknowledge(run.system, frame.index);
    else this.showTogether();
    this.changed("frame");
  }

  /** Systems side by side are shown at the same time, that of the one which is behind. */
  private showTogether(): void {
    const t = this.slowest();
    if (this.runs.some((run) => !run.isLive)) return;
    for (const run of this.runs) run.cursor = t < (run.history.last?.t ?? 0) ? run.history.indexAt(t) : run.history.length - 1;
  }

  private lose(): void {
    this.isConnected = false;
    for (const run of this.runs) run.isStarting = true;
    this.changed("status");
  }

  private changed(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }
}

/** The speed that the server is told: steps of linear time scale with the pace, factors are raised to it. */
function speedOf(ready: Ready, pace: number): number {
  return ready.clock === "log" ? ready.speed ** pace : ready.speed * pace;
}
