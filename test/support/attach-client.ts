/** An attach WebSocket as a test wants it: what came, in order, and a way to wait for more. */
import { WebSocket } from "ws";
import { decodeBinaryFrame, type BinaryFrame, type ServerMessage } from "../../src/protocol/attach-frames.ts";
import { tokens } from "./memory-service.ts";

export type Frame = BinaryFrame | ServerMessage;

export class AttachClient implements Disposable {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  #wake: (() => void) | undefined;

  constructor(address: string, token: string = tokens.admin) {
    this.socket = new WebSocket(address, ["lectern.v1", `lectern.bearer.${token}`]);
    this.socket.on("message", (data: Buffer, isBinary) => {
      this.frames.push(isBinary ? decodeBinaryFrame(data)! : (JSON.parse(data.toString()) as ServerMessage));
      this.#wake?.();
    });
    this.closed = new Promise((resolve, reject) => {
      this.socket.on("close", (code) => {
        resolve(code);
        this.#wake?.();
      });
      this.socket.on("error", reject);
    });
  }

  /** All output that came, joined. */
  get output(): Buffer {
    return Buffer.concat(this.frames.map((frame) => (frame.type === "output" ? frame.bytes : Buffer.of())));
  }

  ofType<Type extends Frame["type"]>(type: Type): Extract<Frame, { type: Type }>[] {
    return this.frames.filter((frame): frame is Extract<Frame, { type: Type }> => frame.type === type);
  }

  /** Resolves as soon as it is true; a test's own time limit ends a wait that never does. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }
}
