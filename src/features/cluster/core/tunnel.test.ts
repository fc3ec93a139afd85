import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeTunnelFrame, encodeTunnelFrame, type TunnelContent } from "./tunnel-frame.ts";
import { Tunnel, type TunnelEffect, type TunnelInput } from "./tunnel.ts";

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const send = (value: string): TunnelInput => ({
  type: "send",
  isText: true,
  isFinal: true,
  bytes: new TextEncoder().encode(value),
});
const received = (sequence: number, content: TunnelContent): TunnelInput => ({
  type: "received",
  frame: encodeTunnelFrame(sequence, content),
});

/** Effects in short: `open`, `ping 0` and so on for frames that are sent, `< data x` for what was received. */
const short = (effects: readonly TunnelEffect[]): string[] =>
  effects.map((effect) => {
    switch (effect.type) {
      case "transmit": {
        const frame = decodeTunnelFrame(effect.frame);
        if (typeof frame === "string") return frame;
        if (frame.kind === "data") return `data ${text(frame.bytes)}${frame.isFinal ? "" : "+"}`;
        if (frame.kind === "close") return `close ${frame.code}`;
        return frame.kind === "ping" || frame.kind === "ack" ? `${frame.kind} ${frame.consumedBytes}` : frame.kind;
      }
      case "data":
        return `< data ${text(effect.bytes)}${effect.isFinal ? "" : "+"}`;
      case "closed":
        return `closed ${effect.code} ${effect.reason}`;
      case "opened":
      case "ended":
        return `< ${effect.type}`;
    }
  });

function opened(options = {}): Tunnel {
  const tunnel = new Tunnel(options);
  assert.deepEqual(short(tunnel.step({ type: "start", head: "GET /" }, 0)), ["open"]);
  return tunnel;
}

/** Two ends and a network between them that loses nothing. */
function exchange(
  ends: readonly [Tunnel, Tunnel],
  nowMs: number,
  first: readonly [0 | 1, TunnelEffect[]],
  onData: (bytes: Uint8Array, isFinal: boolean) => void = () => {},
): string[] {
  const seen: string[] = [];
  const work: (readonly [0 | 1, TunnelEffect])[] = first[1].map((effect) => [first[0], effect]);
  for (let next = work.shift(); next !== undefined; next = work.shift()) {
    const [from, effect] = next;
    const to = from === 0 ? 1 : 0;
    if (effect.type === "transmit") {
      work.push(...ends[to].step({ type: "received", frame: effect.frame }, nowMs).map((one) => [to, one] as const));
    } else {
      seen.push(`${from} ${short([effect])[0]}`);
      if (effect.type !== "data") continue;
      onData(effect.bytes, effect.isFinal);
      const back = ends[from].step({ type: "consumed", creditBytes: effect.creditBytes }, nowMs);
      work.push(...back.map((one) => [from, one] as const));
    }
  }
  return seen;
}

test("a request and its response pass, and both ends close by themselves", () => {
  const ends = [new Tunnel(), new Tunnel()] as const;
  const run = (end: 0 | 1, input: TunnelInput): string[] => exchange(ends, 0, [end, ends[end].step(input, 0)]);
  assert.deepEqual(run(0, { type: "start", head: "POST" }), ["1 < opened"]);
  assert.deepEqual(run(0, send("body")), ["1 < data body"]);
  assert.deepEqual(run(0, { type: "end", trailers: "" }), ["1 < ended"]);
  assert.deepEqual(run(1, { type: "start", head: "200" }), ["0 < opened"]);
  assert.deepEqual(run(1, send("answer")), ["0 < data answer"]);
  assert.deepEqual(run(1, { type: "end", trailers: "lectern-damaged: 1-2" }), [
    "1 closed 1000 ",
    "0 < ended",
    "0 closed 1000 ",
  ]);
});

test("the end that was opened reports at once that it is there", () => {
  const tunnel = new Tunnel();
  assert.deepEqual(short(tunnel.step(received(0, { kind: "open", head: "GET /" }), 9)), ["< opened", "ping 0"]);
});

test("a jump in the numbers closes with 1006, and nothing behind it is delivered", () => {
  const tunnel = opened();
  tunnel.step(received(0, { kind: "open", head: "200" }), 1);
  const data = { kind: "data", isText: true, isFinal: true, bytes: Uint8Array.of(97) } as const;
  assert.deepEqual(short(tunnel.step(received(2, data), 2)), [
    "close 1006",
    "closed 1006 frames were lost: expected number 1, received 2",
  ]);
  assert.deepEqual(tunnel.step(received(1, data), 3), []);
  assert.equal(tunnel.wakeAtMs, undefined);
});

test("a heartbeat is sent each 500 ms without other frames, and 2 s of silence close with 1006", () => {
  const tunnel = opened();
  assert.equal(tunnel.wakeAtMs, 500);
  assert.deepEqual(tunnel.step({ type: "tick" }, 499), []);
  assert.deepEqual(short(tunnel.step({ type: "tick" }, 500)), ["ping 0"]);
  tunnel.step(received(0, { kind: "ping", consumedBytes: 0 }), 700);
  for (const nowMs of [1000, 1500, 2000, 2500])
    assert.deepEqual(short(tunnel.step({ type: "tick" }, nowMs)), ["ping 0"]);
  assert.equal(tunnel.wakeAtMs, 2700);
  assert.deepEqual(short(tunnel.step({ type: "tick" }, 2700)), [
    "close 1006",
    "closed 1006 received nothing for 2000 ms",
  ]);
});

