import { describe, expect, it } from "vitest";
import type { Listener } from "../src/protocol/connection";
import type { Frame } from "../src/protocol/frame";
import type { ClientMessage, Ready } from "../src/protocol/messages";
import { socketAddress } from "../src/protocol/connection";
import { read } from "../src/state/config";
import { Session } from "../src/state/session";

/** A server that only listens: tests answer for it. */
function mocked(): { session: Session; sent: ClientMessage[]; server: Listener } {
  const sent: ClientMessage[] = [];
  let server: Listener | null = null;
  const session = new Session((listener) => {
    server = listener;
    return { send: (message) => sent.push(message) };
  });
  return { session, sent, server: server! };
}

function ready(over: Partial<Ready> = {}): Ready {
  return { type: "ready", system: 0, config: {}, n: 2, d: 2, geometry: "sphere", state: "tokens", clock: "linear", speed: 0.1, t0: 0, t1: 30, grid: null, toml: "", python: "", predictions: [], curves: {}, ...over };
}

function frame(index: number, t: number): Frame {
  return { system: 0, index, t, projected: false, scalars: {}, arrays: { points: { data: new Float32Array(4), shape: [2, 2] } } };
}

const config = { attention: { beta: 9 }, initial: { n: 2 } };

describe("a session", () => {
  it("starts, shows and acknowledges what was drawn", () => {
    const { session, sent, server } = mocked();
    session.open({ systems: [config] });
    expect(sent.at(-1)).toEqual({ type: "start", system: 0, config, playing: true });
    server.frame(frame(9, 9));
    expect(session.runs[0].frame).toBeNull();
    server.message(ready());
    server.frame(frame(0, 0));
    server.frame(frame(1, 0.1));
    session.tick(0);
    session.tick(1);
    expect(sent.filter((one) => one.type === "ack")).toEqual([{ type: "ack", system: 0, index: 1 }]);
  });

  it("sends one edit at a time, the newest next, and goes on where tokens are", () => {
    const { session, sent, server } = mocked();
    session.open({ systems: [config] });
    server.message(ready());
    for (const beta of [8, 7, 6]) session.edit(0, { ...config, attention: { beta } });
    const changes = (): unknown[] => sent.filter((one) => one.type === "change").map((one) => read(one.config, "attention.beta"));
    expect(changes()).toEqual([8]);
    server.message(ready());
    expect(changes()).toEqual([8, 6]);
    expect(session.configOf(0)).toEqual({ ...config, attention: { beta: 6 } });
    session.edit(0, { ...config, initial: { n: 3 } });
    server.message(ready());
    expect(sent.at(-1)).toMatchObject({ type: "start" });
  });

  it("shows a refusal and takes the next edit", () => {
    const { session, sent, server } = mocked();
    session.open({ systems: [config] });
    server.message(ready());
    session.edit(0, { ...config, initial: { n: 1e9 } });
    server.message({ type: "error", system: 0, message: "too many" });
    expect(session.runs[0].error).toBe("too many");
    session.edit(0, config);
    expect(sent.at(-1)).toMatchObject({ type: "start", config });
  });

  it("scrubs, replays what is recorded and then goes on", () => {
    const { session, sent, server } = mocked();
    session.open({ systems: [config] });
    server.message(ready());
    for (let k = 0; k < 4; k++) server.frame(frame(k, k));
    session.scrub(1);
    expect([session.isPlaying, session.runs[0].frame!.t]).toEqual([false, 1]);
    expect(sent.at(-1)).toMatchObject({ type: "play", playing: false });
    session.toggle();
    expect(sent.at(-1)).toMatchObject({ type: "play", playing: false });
    session.tick(1000);
    session.tick(2000);
    expect(session.runs[0].frame!.t).toBe(3);
    expect(sent.at(-1)).toMatchObject({ type: "play", playing: true, speed: 0.1 });
    session.setPace(2);
    expect(sent.at(-1)).toMatchObject({ speed: 0.2 });
  });

  it("keeps its pace through changes, and through runs of another length", () => {
    const { session, sent, server } = mocked();
    session.open({ systems: [config], pace: 2 });
    server.message(ready());
    expect(sent.at(-1)).toMatchObject({ type: "play", speed: 0.2 });
    session.edit(0, { ...config, attention: { beta: 1 } });
    server.message(ready());
    expect(sent.at(-1)).toMatchObject({ type: "change" });
    session.edit(0, { ...config, solve: { t1: 60 } });
    server.message(ready({ speed: 0.2 }));
    expect(sent.at(-1)).toMatchObject({ type: "play", speed: 0.4 });
  });

  it("rests at the end, plays it again, and plays what is new", () => {
    const { session, sent, server } = mocked();
    session.tick(0); // before there is anything to play
    session.open({ systems: [config], playing: false });
    expect(sent.at(-1)).toMatchObject({ type: "start", playing: false });
    session.open({ systems: [config] });
    server.message(ready());
    for (const k of [0, 1, 2]) server.frame(frame(k, k));
    server.message({ type: "status", system: 0, state: "finished", message: "" });
    session.tick(0);
    expect(session.isPlaying).toBe(false);
    session.play(true);
    expect(session.runs[0].cursor).toBe(0);
    for (const now of [100, 200, 300]) session.tick(now);
    expect([session.isPlaying, session.runs[0].cursor]).toEqual([false, 2]);
    session.restart();
    expect(sent.at(-1)).toMatchObject({ type: "start", playing: true });
  });

  it("keeps two systems at the same time", () => {
    const { session, sent, server } = mocked();
    session.open({ systems: [config, { ...config, attention: { beta: 1 } }] });
    for (const system of [0, 1]) {
      server.message(ready({ system }));
      server.message({ type: "status", system, state: "running", message: "" });
    }
    const push = (system: number, index: number): void => server.frame({ ...frame(index, index), system });
    for (let k = 0; k < 3; k++) push(0, k);
    push(1, 0);
    session.tick(0);
    expect([session.runs[0].frame!.t, session.runs[1].frame!.t]).toEqual([0, 0]);
    expect(sent.filter((one) => one.type === "ack").map((one) => one.system)).toEqual([1]);
    push(1, 1);
    push(1, 2);
    session.tick(1);
    expect([session.runs[0].frame!.t, session.runs[1].frame!.t]).toEqual([2, 2]);
    expect(sent.filter((one) => one.type === "ack").map((one) => one.system)).toEqual([1, 0, 1]);
  });

  it("keeps what was done, and goes to where it stood", () => {
    const { session, sent, server } = mocked();
    session.open({ systems: [config] });
    server.message(ready());
    for (const k of [0, 1, 2]) server.frame(frame(k, k));
    const move = { t: 1, token: 0, point: [1, 0] };
    server.message({ type: "done", system: 0, number: 0, step: { t: 1, change: { attention: { beta: 5 } } } });
    server.message({ type: "done", system: 0, number: 0, step: { t: 1, change: { attention: { beta: 4 } } } });
    server.message({ type: "done", system: 0, number: 1, step: move });
    session.scrub(1);
    const steps = [{ t: 1, change: { attention: { beta: 4 } } }, move];
    const { scene } = session;
    expect(scene).toEqual({ systems: [config], standing: [{ steps, until: 2, seen: 1 }], pace: 1, playing: false });

    session.open(scene);
    expect(sent.at(-1)).toEqual({ type: "start", system: 0, config, playing: false, steps, until: 2, seen: 1 });
    expect([session.isReplaying, session.configOf(0)]).toEqual([true, { ...config, attention: { beta: 4 } }]);
    expect(session.scene).toEqual(scene);
    server.message(ready());
    server.message({ type: "status", system: 0, state: "replaying", message: "" });
    server.frame(frame(0, 0));
    expect(sent.at(-1)).toEqual({ type: "ack", system: 0, index: 0 }); // drawn or not
    server.frame(frame(1, 1));
    expect(session.runs[0].progress).toBe(0.5);
    steps.forEach((step, number) => server.message({ type: "done", system: 0, number, step }));
    server.frame(frame(2, 2));
    server.message(ready());
    server.message({ type: "status", system: 0, state: "paused", message: "" });
    expect([session.isReplaying, session.runs[0].frame!.t, session.isPlaying]).toEqual([false, 1, false]);
    expect(session.scene).toEqual(scene);
  });

  it("lets systems wait for each other where they stood, and then play on", () => {
    const { session, sent, server } = mocked();
    const standing = [{ steps: [], until: 1 }, { steps: [], until: 2 }];
    session.open({ systems: [config, config], standing });
    expect(sent.map((one) => one.type === "start" && one.playing)).toEqual([false, false]);
    for (const system of [0, 1]) server.message(ready({ system }));
    server.frame(frame(0, 1));
    server.message({ type: "status", system: 0, state: "paused", message: "" });
    const plays = (): ClientMessage[] => sent.filter((one) => one.type === "play" && one.playing);
    expect([session.isReplaying, plays()]).toEqual([true, []]);
    server.frame({ ...frame(0, 2), system: 1 });
    server.message({ type: "status", system: 1, state: "paused", message: "" });
    expect(plays().map((one) => one.system)).toEqual([0, 1]);
  });

  it("stays where a replay was stopped, or refused", () => {
    const { session, sent, server } = mocked();
    const steps = [0, 1].map((t) => ({ t, change: { attention: { beta: 7 - t } } }));
    session.open({ systems: [config], standing: [{ steps, until: 2 }] });
    server.message(ready());
    server.message({ type: "done", system: 0, number: 0, step: steps[0] });
    server.frame(frame(0, 0));
    session.halt();
    expect(sent.at(-1)).toEqual({ type: "halt", system: 0 });
    server.message({ type: "status", system: 0, state: "paused", message: "" });
    expect([session.isPlaying, read(session.configOf(0), "attention.beta")]).toEqual([false, 7]);
    expect(session.scene.standing).toEqual([{ steps: steps.slice(0, 1), until: 0 }]);

    session.open({ systems: [config], standing: [{ steps, until: 2 }] });
    server.message({ type: "status", system: 0, state: "failed", message: "too many" });
    expect([session.isReplaying, session.runs[0].error]).toEqual([false, "too many"]);
  });

  it("is at its end if it stood there", () => {
    const { session, server } = mocked();
    session.open({ systems: [config], standing: [{ steps: [], until: 30 }], playing: false });
    server.message(ready());
    for (const k of [0, 30]) server.frame(frame(k, k));
    server.message({ type: "status", system: 0, state: "finished", message: "" });
    session.play(true);
    expect(session.runs[0].cursor).toBe(0); // plays again what there was
  });

  it("finds the server, with the token of the page", () => {
    expect(socketAddress({ protocol: "http:", host: "127.0.0.1:80", search: "" })).toBe("ws://127.0.0.1:80/ws");
    expect(socketAddress({ protocol: "https:", host: "x", search: "?token=a b" })).toBe("wss://x/ws?token=a%20b");
  });
});
