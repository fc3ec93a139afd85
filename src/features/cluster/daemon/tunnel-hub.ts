/**
 * The tunnels of one connection to the servers: `core/cluster/tunnel.ts` decides, this carries its frames and its time. A tunnel belongs to
 * the connection: with it, all of them break, so that attachments continue at their offsets over the next one.
 */
import { randomBytes } from "node:crypto";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { encodeTunnelFrame } from "../core/tunnel-frame.ts";
import { Tunnel, type TunnelEffect, type TunnelInput } from "../core/tunnel.ts";
import {
  frameSubject,
  framesTo,
  inboxPrefix,
  readFrameSubject,
  readRequestSubject,
  requestSubject,
  type RequestAddress,
} from "./subjects.ts";

/** Tunnels of one connection; further ones are refused. */
const TUNNELS_MAX = 1024;
/** Of one member that asks this machine: each may hold a window of 1 MiB here. */
const TUNNELS_OF_CALLER_MAX = 128;
/** Between two looks at what is due, such as a heartbeat each 500 ms. */
const TICK_MS = 100;
/** A sender waits while more than this waits for the window. */
const BUFFERED_BYTES_MAX = 256 * 1024;
const ID_BYTES = 16;
const TUNNEL_ID = /^[0-9a-f]{32}$/;
const NO_RESPONDERS = 503;
const BROKEN = 1006;
/** Of a frame `close`, which is answered with nothing. */
const CLOSE_KIND = 6;
/** Whatever number the other end expects, it closes. */
const UNKNOWN_SEQUENCE = 0xff_ff_ff_ff;

/** What an end is told, in order; `closed` comes last, and once. */
export interface TunnelHandlers {
  opened(head: string): void;
  data(part: Extract<TunnelEffect, { type: "data" }>): void;
  ended(trailers: string): void;
  closed(end: { readonly code: number; readonly reason: string }): void;
}

/** Who sends to an end, and its number. */
interface TunnelPeer {
  readonly peer: string;
  readonly id: string;
}

/** Takes the first frame of a tunnel that another member opens. */
export type Acceptor = (opening: {
  readonly address: RequestAddress;
  readonly accept: (handlers: TunnelHandlers) => TunnelEnd;
}) => void;

export class TunnelHub {
  readonly #connection: NatsConnection;
  readonly #member: string;
  readonly #ends = new Map<string, TunnelEnd>();
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;
  #isServing = false;

