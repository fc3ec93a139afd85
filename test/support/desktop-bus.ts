/**
 * A session bus of a desktop with its notification service, for browsers under test: what they show arrives here, and presses go back.
 * Both are one server, which speaks as much of D-Bus as that takes (https://dbus.freedesktop.org/doc/dbus-specification.html and
 * https://specifications.freedesktop.org/notification-spec/latest/).
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeMessage, messageLength, parseMessage, type BusMessage } from "./bus-message.ts";

const SERVICE = "org.freedesktop.Notifications";
const SERVICE_PATH = "/org/freedesktop/Notifications";
/** Of the service, and of whoever connects. */
const SERVICE_NAME = ":1.1";
const CLIENT_NAME = ":1.2";
const CAPABILITIES = ["actions", "body", "persistence"];
/** Reasons of the end of a notification. */
const DISMISSED = 2;
const CLOSED_BY_CALL = 3;
const LINE_END = "\r\n";

export interface ShownNotification {
  readonly id: number;
  readonly title: string;
  readonly body: string;
  /** By name of the action, in the order in which they are shown; "default" is a press on the notification itself. */
  readonly actions: ReadonlyMap<string, string>;
}

export class DesktopBus implements AsyncDisposable {
  /** What is on the screen now. */
  readonly shown = new Map<number, ShownNotification>();
  /** All that was ever shown, oldest first. */
  readonly history: ShownNotification[] = [];
  readonly #directory = mkdtempSync(join(tmpdir(), "lct-bus-"));
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #serial = 0;
  #lastId = 0;

  private constructor() {
    this.#server = createServer((socket) => this.#accept(socket));
  }

  static async start(): Promise<DesktopBus> {
    const bus = new DesktopBus();
    await once(bus.#server.listen(join(bus.#directory, "bus")), "listening");
    return bus;
  }

  /** Value of `DBUS_SESSION_BUS_ADDRESS`. */
  get address(): string {
    return `unix:path=${join(this.#directory, "bus")}`;
  }

  /** Presses a button by its words, or the notification itself. A desktop takes a notification off when it was pressed. */
  press(id: number, words?: string): void {
    const actions = [...(this.shown.get(id)?.actions ?? [])];
    const [name] = actions.find(([key, label]) => (words === undefined ? key === "default" : label === words)) ?? [];
    if (name === undefined) throw new Error(`notification ${id} has no "${words}", but ${JSON.stringify(actions)}`);
    this.#signal("ActionInvoked", "us", [id, name]);
    this.#close(id, DISMISSED);
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    let pending = Buffer.alloc(0);
    let isOpen = false;
    socket.on("data", (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      for (let line; !isOpen && (line = firstLine(pending)) !== undefined;) {
        pending = pending.subarray(line.length + LINE_END.length);
        isOpen = line === "BEGIN";
        if (!isOpen) socket.write(replyTo(line));
      }
      if (!isOpen) return;
      for (let length; (length = messageLength(pending)) <= pending.length; pending = pending.subarray(length)) {
        this.#take(socket, parseMessage(pending.subarray(0, length)));
      }
    });
  }

  #take(socket: Socket, message: BusMessage): void {
    if (message.type !== "call") return;
    const [signature, ...body] = this.#answer(message);
    socket.write(
      encodeMessage({
        type: signature === undefined ? "error" : "return",
        serial: ++this.#serial,
        replySerial: message.serial,
        sender: message.interface === SERVICE ? SERVICE_NAME : "org.freedesktop.DBus",
        destination: CLIENT_NAME,
        ...(signature === undefined && { errorName: "org.freedesktop.DBus.Error.UnknownMethod" }),
        signature: signature ?? "",
        body,
      }),
    );
  }

  /** Signature and values; empty for what there is not. */
  #answer({ body, member }: BusMessage): [signature?: string, ...values: unknown[]] {
    switch (member) {
      case "Hello":
        return ["s", CLIENT_NAME];
      case "AddMatch":
      case "RemoveMatch":
        return [""];
      case "RequestName":
        return ["u", 1];
      case "NameHasOwner":
        return ["b", body[0] === SERVICE];
      case "GetNameOwner":
        return body[0] === SERVICE ? ["s", SERVICE_NAME] : [];
      case "StartServiceByName":
        return body[0] === SERVICE ? ["u", 2] : [];
      case "ListActivatableNames":
      case "ListNames":
        return ["as", [SERVICE]];
      case "GetCapabilities":
        return ["as", CAPABILITIES];
      case "GetServerInformation":
        return ["ssss", "Lectern tests", "Lectern", "1", "1.2"];
      case "Notify":
        return ["u", this.#show(body)];
      case "CloseNotification":
        this.#close(Number(body[0]), CLOSED_BY_CALL);
        return [""];
      default:
        return [];
    }
  }

  #show([, replaces, , title, text, actions]: readonly unknown[]): number {
    const id = Number(replaces) || ++this.#lastId;
    const words = actions as readonly string[];
    const pairs = words.flatMap((name, index) => (index % 2 === 0 ? [[name, words[index + 1] ?? ""] as const] : []));
    const notification = { id, title: String(title), body: String(text), actions: new Map(pairs) };
    this.shown.set(id, notification);
    this.history.push(notification);
    return id;
  }

  #close(id: number, reason: number): void {
    if (this.shown.delete(id)) this.#signal("NotificationClosed", "uu", [id, reason]);
  }

  #signal(member: string, signature: string, body: readonly unknown[]): void {
    for (const socket of this.#sockets) {
      const names = { path: SERVICE_PATH, interface: SERVICE, member, sender: SERVICE_NAME };
      socket.write(encodeMessage({ type: "signal", serial: ++this.#serial, ...names, signature, body }));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

function firstLine(bytes: Buffer): string | undefined {
  const end = bytes.indexOf(LINE_END);
  return end === -1 ? undefined : bytes.toString("latin1", 0, end);
}

/** Of the dialogue before the first message; whoever reaches the socket is let in. */
function replyTo(line: string): string {
  if (/^\0?AUTH EXTERNAL/.test(line)) return "OK 0123456789abcdef0123456789abcdef\r\n";
  return /^\0?AUTH/.test(line) ? "REJECTED EXTERNAL\r\n" : "ERROR\r\n";
}
