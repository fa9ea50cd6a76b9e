/** The WebSocket to the server: typed messages out, messages and frames in, and one more try when it is lost. */
import { decodeFrame, type Frame } from "./frame";
import type { ClientMessage, ServerMessage } from "./messages";

export interface Listener {
  message(message: ServerMessage): void;
  frame(frame: Frame): void;
  lost(): void;
}

const RETRY_MS = 1500;

export class Connection {
  private socket: WebSocket | null = null;

  constructor(
    private readonly address: string,
    private readonly listener: Listener,
  ) {
    this.open();
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  send(message: ClientMessage): void {
    if (this.isOpen) this.socket?.send(JSON.stringify(message));
  }

  private open(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data === "string") this.listener.message(JSON.parse(data) as ServerMessage);
      else this.listener.frame(decodeFrame(data));
    };
    socket.onclose = () => {
      this.listener.lost();
      setTimeout(() => this.open(), RETRY_MS);
    };
    this.socket = socket;
  }
}

/** Where the server listens, seen from the page; a token in the page's address travels with it. */
export function socketAddress(page: { protocol: string; host: string; search: string }): string {
  const token = new URLSearchParams(page.search).get("token");
  const query = token ? `?token=${encodeURIComponent(token)}` : "";
  return `${page.protocol === "https:" ? "wss" : "ws"}://${page.host}/ws${query}`;
}