  constructor(connection: NatsConnection, member: string) {
    this.#connection = connection;
    this.#member = member;
    connection.subscribe(framesTo(member), { callback: (_, message) => this.#frame(message) });
    connection.subscribe(`${inboxPrefix(member)}.tunnel.*`, { callback: (_, message) => this.#undelivered(message) });
    // What has arrived while this process stood still comes before the time that has passed.
    this.#timer = setInterval(() => setImmediate(() => this.#tick()), TICK_MS);
    this.#timer.unref();
  }

  /** Opens a tunnel with the first frame. Undefined at the limit. */
  open(address: Omit<RequestAddress, "caller">, head: string, handlers: TunnelHandlers): TunnelEnd | undefined {
    if (this.#isClosed || this.#ends.size >= TUNNELS_MAX) return undefined;
    const id = randomBytes(ID_BYTES).toString("hex");
    const subject = requestSubject({ ...address, caller: this.#member });
    const reply = `${inboxPrefix(this.#member)}.tunnel.${id}`;
    const end = this.#add({ peer: address.machine, id }, handlers, (frame) =>
      this.#connection.publish(subject, frame, { reply }),
    );
    end.step({ type: "start", head });
    return end;
  }

  /** Answers tunnels that come on a subject of requests. A message that was not published there is ignored. */
  serve(subject: string, accept: Acceptor): void {
    this.#isServing = true;
    this.#connection.subscribe(subject, {
      callback: (_, message) => {
        // The subject that the permissions have checked, not the one of a subscription.
        const address = readRequestSubject(message.subject);
        const id = message.reply?.split(".").at(-1) ?? "";
        if (address?.machine !== this.#member || !TUNNEL_ID.test(id) || message.headers !== undefined) return;
        const peer = { peer: address.caller, id };
        if (this.#ends.has(keyOf(peer))) return;
        if (!this.#hasRoomFor(address.caller)) return this.#refuse(peer, 0, "too many requests are under way there");
        accept({
          address,
          accept: (handlers) => {
            const end = this.#add(peer, handlers);
            end.step({ type: "received", frame: message.data });
            return end;
          },
        });
      },
    });
  }

  /** Breaks all tunnels. */
  close(reason: string): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const end of this.#ends.values()) end.step({ type: "unreachable", reason });
  }

  #hasRoomFor(caller: string): boolean {
    if (this.#isClosed || this.#ends.size >= TUNNELS_MAX) return false;
    const ofCaller = [...this.#ends.keys()].filter((key) => key.startsWith(`${caller} `));
    return ofCaller.length < TUNNELS_OF_CALLER_MAX;
  }

  #add(peer: TunnelPeer, handlers: TunnelHandlers, sendFirst?: (frame: Uint8Array) => void): TunnelEnd {
    const subject = frameSubject({ from: this.#member, to: peer.peer, id: peer.id });
    let first = sendFirst;
    const send = (frame: Uint8Array): void => {
      if (this.#connection.isClosed()) return;
      if (first === undefined) this.#connection.publish(subject, frame);
      else first(frame);
      first = undefined;
    };
    const end = new TunnelEnd(send, handlers, () => this.#ends.delete(keyOf(peer)));
    this.#ends.set(keyOf(peer), end);
    return end;
  }

  #frame({ data, subject }: Msg): void {
    const address = readFrameSubject(subject);
    if (address?.to !== this.#member) return;
    const peer = { peer: address.from, id: address.id };
    const end = this.#ends.get(keyOf(peer));
    if (end !== undefined) end.step({ type: "received", frame: data });
    // Only a member that answers requests is alone with its name.
    else if (this.#isServing && data[0] !== CLOSE_KIND)
      this.#refuse(peer, UNKNOWN_SEQUENCE, "this tunnel is not known here");
  }

  /** Without it, the other end would find out by silence: after this end has lost its connection, it knows nothing of its tunnels. */
  #refuse({ id, peer }: TunnelPeer, sequence: number, reason: string): void {
    if (this.#connection.isClosed()) return;
    const frame = encodeTunnelFrame(sequence, { kind: "close", code: BROKEN, reason });
    this.#connection.publish(frameSubject({ from: this.#member, to: peer, id }), frame);
  }

  /** A server tells that nobody answers requests to the machine. */
  #undelivered({ headers, subject }: Msg): void {
    const id = subject.split(".").at(-1);
    if (headers?.code !== NO_RESPONDERS) return;
    for (const [key, end] of this.#ends) {
      if (key.endsWith(` ${id}`)) end.step({ type: "unreachable", reason: "no daemon answers there" });
    }
  }

  #tick(): void {
    const nowMs = performance.now();
    for (const end of this.#ends.values()) end.tick(nowMs);
  }
}

const keyOf = ({ id, peer }: TunnelPeer): string => `${peer} ${id}`;

/** One end of a tunnel. Effects are taken in order, also those of a step within a handler. */
export class TunnelEnd {
  readonly #tunnel = new Tunnel();
  readonly #send: (frame: Uint8Array) => void;
  readonly #handlers: TunnelHandlers;
  readonly #forget: () => void;
  readonly #effects: TunnelEffect[] = [];
  #isTaking = false;
  #drained = Promise.withResolvers<void>();
  #isWaiting = false;

  constructor(send: (frame: Uint8Array) => void, handlers: TunnelHandlers, forget: () => void) {
    this.#send = send;
    this.#handlers = handlers;
    this.#forget = forget;
  }

  get bufferedBytes(): number {
    return this.#tunnel.bufferedBytes;
  }

  get isClosed(): boolean {
    return this.#tunnel.isClosed;
  }

  step(input: TunnelInput): void {
    this.#effects.push(...this.#tunnel.step(input, performance.now()));
    if (this.#isTaking) return;
    this.#isTaking = true;
    try {
      for (let effect = this.#effects.shift(); effect !== undefined; effect = this.#effects.shift()) this.#take(effect);
    } finally {
      this.#isTaking = false;
    }
    if (this.#isWaiting && this.#hasRoom()) {
      this.#isWaiting = false;
      this.#drained.resolve();
      this.#drained = Promise.withResolvers<void>();
    }
  }

  tick(nowMs: number): void {
    if (nowMs >= (this.#tunnel.wakeAtMs ?? Infinity)) this.step({ type: "tick" });
  }

  /** Resolves when little enough waits to be sent, or the tunnel is closed. */
  async drained(): Promise<void> {
    if (this.#hasRoom()) return;
    this.#isWaiting = true;
    await this.#drained.promise;
  }

  #hasRoom(): boolean {
    return this.isClosed || this.bufferedBytes <= BUFFERED_BYTES_MAX;
  }

  #take(effect: TunnelEffect): void {
    switch (effect.type) {
      case "transmit":
        return this.#send(effect.frame);
      case "opened":
        return this.#handlers.opened(effect.head);
      case "data":
        return this.#handlers.data(effect);
      case "ended":
        return this.#handlers.ended(effect.trailers);
      case "closed":
        this.#forget();
        return this.#handlers.closed(effect);
    }
  }
}
