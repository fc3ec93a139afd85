/**
 * What one caller can hold up: each operation, attachment frame and MCP tool gets its largest and nastiest input, and the gateway the
 * nastiest tools, while another session types. By input: the longest turn of the daemon's main loop (processor time) and the longest time
 * that the neighbour's key took; worst first. Each input is sent twice, because the first one may load code.
 *
 *   node bench/longest-callback.ts [part of a name]
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { BenchDaemon } from "./support/daemon.ts";
import { calls, frames, requestsFor, type NastyCall, type NastyRequest } from "./support/nasty-inputs.ts";

const GOAL_MS = 50;
const SHOWN = 60;
const REQUEST_MS = 20_000;
const TYPE_EVERY_MS = 20;
const wanted = process.argv[2] ?? "";

interface Figure {
  readonly name: string;
  readonly firstMs: number;
  readonly againMs: number;
  readonly keyMs: number;
  readonly answer: string;
}

await using daemon = await BenchDaemon.start({ probed: true });
const { client } = daemon;
const command = ["sh", "-c", "stty raw -echo; cat >/dev/null"] as const;
const neighbour = await client.call("sessions.create", { command: [...command] });
const attached = await client.call("sessions.create", { command: [...command] });
const output = String.raw`for (1..5000) { printf "<FORGE_EVENT name=\"E\">{\"n\":%d}</FORGE_EVENT>\r\n", $_ }
print "\e[31mtext of a line \e[0m\r\n" x 100 for (1..20000)`;
const large = await client.call("sessions.create", {
  command: ["perl", "-e", output],
  name: "large",
  trustText: true,
});
await client.call("sessions.wait", { session: large.id, for: { type: "exit" } });

let longestKeyMs = 0;
const over = new AbortController();
const typing = (async () => {
  while (!over.signal.aborted) {
    const start = performance.now();
    await client.call("sessions.input", { session: neighbour.id, text: "a" }).catch(() => over.abort());
    longestKeyMs = Math.max(longestKeyMs, performance.now() - start);
    await sleep(TYPE_EVERY_MS);
  }
})();

const figures: Figure[] = [];
for (const [name, make] of requestsFor(large.id)) await measure(name, async () => await send(make()));
for (const [name, { frame, times }] of Object.entries(frames))
  await measure(`attach, ${name}`, async () => await sendFrames(frame, times));
await measureCalls();
over.abort();
await typing;
print();

async function measure(name: string, work: () => Promise<string>): Promise<void> {
  if (!name.includes(wanted)) return;
  await daemon.longestTurnMs();
  longestKeyMs = 0;
  const answer = await work();
  const firstMs = await daemon.longestTurnMs();
  await work();
  const figure = { name, firstMs, againMs: await daemon.longestTurnMs(), keyMs: longestKeyMs, answer };
  figures.push(figure);
  console.error(lineOf(figure));
}

/** The status, and how the answer begins. */
async function send({ method, path, body }: NastyRequest): Promise<string> {
  const bytes = Buffer.isBuffer(body) ? body : body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const isUpload = /\/import$|\/files\?/.test(path);
  const { promise, resolve } = Promise.withResolvers<string>();
  const sent = request(
    {
      socketPath: daemon.paths.daemonSocket,
      method,
      path,
      signal: AbortSignal.timeout(REQUEST_MS),
      headers: {
        "content-type": isUpload ? "application/octet-stream" : "application/json",
        accept: "application/json, text/event-stream",
      },
    },
    (response) => {
      let start = "";
      response.on("data", (chunk: Buffer) => {
        if (start.length < 200) start += chunk.toString();
      });
      response.on("close", () => resolve(`${response.statusCode} ${start.replaceAll(/\s+/g, " ").slice(0, 200)}`));
      response.on("error", () => undefined);
    },
  );
  sent.on("error", (error) => resolve(error.message));
  sent.end(bytes);
  return await promise;
}

async function sendFrames(frame: string | Uint8Array, times: number): Promise<string> {
  const url = `ws+unix:${daemon.paths.daemonSocket}:/v1/sessions/${attached.id}/attach`;
  const socket = new WebSocket(url, "lectern.v1");
  let last = "";
  socket.on("message", (data: Buffer) => (last = data.toString().slice(0, 100)));
  socket.on("error", (error) => (last = error.message));
  await once(socket, "open");
  for (let sent = 0; sent < times; sent += 1) socket.send(frame);
  await sleep(500);
  socket.terminate();
  return last.replaceAll(/[^ -~]+/g, " ");
}

/** A model server whose answer is one call with these arguments, and an agent that asks it. */
async function measureCalls(): Promise<void> {
  let call: NastyCall = { schema: {}, arguments: {} };
  const model = createServer((incoming, response) => {
    incoming.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(turnWith(call.arguments));
  });
  model.listen(0, "127.0.0.1");
  await once(model, "listening");
  const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
  for (const [name, next] of Object.entries(calls)) {
    if (!`gateway, ${name}`.includes(wanted)) continue;
    call = next;
    try {
      const base = await agentBase(url, next.policy);
      await measure(`gateway, ${name}`, async () => await ask(base, next.schema));
    } catch (error) {
      console.log(`gateway, ${name}: ${String(error)}`);
    }
  }
  model.close();
}

async function agentBase(url: string, policy: string | undefined): Promise<string> {
  const file = join(daemon.paths.dataDirectory, `base-${performance.now()}`);
  await client.call("sessions.create", {
    command: ["sh", "-c", `echo $ANTHROPIC_BASE_URL > ${file}; mv ${file} ${file}.whole; exec sleep 1000`],
    agent: "claude",
    wire: { upstreams: { anthropic: url }, policy },
  });
  for (;;) {
    try {
      return readFileSync(`${file}.whole`, "utf8").trim();
    } catch {
      await sleep(10);
    }
  }
}

async function ask(base: string, schema: object): Promise<string> {
  const body = {
    model: "claude-sonnet-4-5",
    stream: true,
    max_tokens: 100,
    messages: [{ role: "user", content: "Hello" }],
    tools: [{ name: "Bash", input_schema: schema }],
  };
  const response = await fetch(`${base}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "none" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(REQUEST_MS),
  }).catch((error: unknown) => String(error));
  if (typeof response === "string") return response;
  const text = await response.text().catch(String);
  const said = /"text":"[^"]+|"message":"[^"]+/.exec(text)?.[0];
  return `${response.status} ${said ?? "passed"}`.slice(0, 200);
}

function turnWith(given: object): string {
  const json = JSON.stringify(given);
  const events = [
    {
      type: "message_start",
      message: {
        id: "m",
        type: "message",
        role: "assistant",
        model: "m",
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "tool_use", id: `t${performance.now()}`, name: "Bash", input: {} },
    },
    { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: json } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function lineOf({ name, firstMs, againMs, keyMs, answer }: Figure): string {
  const [first, again, key] = [firstMs, againMs, keyMs].map((ms) => ms.toFixed(0).padStart(6));
  return `${first} ms, again ${again} ms  key ${key} ms  ${name.padEnd(60)} ${answer.slice(0, 90)}`;
}

function print(): void {
  const worst = figures.toSorted((one, other) => other.againMs - one.againMs || other.firstMs - one.firstMs);
  for (const figure of worst.slice(0, SHOWN)) console.log(lineOf(figure));
  const slow = figures.filter(({ firstMs, againMs }) => Math.max(firstMs, againMs) > GOAL_MS).length;
  console.log(`${figures.length} inputs, ${slow} hold the loop for more than ${GOAL_MS} ms`);
}
