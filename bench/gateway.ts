/**
 * What the gateway adds on loopback: to the first byte, to each event, with 500 streams at once, and before a client that does
 * not read. Server, gateway and clients are processes of their own; each time is taken with and without the gateway in turn, and for
 * the streams a bare proxy (node:http and a pipe, which reads and holds nothing) in the gateway's place is the peer.
 *
 *   node bench/gateway.ts [first] [events] [streams] [stalled]
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer, get, request as httpRequest, Agent, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { setTimeout as sleep } from "node:timers/promises";
import { TemporaryGateway } from "../test/support/temporary-gateway.ts";
import { tellFigure } from "./support/figure.ts";
import { quantile } from "./support/statistics.ts";

const FIRST_BYTES = 400;
const EVENTS = 300;
const EVENT_ROUNDS = 6;
const STREAMS = 500;
const STREAM_MS = 10_000;
const EVENTS_PER_SECOND = 50;

const nowUs = (): number => Number(process.hrtime.bigint() / 1000n);
const eventOf = (text: string): string =>
  `event: content_block_delta\ndata: ${JSON.stringify({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })}\n\n`;
const start =
  'event: message_start\ndata: {"type":"message_start","message":{"id":"m","model":"m","usage":{"input_tokens":1}}}\n\n';
const stop =
  'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n';

/** The model server: `/first`, `/events`, `/stream` and `/flood`, and how much it could write of the last one. */
async function serve(): Promise<void> {
  let floodBytes = 0;
  const server = createServer((incoming, response) => {
    incoming.resume();
    const path = incoming.url ?? "";
    if (path.includes("/flooded")) return void response.end(String(floodBytes));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(start);
    if (path.includes("/first")) return void response.end(stop);
    if (path.includes("/flood/")) {
      floodBytes = 0;
      const chunk = eventOf("x".repeat(16_000));
      const more = (): void => {
        for (;;) {
          floodBytes += chunk.length;
          if (!response.write(chunk)) break;
        }
        response.once("drain", more);
      };
      return more();
    }
    const everyMs = path.includes("/stream") ? 1000 / EVENTS_PER_SECOND : 2;
    const events = path.includes("/stream") ? (STREAM_MS / 1000) * EVENTS_PER_SECOND : EVENTS;
    let sent = 0;
    const timer = setInterval(() => {
      response.write(eventOf(`${nowUs()} some words of a model`));
      sent += 1;
      if (sent < events) return;
      clearInterval(timer);
      response.end(stop);
    }, everyMs);
    response.once("close", () => clearInterval(timer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

/** What passes bytes on and does nothing else. */
async function bareProxy(url: string): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((incoming, response) => {
    const { headers, method, url: path } = incoming;
    const upstream = httpRequest(`${url}${path}`, { method: method ?? "GET", headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(upstream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => void server.close();
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

const collect = ((): (() => void) => {
  setFlagsFromString("--expose_gc");
  return runInNewContext("gc") as () => void;
})();

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

function post(url: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const body = '{"model":"m","stream":true,"messages":[{"role":"user","content":"Hello"}]}';
  const headers = { "content-type": "application/json", "content-length": body.length };
  httpRequest(url, { method: "POST", headers, agent }, resolve).on("error", reject).end(body);
  return promise;
}

async function firstByteUs(url: string): Promise<number> {
  const startUs = nowUs();
  const response = await post(url);
  let tookUs: number | undefined;
  for await (const _ of response) tookUs ??= nowUs() - startUs;
  return tookUs ?? Number.NaN;
}

/** Microseconds from the server's write to our read, of each event. */
async function eventUs(url: string): Promise<number[]> {
  const response = await post(url);
  const found: number[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const atUs = nowUs();
    for (const [, sentUs] of chunk.toString().matchAll(/"text":"(\d+) /g)) found.push(atUs - Number(sentUs));
  }
  return found;
}

/** The clients: told what to do by messages, they answer with lists of times. */
function read(): void {
  process.on("message", ({ task, urls }: { task: string; urls: string[] }) => {
    const work = async (): Promise<unknown> => {
      if (task === "first") {
        const times = urls.map((): number[] => []);
        for (let round = 0; round < FIRST_BYTES; round += 1) {
          for (const [index, url] of urls.entries()) times[index]!.push(await firstByteUs(url));
        }
        return times;
      }
      if (task === "events") {
        return [await eventUs(urls[0]!)];
      }
      const all = await Promise.all(Array.from({ length: STREAMS }, () => eventUs(urls[0]!)));
      return [all.flat()];
    };
    work().then(
      (times) => process.send?.({ times }),
      (error: Error) => process.send?.({ error: error.message }),
    );
  });
}

/** How late timers are in this process, and how much of a core it takes, while something is done. */
async function underLoad(
  work: () => Promise<number[][]>,
): Promise<{ readonly events: readonly number[]; readonly lateMs: number; readonly share: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const cpu = process.cpuUsage();
  delay.enable();
  const [events = []] = await work();
  delay.disable();
  const used = process.cpuUsage(cpu);
  // What the monitor measures includes its own resolution.
  return { events, lateMs: delay.percentile(99) / 1e6 - 1, share: (used.user + used.system) / 1000 / STREAM_MS };
}

const ms = (us: number): string => `${(us / 1000).toFixed(3)} ms`;

async function main(parts: readonly string[]): Promise<void> {
  const wants = (part: string): boolean => parts.length === 0 || parts.includes(part);
  const children: ChildProcess[] = [];
  const child = (role: string): ChildProcess => {
    const started = fork(import.meta.filename, [role], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    children.push(started);
    return started;
  };
  const server = child("serve");
  const [{ url }] = (await once(server, "message")) as [{ url: string }];
  const clients = child("read");
  const ask: Ask = async (task, urls) => {
    clients.send({ task, urls });
    const [answer] = (await once(clients, "message")) as [{ times?: number[][]; error?: string }];
    if (answer.times === undefined) throw new Error(answer.error);
    return answer.times;
  };
  await using gateway = await TemporaryGateway.start(url);
  const proxy = await bareProxy(url);
  const all = (path: string): string[] => [url, proxy.url, gateway.url("anthropic")].map((base) => base + path);
  const tell = (what: string, goal: number, times: readonly (readonly number[])[]): void => {
    const [direct = 0, bare = 0, wire = 0] = times.map((each) => quantile(each, 0.5));
    console.log(
      `${what} p50 direct ${ms(direct)}, bare proxy ${ms(bare)}, gateway ${ms(wire)}: the gateway adds ${ms(wire - direct)}, ` +
        `${((wire - direct) / (bare - direct)).toFixed(2)} x what the bare proxy adds`,
    );
    const name = `gateway, ${what.trim()} added`;
    tellFigure({ name, value: (wire - direct) / 1000, unit: "ms", better: "less", goal });
  };

  if (wants("first")) {
    await ask("first", all("/first/v1/messages"));
    tell("first byte  ", 0.5, await ask("first", all("/first/v1/messages")));
  }
  if (wants("events")) {
    const { times, processorUs } = await eachEvent(all("/events/v1/messages"), ask);
    tell("each event  ", 0.05, times);
    const [, bare = 0, wire = 0] = processorUs;
    console.log(`each event   processor time: bare proxy ${bare.toFixed(0)} us, gateway ${wire.toFixed(0)} us`);
  }
  if (wants("streams")) await tellStreams({ bare: proxy.url, wire: gateway.url("anthropic") }, ask);
  proxy.close();
  if (wants("stalled")) await tellStalled(url, gateway.url("anthropic"));
  agent.destroy();
  for (const each of children) each.kill();
}

type Ask = (task: string, urls: string[]) => Promise<number[][]>;

/** Times of single events, and the processor time that this process takes for each. */
async function eachEvent(
  urls: readonly string[],
  ask: Ask,
): Promise<{ readonly times: number[][]; readonly processorUs: number[] }> {
  const times = urls.map((): number[] => []);
  const processorUs = urls.map(() => 0);
  for (let round = 0; round < EVENT_ROUNDS; round += 1) {
    for (const [index, url] of urls.entries()) {
      const before = process.cpuUsage();
      const [found = []] = await ask("events", [url]);
      const { system, user } = process.cpuUsage(before);
      times[index]?.push(...found);
      processorUs[index] = (processorUs[index] ?? 0) + (system + user) / EVENTS / EVENT_ROUNDS;
    }
  }
  return { times, processorUs };
}

/** 500 streams at once. */
async function tellStreams({ bare, wire }: { readonly bare: string; readonly wire: string }, ask: Ask): Promise<void> {
  const shares = new Map<string, number>();
  for (const [name, base] of [
    ["bare proxy", bare],
    ["gateway", wire],
  ] as const) {
    const { events, lateMs, share } = await underLoad(() => ask("streams", [`${base}/stream/v1/messages`]));
    shares.set(name, share);
    console.log(
      `${STREAMS} streams  ${name}: ${events.length} events, event loop p99 ${lateMs.toFixed(1)} ms late, ` +
        `event p50 ${ms(quantile(events, 0.5))} p99 ${ms(quantile(events, 0.99))}, ${(share * 100).toFixed(0)} % of a core`,
    );
  }
  const ratio = (shares.get("gateway") ?? Number.NaN) / (shares.get("bare proxy") ?? Number.NaN);
  console.log(`${STREAMS} streams  processor time of the gateway / bare proxy: ${ratio.toFixed(2)}`);
}

/** A client that does not read. */
async function tellStalled(url: string, wire: string): Promise<void> {
  for (const [name, base] of [
    ["direct", url],
    ["gateway", wire],
  ] as const) {
    collect();
    const before = process.memoryUsage();
    const response = await post(`${base}/flood/v1/messages`);
    response.pause();
    await sleep(2000);
    collect();
    const after = process.memoryUsage();
    const flooded = await new Promise<IncomingMessage>((done) => get(`${url}/flooded`, done));
    const bytes = Number(Buffer.concat((await flooded.toArray()) as Buffer[]).toString());
    const heldKb = (after.arrayBuffers - before.arrayBuffers) / 1024;
    console.log(
      `stalled      ${name}: the server could write ${(bytes / 1024).toFixed(0)} KiB; ${heldKb.toFixed(0)} KiB more in this process`,
    );
    response.destroy();
  }
}

const [role = "", ...others] = process.argv.slice(2);
if (role === "serve") await serve();
else if (role === "read") read();
else await main(role === "" ? [] : [role, ...others]);
