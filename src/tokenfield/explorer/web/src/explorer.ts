/** The explorer: puts the panels together and lets them follow the session. */
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { socketAddress } from "./protocol/connection";
import { Header } from "./panels/header";
import { Controls } from "./panels/controls";
import { element } from "./panels/element";
import { listenToKeys } from "./panels/keys";
import { Plots } from "./panels/plots";
import { AddressBar } from "./panels/opening";
import { Replaying } from "./panels/replaying";
import { Theatre } from "./panels/theatre";
import { Theory } from "./panels/theory";
import { Tour } from "./panels/tour";
import { Transport } from "./panels/transport";
import type { SceneState } from "./protocol/messages";
import { Counts } from "./state/counts";
import { Session } from "./state/session";
import { recallTheme } from "./state/theme";

const PLOT_MS = 140;
/** How old the time in the address may be: browsers allow only so many changes of it. */
const TIME_MS = 1500;

recallTheme();
const session = Session.over(socketAddress(window.location));
const theatre = new Theatre(session, session, () => address.remember());
const transport = new Transport(session, session);
const controls = new Controls(session);
const plots = new Plots(session);
const theory = new Theory(session);
const tour = new Tour((scene) => open(scene));
const replaying = new Replaying(session);
const address: AddressBar = new AddressBar(state, () => header.takeAway());
const header: Header = new Header({ session, theatre, plots, controls, tour, open, state, restyle });
const live = element("p", { class: "hidden", "aria-live": "polite" });

function open(scene: SceneState): void {
  session.open(scene);
  theatre.look(scene.view);
}

function state(): SceneState {
  return { ...session.scene, view: theatre.view };
}

function restyle(): void {
  theatre.restyle();
  plots.rebuild();
}

document.querySelector("#explorer")!.replaceChildren(
  header.element,
  element(
    "main",
    {},
    controls.element,
    element("div", { class: "center", id: "stage" }, theatre.element, replaying.element, address.element, tour.element, transport.element),
    element("aside", { class: "findings", "aria-label": "Measured and predicted" }, plots.element, theory.element),
  ),
  live,
);

let plotted = 0;
let isStale = true;
const counts = new Counts(session);

session.subscribe((change) => {
  theatre.touch();
  isStale = true;
  if (change === "frame") counts.received();
  if (change === "hello" && session.hello) {
    header.greet(session.hello);
    tour.load(session.hello);
    controls.build(session.hello);
    if (session.runs.length > 0) open(state()); // the server was away: it goes to where it was
    else void address.opening(session.hello, window.location.href).then(open);
  }
  if (change === "scene" || change === "ready") controls.sync();
  if (session.runs.length > 0) address.remember(change === "frame" ? TIME_MS : undefined);
  if (change === "status") live.textContent = session.isConnected ? session.runs.map((run) => run.error ?? run.state).join(", ") : "The server cannot be reached.";
  document.documentElement.classList.toggle("offline", !session.isConnected);
});

function tick(now: number): void {
  if (theatre.draw()) {
    counts.drawn(now);
    transport.update();
    replaying.update();
    header.drawn();
  }
  session.tick(now);
  if (isStale && now - plotted > PLOT_MS) {
    plotted = now;
    isStale = false;
    plots.update();
    theory.update();
  }
  requestAnimationFrame(tick);
}

listenToKeys(session, header);
// an address that is pasted; the page may write its own over it before it hears of it
window.addEventListener("hashchange", ({ newURL }) => {
  if (session.hello) void address.opening(session.hello, newURL).then(open);
});
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
requestAnimationFrame(tick);