test("frames that break the protocol close with 1002 and a reason", () => {
  const cases: readonly (readonly [TunnelInput, string])[] = [
    [{ type: "received", frame: Uint8Array.of(9) }, "received a frame of 1 bytes"],
    [received(0, { kind: "end", trailers: "" }), "received an end that is out of order"],
    [
      received(0, { kind: "data", isText: true, isFinal: true, bytes: Uint8Array.of(1) }),
      "received data that is out of order",
    ],
    [received(0, { kind: "ack", consumedBytes: 1 }), "1 of 0 bytes are reported as consumed"],
  ];
  for (const [input, reason] of cases) {
    assert.deepEqual(short(opened().step(input, 1)), ["close 1002", `closed 1002 ${reason}`]);
  }
});

test("no more than the window is sent before the reader has consumed something", () => {
  const tunnel = opened({ windowBytes: 40, partBytesMax: 4 });
  assert.deepEqual(short(tunnel.step(send("aaaabbbbccccdd"), 1)), ["data aaaa+", "data bbbb+", "data cccc+"]);
  assert.equal(tunnel.bufferedBytes, 10);
  assert.deepEqual(short(tunnel.step(received(0, { kind: "ack", consumedBytes: 12 }), 2)), ["data dd"]);
  assert.equal(tunnel.bufferedBytes, 0);
});

test("a reader acknowledges when it has consumed a quarter of the window, or with the next heartbeat", () => {
  const tunnel = opened({ windowBytes: 40, partBytesMax: 32 });
  tunnel.step(received(0, { kind: "open", head: "" }), 1);
  tunnel.step(received(1, { kind: "data", isText: false, isFinal: true, bytes: new Uint8Array(1) }), 1);
  tunnel.step(received(2, { kind: "data", isText: false, isFinal: true, bytes: new Uint8Array(1) }), 1);
  assert.deepEqual(tunnel.step({ type: "consumed", creditBytes: 9 }, 1), []);
  assert.deepEqual(short(tunnel.step({ type: "consumed", creditBytes: 9 }, 1)), ["ack 18"]);
  assert.equal(tunnel.unconsumedBytes, 0);
});

test("a peer that sends more than the window is closed", () => {
  const tunnel = opened({ windowBytes: 40, partBytesMax: 32 });
  tunnel.step(received(0, { kind: "open", head: "" }), 1);
  const data = { kind: "data", isText: false, isFinal: true, bytes: new Uint8Array(20) } as const;
  assert.deepEqual(short(tunnel.step(received(1, data), 1)).length, 1);
  assert.deepEqual(
    short(tunnel.step(received(2, data), 1)).at(-1),
    "closed 1002 received more than the window has room for",
  );
});

test("a close waits for the data before it, and breaks if the reader does not read", () => {
  const tunnel = opened({ windowBytes: 10, partBytesMax: 2, closeMsMax: 1000 });
  assert.deepEqual(short(tunnel.step(send("a"), 1)), ["data a"]);
  assert.deepEqual(short(tunnel.step(send("b"), 1)), []);
  assert.deepEqual(tunnel.step({ type: "close", code: 1000, reason: "" }, 1), []);
  assert.deepEqual(short(tunnel.step(received(0, { kind: "ack", consumedBytes: 9 }), 2)), [
    "data b",
    "close 1000",
    "closed 1000 ",
  ]);

  const stuck = opened({ windowBytes: 10, partBytesMax: 2, closeMsMax: 1000 });
  stuck.step(send("a"), 1);
  stuck.step(send("b"), 1);
  stuck.step({ type: "close", code: 1000, reason: "" }, 1);
  stuck.step(received(0, { kind: "ping", consumedBytes: 0 }), 1000);
  assert.equal(short(stuck.step({ type: "tick" }, 1001))[0], "close 1006");
});

test("a sender that does not wait is stopped at the limit of the queue", () => {
  const tunnel = opened({ windowBytes: 10, partBytesMax: 2, queueBytesMax: 20 });
  tunnel.step(send("a"), 1);
  tunnel.step(send("a"), 1);
  assert.deepEqual(short(tunnel.step(send("aaaa"), 1)), [
    "close 1009",
    "closed 1009 more than 20 bytes wait to be sent",
  ]);
  assert.equal(tunnel.bufferedBytes, 0);
});

test("nobody at the other end closes at once", () => {
  const reason = 'machine "box" does not answer';
  assert.deepEqual(short(opened().step({ type: "unreachable", reason }, 3)), [`closed 1006 ${reason}`]);
});

test("any messages in any sizes come out as they went in", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 20 }), (messages) => {
      const ends = [0, 1].map(() => new Tunnel({ windowBytes: 64, partBytesMax: 16 })) as [Tunnel, Tunnel];
      const arrived: number[][] = [[]];
      const watch = (from: 0 | 1, effects: TunnelEffect[]): void => {
        exchange(ends, 0, [from, effects], (bytes, isFinal) => {
          arrived.at(-1)!.push(...bytes);
          if (isFinal) arrived.push([]);
        });
      };
      watch(0, ends[0].step({ type: "start", head: "" }, 0));
      for (const bytes of messages) {
        watch(0, ends[0].step({ type: "send", isText: false, isFinal: true, bytes }, 0));
        // What waits for credit is sent when a heartbeat reports what was consumed.
        while (ends[0].bufferedBytes > 0) watch(1, ends[1].step({ type: "tick" }, (ends[1].wakeAtMs ?? 0) + 500));
      }
      assert.deepEqual(arrived, [...messages.map((bytes) => [...bytes]), []]);
    }),
  );
});
