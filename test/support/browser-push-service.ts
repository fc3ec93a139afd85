/**
 * A push service for a whole Chromium that is started with `arguments`: the browser checks in, registers and connects as with that of its
 * maker (`google_apis/gcm` in the sources of Chromium), and gets what a daemon sends, encrypted as it came. Whoever sends with another key than
 * the one that the browser has subscribed with is refused.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createTlsServer, type Server as TlsServer, type TLSSocket } from "node:tls";
import { checkSender } from "./push-sender.ts";
import { certificate, privateKey } from "./test-certificate.ts";

/** Of the protocol of the connection ("MCS"); the tags are its kinds of messages. */
const VERSION = 41;
const PING = 0;
const PONG = 1;
const LOGIN_REQUEST = 2;
const LOGIN_RESPONSE = 3;
const DATA = 8;
/** Of this device; the browser gives them back. */
const ANDROID_ID = 4242n;
const SECURITY_TOKEN = 4343n;

export class BrowserPushService implements AsyncDisposable {
  /** What was refused. */
  readonly faults: unknown[] = [];
  readonly #http: Server;
  readonly #tls: TlsServer;
  readonly #connected = new Set<TLSSocket>();
  /** Those that are connected and have given their name. */
  readonly #devices = new Set<TLSSocket>();
  /** What the browser has registered, by token. */
  readonly #registered = new Map<string, URLSearchParams>();
  /** For a browser that is away. */
  #waiting: Buffer[] = [];
  #isAway = false;
  #count = 0;
  #tokens = 0;

  private constructor() {
    this.#http = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => {
        this.#answer(incoming, Buffer.concat(chunks)).then(
          ([status, body]) => outgoing.writeHead(status).end(body),
          (error: unknown) => {
            this.faults.push(error);
            outgoing.writeHead(403).end(String(error));
          },
        );
      });
    });
    this.#tls = createTlsServer({ cert: certificate, key: privateKey }, (socket) => this.#connect(socket));
  }

  static async start(): Promise<BrowserPushService> {
    const service = new BrowserPushService();
    await Promise.all([service.#http, service.#tls].map((server) => once(server.listen(0, "127.0.0.1"), "listening")));
    return service;
  }

  get host(): string {
    return `127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** For the browser. The certificate of its connection is one that nobody trusts. */
  get arguments(): readonly string[] {
    return [
      `--gcm-checkin-url=http://${this.host}/checkin`,
      `--gcm-registration-url=http://${this.host}/register`,
      `--gcm-mcs-endpoint=https://127.0.0.1:${(this.#tls.address() as AddressInfo).port}`,
      "--ignore-certificate-errors",
    ];
  }

  /** What is sent to a browser that is away waits for it. */
  setAway(isAway: boolean): void {
    this.#isAway = isAway;
    this.#deliver();
  }

  /** Messages for a browser that is away. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** It knows no browser any more: what is sent to one is answered with 410. */
  forgetAll(): void {
    this.#registered.clear();
  }

  async #answer({ headers, url = "" }: IncomingMessage, body: Buffer): Promise<[status: number, body?: Buffer]> {
    if (url === "/checkin") {
      return [200, Buffer.concat([number(1, 1), fixed64(7, ANDROID_ID), fixed64(8, SECURITY_TOKEN)])];
    }
    if (url === "/register") {
      const token = `device-${this.#tokens++}`;
      this.#registered.set(token, new URLSearchParams(body.toString()));
      return [200, Buffer.from(`token=${token}`)];
    }
    const registered = this.#registered.get(url.slice(url.lastIndexOf("/") + 1));
    if (registered === undefined) return [410];
    const sender = registered.get("sender") ?? "";
    await checkSender(headers.authorization ?? "", { key: sender, audience: `http://${this.host}` });
    this.#count++;
    const facts = [
      bytes(2, `message-${this.#count}`),
      bytes(3, sender),
      bytes(5, registered.get("app") ?? ""),
      pair(7, "subtype", registered.get("X-subtype") ?? ""),
      pair(7, "content-encoding", headers["content-encoding"] ?? ""),
      bytes(9, `persistent-${this.#count}`),
      bytes(21, body),
    ];
    this.#waiting.push(frame(DATA, facts));
    this.#deliver();
    return [201];
  }

  #connect(socket: TLSSocket): void {
    this.#connected.add(socket);
    socket.on("close", () => {
      this.#connected.delete(socket);
      this.#devices.delete(socket);
    });
    socket.on("error", () => socket.destroy());
    socket.write(Buffer.of(VERSION));
    let pending = Buffer.alloc(0);
    let isOpen = false;
    socket.on("data", (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      // The first byte is the version of the browser's side.
      if (!isOpen) pending = pending.subarray(1);
      isOpen = true;
      for (let length; (length = frameLength(pending)) <= pending.length; pending = pending.subarray(length)) {
        this.#take(socket, pending[0]);
      }
    });
  }

  #take(socket: TLSSocket, tag: number | undefined): void {
    if (tag === PING) socket.write(frame(PONG, []));
    if (tag !== LOGIN_REQUEST) return;
    socket.write(frame(LOGIN_RESPONSE, [bytes(1, "login")]));
    this.#devices.add(socket);
    this.#deliver();
  }

  #deliver(): void {
    const [device] = this.#devices;
    if (device === undefined || this.#isAway) return;
    for (const message of this.#waiting) device.write(message);
    this.#waiting = [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#connected) socket.destroy();
    this.#http.closeAllConnections();
    await Promise.all([this.#http.close(), this.#tls.close()].map((server) => once(server, "close")));
  }
}

/** Seven bits of each byte, the lowest first (https://protobuf.dev/programming-guides/encoding/). */
function varint(value: number): Buffer {
  const encoded: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...encoded, rest]);
    encoded.push((rest & 0x7f) | 0x80);
  }
}

const number = (field: number, value: number): Buffer => Buffer.concat([varint(field << 3), varint(value)]);

function fixed64(field: number, value: bigint): Buffer {
  const encoded = Buffer.alloc(8);
  encoded.writeBigUInt64LE(value);
  return Buffer.concat([varint((field << 3) | 1), encoded]);
}

function bytes(field: number, value: string | Buffer): Buffer {
  const content = typeof value === "string" ? Buffer.from(value) : value;
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
}

const pair = (field: number, key: string, value: string): Buffer =>
  bytes(field, Buffer.concat([bytes(1, key), bytes(2, value)]));

/** A tag, the length, and a message of these fields. */
function frame(tag: number, fields: readonly Buffer[]): Buffer {
  const content = Buffer.concat(fields);
  return Buffer.concat([Buffer.of(tag), varint(content.length), content]);
}

/** Of the first frame in these bytes; infinite while its head is not whole. */
function frameLength(received: Buffer): number {
  let length = 0;
  for (let index = 1; index < received.length; index++) {
    const byte = received[index] ?? 0;
    length |= (byte & 0x7f) << (7 * (index - 1));
    if (byte < 0x80) return index + 1 + length;
  }
  return Infinity;
}
