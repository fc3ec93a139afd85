/** How many requests a model server gets, who waits, and what frees a place. */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { bodyOf, post, turnIn } from "./support/model-requests.ts";
import { serverOf } from "./support/request-server.ts";
import { TemporaryGateway } from "./support/temporary-gateway.ts";
import { until } from "./support/until.ts";

const noRetry = { retry: { attemptsMax: 1 } };
const sse = { "content-type": "text/event-stream" };
const askAnthropic = (gateway: TemporaryGateway): Promise<Response> =>
  post(`${gateway.url("anthropic")}/v1/messages`, bodyOf("anthropic"));

test("an overload refuses nobody while the answer of another session streams", async () => {
  const begin = {
    type: "message_start",
    message: { id: "m", type: "message", role: "assistant", content: [], model: "m" },
  };
  await using server = await serverOf((response) => {
    if (server.requests.length === 1) response.writeHead(200, sse).write(`data: ${JSON.stringify(begin)}\n\n`);
    else response.writeHead(529).end("overloaded");
  });
  const upstream = { ...noRetry, breaker: { openMs: 60_000 } };
  await using gateway = await TemporaryGateway.start(server.url, { upstream });
  const streaming = (await askAnthropic(gateway)).body!.getReader();
  await streaming.read();
  const statuses: number[] = [];
  const ask = async (): Promise<void> => {
    const response = await askAnthropic(gateway);
    statuses.push(response.status);
    await response.text();
  };
  for (let round = 0; round < 12; round += 1) await ask();
  assert.deepEqual(new Set(statuses), new Set([529]));
  await streaming.cancel();
  await until(async () => {
    await ask();
    return statuses.at(-1) === 503;
  }, "nothing streams, and the server is left alone");
});

test("requests beyond the connections to a server wait for one, and those beyond the queue are refused", async () => {
  const held: ServerResponse[] = [];
  await using server = await serverOf((response) => void held.push(response));
  const refused: string[] = [];
  const upstream = {
    ...noRetry,
    limits: { connectionsMax: 1, queueMax: 1 },
    onRefused: (reason: string) => void refused.push(reason),
  };
  await using gateway = await TemporaryGateway.start(server.url, { upstream });
  const answer = (): unknown => held.shift()?.writeHead(400, { "content-type": "application/json" }).end("{}");
  const [one, two] = [askAnthropic(gateway), askAnthropic(gateway)];
  await until(() => held.length === 1 && gateway.load.waiting === 1, "one is sent and one waits");
  const three = await askAnthropic(gateway);
  assert.deepEqual([three.status, three.headers.get("retry-after")], [503, "5"]);
  const { error } = (await turnIn("anthropic", three)).turn;
  assert.equal(error?.type, "upstream_busy");
  assert.match(error.message ?? "", /answers 1 requests of this machine, and 1 requests wait already: see "gateway"/);
  assert.deepEqual([gateway.load, server.requests.length, refused], [{ active: 1, waiting: 1 }, 1, ["busy"]]);
  answer();
  await one;
  await until(() => held.length === 1, "the one that waited is sent");
  answer();
  assert.equal((await two).status, 400);
  await until(() => gateway.load.active === 0, "all places are free");
});

test("every way in which a request ends frees its place", async () => {
  const ways: ((response: ServerResponse) => unknown)[] = [
    (response) => response.socket?.destroy(),
    (response) => response.writeHead(200, sse).end("data: {}\n\n"),
    (response) => response.writeHead(200, sse).write("data: broken", () => response.socket?.destroy()),
    (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
    (response) => response.writeHead(200, { "content-type": "application/json" }).end("{}"),
    (response) => response.writeHead(302, { location: "/" }).end(),
    (response) => response.writeHead(503).end(),
    (response) => response.writeHead(200, { "content-encoding": "unknown" }).end("x"),
  ];
  await using server = await serverOf((response) => void ways[server.requests.length % ways.length]?.(response));
  const upstream = { ...noRetry, breaker: { callsMin: 1000 }, limits: { connectionsMax: 1 } };
  await using gateway = await TemporaryGateway.start(server.url, { upstream });
  for (const ask of [askAnthropic, (other: TemporaryGateway) => fetch(`${other.url("anthropic")}/v1/models`)]) {
    for (const _ of ways) {
      const response = await ask(gateway);
      await response.text().catch(() => "broken");
      await until(() => gateway.load.active === 0, "the place is free");
    }
  }
  assert.equal(server.requests.length, ways.length * 2);
});

test("an answer in one piece that does not come to its end is broken off", async () => {
  await using server = await serverOf((response) =>
    response.writeHead(200, { "content-type": "application/json" }).write('{"id":'),
  );
  await using gateway = await TemporaryGateway.start(server.url, {
    upstream: noRetry,
    pass: { idle: { firstEventMs: 50, betweenEventsMs: 50 } },
  });
  const { turn } = await turnIn("anthropic", await askAnthropic(gateway));
  assert.equal(turn.error?.type, "upstream_idle");
});
