import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { text } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { LecternError } from "../core/errors.ts";
import { modelFetch, type ModelFetchOptions } from "./model-fetch.ts";

/** What `fetch` holds by weak references must not be needed. */
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

interface Model extends AsyncDisposable {
  readonly url: string;
  /** The bodies of the requests so far. */
  readonly requests: readonly string[];
}

/** A server whose n-th request gets the n-th answer, and all further ones the last. */
async function serve(...answers: readonly Answer[]): Promise<Model> {
  const requests: string[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on("error", () => {});
    const at = requests.push("") - 1;
    requests[at] = await text(request).catch(() => "broken");
    await answers[Math.min(at, answers.length - 1)]?.(response, request);
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1/messages`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const reset: Answer = (response) => response.socket?.destroy();
const whole: Answer = (response) => response.end("whole");
const stream = { "content-type": "text/event-stream" };
/** Waits between attempts that a test need not wait for. */
const soon = { delayMsMin: 1, delayMsMax: 1 };
const post = { method: "POST", body: '{"model":"m"}', headers: { "content-type": "application/json" } };
/** Later than anything that is waited for here. */
const limit = (): AbortSignal => AbortSignal.timeout(60_000);

const reasonOf = async (answer: Promise<unknown>): Promise<unknown> => {
  const error: unknown = await answer.then(
    () => assert.fail("It did not fail"),
    (failure: unknown) => failure,
  );
  assert.ok(error instanceof LecternError, String(error));
  assert.equal(error.code, "NOT_AVAILABLE");
  return error.details["reason"];
};

test("a connection that breaks before the first byte is tried again, with the whole request", async () => {
  const headOnly: Answer = (response) => {
    response.writeHead(200, stream);
    response.flushHeaders();
    response.socket?.destroy();
  };
  await using model = await serve(reset, headOnly, whole);
  const failures: string[] = [];
  const send = modelFetch({ retry: soon, onRetry: ({ type }) => failures.push(type) });
  const response = await send(model.url, { ...post, signal: limit() });
  assert.deepEqual([response.status, response.url, await response.text()], [200, model.url, "whole"]);
  assert.deepEqual(model.requests, [post.body, post.body, post.body]);
  assert.deepEqual(failures, ["reset", "reset"]);
});

test("nothing is sent again after the first byte: what came is given out, then the read fails", async () => {
  await using model = await serve((response) => {
    response.writeHead(200, stream);
    response.write("data: one\n\n", () => response.socket?.destroy());
  });
  const response = await modelFetch({ retry: soon })(model.url, { ...post, signal: limit() });
  const reader = response.body!.getReader();
  assert.equal(new TextDecoder().decode((await reader.read()).value), "data: one\n\n");
  assert.equal(await reasonOf(reader.read()), "reset");
  assert.equal(model.requests.length, 1);
});

test("a server that asks for patience gets as much as it asks for, and the last answer is returned as it is", async () => {
  await using model = await serve((response) => {
    response.writeHead(429, { "retry-after": "7" });
    response.end("slow down");
  });
  const told: unknown[] = [];
  const stop = new AbortController();
  const onRetry: ModelFetchOptions["onRetry"] = (failure, delayMs) => {
    told.push(failure, delayMs >= 7000);
    stop.abort(new Error("enough"));
  };
  const send = modelFetch({ retry: soon, onRetry });
  await assert.rejects(send(model.url, { ...post, signal: stop.signal }), /enough/);
  assert.deepEqual(told, [{ type: "status", status: 429, retryAfterMs: 7000 }, true]);
  assert.equal(model.requests.length, 1);
  const last = await modelFetch({ retry: { retryAfterMsMax: 1000 } })(model.url, { ...post, signal: limit() });
  assert.deepEqual([last.status, await last.text()], [429, "slow down"]);
});

test("a passing status is tried again, a lasting one is not", async () => {
  const status =
    (code: number): Answer =>
    (response) => {
      response.writeHead(code, { "retry-after": "0" });
      response.end(String(code));
    };
  await using model = await serve(status(529), status(503), whole, status(400));
  const send = modelFetch({ retry: soon });
  assert.equal((await send(model.url, { ...post, signal: limit() })).status, 200);
  assert.equal(model.requests.length, 3);
  assert.equal((await send(model.url, { ...post, signal: limit() })).status, 400);
  assert.equal(model.requests.length, 4);
});

test("a passing status is tried again also when its text breaks off", async () => {
  const broken: Answer = (response) => {
    response.writeHead(503, { "content-length": "100" });
    response.write("part", () => response.socket?.destroy());
  };
  await using model = await serve(broken, broken, whole);
  // The connection breaks during the wait, before the text is dropped.
  const response = await modelFetch({ retry: { delayMsMin: 100, delayMsMax: 100 } })(model.url, {
    ...post,
    signal: limit(),
  });
  assert.equal(await response.text(), "whole");
});

test("silence before the first byte is tried again", async () => {
  await using model = await serve(
    () => {},
    (response) => response.writeHead(200).flushHeaders(),
    whole,
  );
  const failures: string[] = [];
  const idle = { firstEventMs: 500 };
  // On a busy machine the last answer may come too late a few times.
  const send = modelFetch({ retry: { ...soon, attemptsMax: 10 }, idle, onRetry: ({ type }) => failures.push(type) });
  const response = await send(model.url, { ...post, signal: limit() });
  assert.equal(await response.text(), "whole");
  assert.deepEqual(new Set(failures), new Set(["idle"]));
});

test("a stream of nothing but pings and comments is idle, and is not asked for again", async () => {
  let pings = 0;
  await using model = await serve((response) => {
    response.writeHead(200, stream);
    response.write("data: one\n\n");
    const timer = setInterval(() => {
      pings += 1;
      response.write("event: ping\ndata: {}\n\n: still here\n\n");
    }, 20);
    response.on("close", () => clearInterval(timer));
  });
  const send = modelFetch({ retry: soon, idle: { betweenEventsMs: 200 } });
  const response = await send(model.url, { ...post, signal: limit() });
  const read = async (): Promise<void> => {
    for await (const chunk of response.body ?? []) assert.ok(chunk.length > 0);
  };
  assert.equal(await reasonOf(read()), "idle");
  assert.ok(pings > 0);
  assert.equal(model.requests.length, 1);
});

test("a server that fails too often is left alone, then tried with one request at a time until it answers", async () => {
  const held = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const trial: Answer = async (response) => {
    asked.resolve();
    await held.promise;
    response.end("back");
  };
  const asker = (model: Model, openMs: number): (() => Promise<string>) => {
    const send = modelFetch({ retry: { attemptsMax: 1 }, breaker: { callsMin: 2, openMs, openMsMax: 60_000 } });
    return async () => (await send(model.url, { ...post, signal: limit() })).text();
  };
  await using failing = await serve(reset);
  const askFailing = asker(failing, 60_000);
  assert.deepEqual([await reasonOf(askFailing()), await reasonOf(askFailing())], ["reset", "reset"]);
  assert.equal(await reasonOf(askFailing()), "breaker");
  assert.equal(failing.requests.length, 2, "an open breaker sends nothing");

  await using model = await serve(reset, reset, trial, whole);
  const ask = asker(model, 50);
  assert.deepEqual([await reasonOf(ask()), await reasonOf(ask())], ["reset", "reset"]);
  const untilTrial = async (): Promise<string> => {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        const { retryInMs } = (error as LecternError).details;
        await new Promise((resolve) => setTimeout(resolve, Number(retryInMs)));
      }
    }
  };
  const first = untilTrial();
  await asked.promise;
  assert.equal(await reasonOf(ask()), "breaker", "one trial at a time");
  held.resolve();
  assert.equal(await first, "back");
  assert.deepEqual(await Promise.all([ask(), ask()]), ["whole", "whole"]);
});

test("while the answer of a trial streams, other requests pass; an error as its first event closes no breaker", async () => {
  const streaming: Answer = (response) => {
    response.writeHead(200, stream);
    response.write("data: one\n\n");
  };
  const failing: Answer = (response) => {
    response.writeHead(200, stream);
    response.write('event: error\ndata: {"type":"error"}\n\n');
  };
  for (const [answer, next] of [
    [streaming, "whole"],
    [failing, "breaker"],
  ] as const) {
    await using model = await serve(reset, reset, answer, whole);
    const send = modelFetch({ retry: { attemptsMax: 1 }, breaker: { callsMin: 2, openMs: 1, openMsMax: 60_000 } });
    const open = async (): Promise<Response> => await send(model.url, { ...post, signal: limit() });
    assert.deepEqual([await reasonOf(open()), await reasonOf(open())], ["reset", "reset"]);
    await new Promise((resolve) => setTimeout(resolve, 2));
    const trial = (await open()).body!.getReader();
    await trial.read();
    const other = open().then(async (response) => await response.text());
    assert.equal(next === "whole" ? await other : await reasonOf(other), next);
    await trial.cancel();
  }
});

test("a server whose answer streams is asked further, however often it fails meanwhile", async () => {
  const streaming: Answer = (response) => {
    response.writeHead(200, stream);
    response.write("data: one\n\n");
  };
  await using model = await serve(streaming, reset);
  const send = modelFetch({ retry: { attemptsMax: 1 }, breaker: { callsMin: 2, openMs: 60_000, openMsMax: 60_000 } });
  const reader = (await send(model.url, { ...post, signal: limit() })).body!.getReader();
  await reader.read();
  const ask = async (): Promise<unknown> => reasonOf(send(model.url, { ...post, signal: limit() }));
  assert.deepEqual([await ask(), await ask(), await ask(), await ask()], ["reset", "reset", "reset", "reset"]);
  await reader.cancel();
  assert.equal(await ask(), "breaker");
});

test("an aborted request rejects with the reason of its signal, before and in the answer", async () => {
  const stop = new AbortController();
  await using model = await serve((response) => {
    response.writeHead(200, stream);
    response.write("data: one\n\n");
  });
  const send = modelFetch({ retry: soon });
  const response = await send(model.url, { ...post, signal: stop.signal });
  const reader = response.body!.getReader();
  await reader.read();
  const next = reader.read();
  collectGarbage();
  const enough = new Error("enough");
  stop.abort(enough);
  await assert.rejects(next, enough);
  await assert.rejects(send(model.url, { ...post, signal: stop.signal }), enough);
  assert.equal(model.requests.length, 1);
});

test("no connection is an error that names the server", async () => {
  const model = await serve(whole);
  const { url } = model;
  await model[Symbol.asyncDispose]();
  const send = modelFetch({ retry: { ...soon, attemptsMax: 2 } });
  await assert.rejects(send(url, { ...post, signal: limit() }), {
    code: "NOT_AVAILABLE",
    message: /^Cannot reach the model server http:\/\/127\.0\.0\.1:\d+: /,
    details: { reason: "refused" },
  });
});
