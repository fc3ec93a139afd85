/** One connection to a server of Codex: JSON-RPC without a version, one message in each text frame of a WebSocket over a unix socket. */
import { connect } from "node:net";
import { WebSocket } from "ws";
import { waits } from "../../../core/waits.ts";
import { asObject, asText, fieldsOf, type JsonObject } from "../../../core/wire/shape.ts";

/** Histories are not asked for; an item with the output of a command has some MiB. */
const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;
/** Texts as they grow are in the items at their end. */
const LEFT_OUT = [
  "item/agentMessage/delta",
  "item/commandExecution/outputDelta",
  "item/fileChange/outputDelta",
  "item/plan/delta",
  "item/reasoning/summaryPartAdded",
  "item/reasoning/summaryTextDelta",
  "item/reasoning/textDelta",
];

export interface ConnectionHandlers {
  /** Of the server, in its order: a notification, or a request with an `id`. */
  readonly onMessage: (message: JsonObject) => void;
}

export class CodexConnection {
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, PromiseWithResolvers<JsonObject>>();
  /** Resolves when it is over. */
  readonly closed: Promise<void>;
  #lastId = 0;

  private constructor(socket: WebSocket, { onMessage }: ConnectionHandlers) {
    this.#socket = socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    socket.on("message", (data: Buffer) => this.#take(data.toString("utf8"), onMessage));
    // What failed is over as well: its requests are rejected.
    socket.on("error", () => {});
    socket.on("close", () => {
      for (const { reject } of this.#answers.values())
        reject(new Error("The server of Codex has closed the connection"));
      this.#answers.clear();
      resolve();
    });
  }

  /** Rejects if the server does not answer `initialize` in time. */
  static async open(socketPath: string, version: string, handlers: ConnectionHandlers): Promise<CodexConnection> {
    const socket = new WebSocket("ws://localhost/", {
      createConnection: () => connect(socketPath),
      perMessageDeflate: false,
      // The answer to a request is taken before the message after it.
      allowSynchronousEvents: false,
      handshakeTimeout: waits.startMs,
      maxPayload: MESSAGE_BYTES_MAX,
    });
    const connection = new CodexConnection(socket, handlers);
    const opened = Promise.withResolvers<void>();
    socket.on("open", opened.resolve);
    socket.on("error", opened.reject);
    await opened.promise;
    try {
      await connection.call("initialize", {
        clientInfo: { name: "lectern", title: "Lectern", version },
        capabilities: { experimentalApi: true, optOutNotificationMethods: LEFT_OUT },
      });
      connection.send({ method: "initialized" });
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** The result. Rejects with the server's reason, and if it does not answer in time. */
  async call(method: string, params: JsonObject): Promise<JsonObject> {
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<JsonObject>();
    this.#answers.set(id, waiting);
    const timer = setTimeout(
      () => waiting.reject(new Error(`The server of Codex did not answer "${method}" in ${waits.startMs} ms`)),
      waits.startMs,
    );
    try {
      this.send({ id, method, params });
      return await waiting.promise;
    } finally {
      clearTimeout(timer);
      this.#answers.delete(id);
    }
  }

  send(message: JsonObject): void {
    this.#socket.send(JSON.stringify(message));
  }

  /** Stops reading, so that the server waits. */
  set isPaused(isPaused: boolean) {
    if (isPaused) this.#socket.pause();
    else this.#socket.resume();
  }

  close(): void {
    this.#socket.terminate();
  }

  #take(text: string, onMessage: ConnectionHandlers["onMessage"]): void {
    const message = parsed(text);
    if (message === undefined) return;
    if (message["method"] !== undefined) return onMessage(message);
    const { error, id, result } = message;
    const waiting = typeof id === "number" ? this.#answers.get(id) : undefined;
    if (error === undefined) waiting?.resolve(fieldsOf(result));
    else waiting?.reject(new Error(asText(fieldsOf(error)["message"]) ?? "The server of Codex refused a request"));
  }
}

function parsed(text: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}
