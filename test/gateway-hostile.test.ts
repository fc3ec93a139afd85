/** Model servers and clients that do what they should not: each gets a clear answer in its dialect, and no call is passed on. */
import assert from "node:assert/strict";
import { type IncomingMessage, request } from "node:http";
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { bodyOf, dialects, pathOf, post, routeOf, turnIn } from "./support/model-requests.ts";
import { serverOf } from "./support/request-server.ts";
import { ScriptedModel } from "./support/scripted-model/scripted-model.ts";
import { TemporaryGateway } from "./support/temporary-gateway.ts";
import { certificate, privateKey } from "./support/test-certificate.ts";

const noRetry = { retry: { attemptsMax: 1 } };
const sse = { "content-type": "text/event-stream" };

const messages = "/v1/messages";
const askAnthropic = (gateway: TemporaryGateway, init: RequestInit = {}): Promise<Response> =>
  post(`${gateway.url("anthropic")}${messages}`, bodyOf("anthropic"), init);

for (const dialect of dialects) {
  test(`a server that cannot be reached is an error in the dialect ${dialect}`, async () => {
    await using gateway = await TemporaryGateway.start("http://127.0.0.1:1", { upstream: noRetry });
    const response = await post(`${gateway.url(routeOf[dialect])}${pathOf(dialect)}`, bodyOf(dialect));
    assert.equal(response.status, 502);
    const { turn } = await turnIn(dialect, response);
    assert.equal(turn.error?.type, "upstream_unreachable");
    assert.match(turn.error?.message ?? "", /cannot be reached \(ECONNREFUSED\)/);
    assert.equal((await gateway.mark("wire-turn")).error?.type, "upstream_unreachable");
  });

  test(`a page of HTML, whatever its status, is an error in the dialect ${dialect}`, async () => {
    for (const status of [200, 404]) {
      await using server = await serverOf((response) =>
        response.writeHead(status, { "content-type": "text/html" }).end("<html>no</html>"),
      );
      await using gateway = await TemporaryGateway.start(server.url, { upstream: noRetry });
      const response = await post(`${gateway.url(routeOf[dialect])}${pathOf(dialect)}`, bodyOf(dialect));
      assert.equal(response.status, status === 200 ? 502 : 404);
      const { turn } = await turnIn(dialect, response);
      assert.equal(turn.error?.type, "upstream_malformed");
      assert.match(turn.error?.message ?? "", new RegExp(`answered ${status} with text/html`));
    }
  });

  test(`a server that falls silent is an error in the dialect ${dialect}`, async () => {
    await using model = await ScriptedModel.start({ turns: [{ say: "I begin to say something", stall: 1 }] });
    const idle = { betweenEventsMs: 50 };
    await using gateway = await TemporaryGateway.start(model.url, { pass: { idle } });
    const response = await post(`${gateway.url(routeOf[dialect])}${pathOf(dialect)}`, bodyOf(dialect));
    const { turn } = await turnIn(dialect, response);
    assert.equal(turn.error?.type, "upstream_idle");
  });
}

test("a stream without any line ending is broken off at the limit of an event", async () => {
  let written = 0;
  await using server = await serverOf((response) => {
    response.writeHead(200, sse);
    const chunk = "x".repeat(1024 * 1024);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length;
      written += chunk.length;
    };
    response.on("drain", more);
    more();
  });
  await using gateway = await TemporaryGateway.start(server.url);
  const { turn } = await turnIn("anthropic", await askAnthropic(gateway));
  assert.equal(turn.error?.type, "upstream_too_large");
  assert.ok(written < 64 * 1024 * 1024, `${written} bytes were taken`);
});

test("100,000 tool calls in one turn are refused as a whole", async () => {
  const calls = Array.from({ length: 100_000 }, (_, index) => ({
    index,
    id: `c${index}`,
    function: { name: "shell", arguments: '{"command":"ls"}' },
  }));
  const chunk = (delta: object, finish: string | null): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  await using server = await serverOf((response) =>
    response.writeHead(200, sse).end(`${chunk({ tool_calls: calls }, null)}${chunk({}, "tool_calls")}data: [DONE]\n\n`),
  );
  await using gateway = await TemporaryGateway.start(server.url);
  const { turn } = await turnIn(
    "openai-chat",
    await post(`${gateway.url("openai")}/chat/completions`, bodyOf("openai-chat")),
  );
  assert.deepEqual([turn.toolCalls.length, turn.error?.type], [0, "upstream_too_large"]);
  assert.ok(gateway.rows.every((row) => row.type === "decision" && row.effect === "deny"));
});

test("an index of 2 to the power of 31 and NUL bytes are read as what they are", async () => {
  const index = 2 ** 31;
  const delta = { tool_calls: [{ index, id: "c", function: { name: "shell", arguments: '{"command":"a\\u0000b"}' } }] };
  const chunks = [{ delta }, { delta: {}, finish_reason: "tool_calls" }].map(
    (choice) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`,
  );
  await using server = await serverOf((response) => response.writeHead(200, sse).end(chunks.join("")));
  await using gateway = await TemporaryGateway.start(server.url);
  const { turn } = await turnIn(
    "openai-chat",
    await post(`${gateway.url("openai")}/chat/completions`, bodyOf("openai-chat")),
  );
  assert.deepEqual(
    turn.toolCalls.map(({ arguments: value }) => value),
    [{ command: "a\0b" }],
  );
});

for (const dialect of dialects) {
  test(`a call of a tool whose schema does not compile is not passed on, and the model is told why (${dialect})`, async () => {
    const call = { name: "shell", arguments: { command: "ls" } };
    await using model = await ScriptedModel.start({ turns: [{ say: "I look.", calls: [call] }] });
    await using gateway = await TemporaryGateway.start(model.url);
    const broken = JSON.stringify(bodyOf(dialect)).replace('"type":"string"', '"type":"no such type"');
    const url = `${gateway.url(routeOf[dialect])}${pathOf(dialect)}`;
    const { turn } = await turnIn(dialect, await post(url, JSON.parse(broken) as object));
    assert.deepEqual(turn.toolCalls, []);
    assert.match(turn.text, /refused and not executed: .*schema/);
    assert.deepEqual(
      gateway.rows.map((row) => row.type === "decision" && [row.effect, row.decidedBy, row.evidence]),
      [["deny", "structural", "schema-unusable"]],
    );
  });
}

test("data that is no JSON is an error, and is not passed on", async () => {
  await using server = await serverOf((response) => response.writeHead(200, sse).end("data: <html>\n\n"));
  await using gateway = await TemporaryGateway.start(server.url, { upstream: noRetry });
  const { text, turn } = await turnIn("anthropic", await askAnthropic(gateway));
  assert.equal(turn.error?.type, "upstream_malformed");
  assert.doesNotMatch(text, /html/);
});

test("a passing failure is tried again while nothing was passed on, and the client sees one answer", async () => {
  const retry = { retry: { delayMsMin: 1, delayMsMax: 5 } };
  await using model = await ScriptedModel.start({ turns: [{ status: 529 }, { status: 503 }, { say: "At last" }] });
  await using gateway = await TemporaryGateway.start(model.url, { upstream: retry });
  const { turn } = await turnIn("anthropic", await askAnthropic(gateway));
  assert.equal(turn.text, "At last");
  assert.equal((await gateway.mark("wire-turn")).attempts, 3);
  assert.equal(model.requests.length, 3);
});

test("a lasting failure is passed on as it came, and is not tried again", async () => {
  await using model = await ScriptedModel.start({
    turns: [{ status: 400, error: { type: "bad", message: "Too long" } }],
  });
  await using gateway = await TemporaryGateway.start(model.url);
  const response = await askAnthropic(gateway);
  assert.equal(response.status, 400);
  assert.deepEqual((await turnIn("anthropic", response)).turn.error, { type: "bad", message: "Too long" });
  assert.equal(model.requests.length, 1);
});

test("a server that fails again and again is left alone for a while", async () => {
  await using server = await serverOf((response) => response.socket?.destroy());
  const breaker = { openMs: 60_000 };
  await using gateway = await TemporaryGateway.start(server.url, { upstream: { ...noRetry, breaker } });
  const types: (string | undefined)[] = [];
  for (let round = 0; round < 7; round += 1) {
    const response = await askAnthropic(gateway);
    types.push((await turnIn("anthropic", response)).turn.error?.type);
    if (response.status === 503) assert.ok(Number(response.headers.get("retry-after")) > 0);
  }
  assert.deepEqual([types[0], types.at(-1)], ["upstream_reset", "upstream_breaker_open"]);
  assert.equal(server.requests.length, 5);
});

test("while the first answer after failures streams, other requests pass", async () => {
  const begin = {
    type: "message_start",
    message: { id: "m", type: "message", role: "assistant", content: [], model: "m" },
  };
  const failures = 5;
  await using server = await serverOf((response) => {
    if (server.requests.length <= failures) response.socket?.destroy();
    else response.writeHead(200, sse).write(`event: message_start\ndata: ${JSON.stringify(begin)}\n\n`);
  });
  const upstream = { ...noRetry, breaker: { openMs: 1 } };
  await using gateway = await TemporaryGateway.start(server.url, { upstream });
  for (let round = 0; round < failures; round += 1) await turnIn("anthropic", await askAnthropic(gateway));
  await new Promise((resolve) => setTimeout(resolve, 2));
  const trial = (await askAnthropic(gateway)).body!.getReader();
  assert.match(new TextDecoder().decode((await trial.read()).value), /message_start/);
  const other = await askAnthropic(gateway);
  assert.equal(other.status, 200);
  await Promise.all([trial.cancel(), other.body?.cancel()]);
});

for (const [encoding, pack] of Object.entries({ gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync })) {
  test(`an answer packed with ${encoding} is unpacked, and its calls pass the gate`, async () => {
    const call = { type: "tool_use", id: "c1", name: "shell", input: { command: "ls" } };
    const body = JSON.stringify({ id: "m", model: "m", content: [call], stop_reason: "tool_use" });
    await using server = await serverOf((response, incoming) => {
      assert.equal(incoming.headers["accept-encoding"], encoding);
      response.writeHead(200, { "content-type": "application/json", "content-encoding": encoding }).end(pack(body));
    });
    await using gateway = await TemporaryGateway.start(server.url);
    const response = await askAnthropic(gateway, { headers: { "accept-encoding": `${encoding}, deflate` } });
    assert.equal(response.headers.get("content-encoding"), null);
    assert.equal(await response.text(), body);
    assert.equal(gateway.rows.length, 2);
  });
}

test("a server that speaks HTTP/2 is spoken to in HTTP/2, and its stream comes through", async () => {
  const server = createSecureServer({ key: privateKey, cert: certificate, allowHTTP1: false }, (incoming, response) => {
    incoming.resume();
    response.writeHead(200, sse);
    response.end(
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","model":"h2"}}\n\n' +
        'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n' +
        'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    const url = `https://localhost:${(server.address() as AddressInfo).port}`;
    await using gateway = await TemporaryGateway.start(url, { upstream: { certificates: certificate } });
    const { turn } = await turnIn("anthropic", await askAnthropic(gateway));
    assert.deepEqual([turn.model, turn.finish], ["h2", "stop"]);
  } finally {
    server.close();
  }
});

test("an agent that goes away stops the server's stream, and its question is taken back", async () => {
  const gone = Promise.withResolvers<void>();
  await using server = await serverOf((response) => {
    response.writeHead(200, sse).write(": hello\n\n");
    response.once("close", () => gone.resolve());
  });
  await using gateway = await TemporaryGateway.start(server.url);
  const controller = new AbortController();
  const response = await askAnthropic(gateway, { signal: controller.signal });
  await response.body?.getReader().read();
  controller.abort();
  await gone.promise;

  const policy = "version: 1\ndefault: ask\n";
  await using model = await ScriptedModel.start({
    turns: [{ calls: [{ name: "shell", arguments: { command: "ls" } }] }],
  });
  await using asking = await TemporaryGateway.start(model.url, { policy });
  const leaving = new AbortController();
  const answer = askAnthropic(asking, { signal: leaving.signal }).then((found) => found.text());
  answer.catch(() => undefined);
  while (asking.approvals.list().length === 0) await asking.approvals.changed(new AbortController().signal);
  const closed = asking.approvals.changed(new AbortController().signal);
  leaving.abort();
  await closed;
  assert.deepEqual(asking.approvals.list(), []);
  await assert.rejects(answer);
});

test("a question that nobody answers in time is denied", async () => {
  const policy = "version: 1\ndefault: ask\n";
  await using model = await ScriptedModel.start({
    turns: [{ calls: [{ name: "shell", arguments: { command: "ls" } }] }],
  });
  await using gateway = await TemporaryGateway.start(model.url, { policy, approvalMs: 20 });
  const { turn } = await turnIn("anthropic", await askAnthropic(gateway));
  assert.deepEqual([turn.toolCalls.length, turn.finish], [0, "stop"]);
  assert.match(turn.text, /Nobody approved it in time/);
  assert.deepEqual(
    gateway.rows.map((row) => (row.type === "answer" ? row.approver : row.type)),
    ["decision", "timeout"],
  );
});

test("nothing is passed on that could not be written down", async () => {
  await using model = await ScriptedModel.start({
    turns: [{ calls: [{ name: "shell", arguments: { command: "ls" } }] }],
  });
  await using gateway = await TemporaryGateway.start(model.url);
  gateway.auditFails = true;
  const { turn } = await turnIn("anthropic", await askAnthropic(gateway));
  assert.deepEqual([turn.toolCalls.length, turn.error?.type], [0, "gateway_failed"]);
});

test("the same call is not passed on twice, and its result ends it in the audit log", async () => {
  const turn = { calls: [{ id: "toolu_1", name: "shell", arguments: { command: "ls" } }] };
  await using model = await ScriptedModel.start({ turns: [turn, turn, { say: "Done" }] });
  await using gateway = await TemporaryGateway.start(model.url);
  const first = await turnIn("anthropic", await askAnthropic(gateway));
  const second = await turnIn("anthropic", await askAnthropic(gateway));
  assert.deepEqual([first.turn.toolCalls.length, second.turn.toolCalls.length], [1, 0]);
  const result = { type: "tool_result", tool_use_id: "toolu_1", content: "files" };
  const body = { ...bodyOf("anthropic"), messages: [{ role: "user", content: [result] }] };
  await (await post(`${gateway.url("anthropic")}${messages}`, body)).text();
  assert.deepEqual(
    gateway.rows.map(({ type }) => type),
    ["decision", "start", "outcome"],
  );
  const outcome = gateway.rows.at(-1);
  assert.ok(outcome?.type === "outcome");
  assert.deepEqual([outcome.result, outcome.evidence], ["succeeded", "claude@4 no-error"]);
});

test("the outcome of a call is what the agent's own result shows, and unknown if its session ends first", async () => {
  const calls = [0, 1, 2, 3].map((index) => ({ id: `toolu_${index}`, name: "shell", arguments: { command: "ls" } }));
  await using model = await ScriptedModel.start({ turns: [{ calls }, { say: "Done" }] });
  await using gateway = await TemporaryGateway.start(model.url);
  await turnIn("anthropic", await askAnthropic(gateway));
  const declined =
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit)";
  const content = [
    { content: "files", is_error: false },
    { content: "Exit code 1", is_error: true },
    { content: declined, is_error: true },
  ].map((result, index) => ({ type: "tool_result", tool_use_id: `toolu_${index}`, ...result }));
  const body = { ...bodyOf("anthropic"), messages: [{ role: "user", content }] };
  await (await post(`${gateway.url("anthropic")}${messages}`, body)).text();
  await gateway.endSession();
  assert.deepEqual(
    gateway.rows.flatMap((row) => (row.type === "outcome" ? [`${row.result}: ${row.evidence}`] : [])),
    [
      "succeeded: claude@4 no-error",
      "failed: error flag",
      "refused: claude@4 declined",
      "unknown: the session ended first",
    ],
  );
});

test("credentials reach the server and nothing else", async () => {
  await using model = await ScriptedModel.start({ turns: [{ say: "Hello" }] });
  await using gateway = await TemporaryGateway.start(model.url);
  await (await askAnthropic(gateway, { headers: { "x-api-key": "sk-other-secret", connection: "keep-alive" } })).text();
  const [sent] = model.requests;
  assert.equal(sent?.headers.authorization, "Bearer sk-secret-of-the-user");
  assert.equal(sent?.headers["x-api-key"], "sk-other-secret");
  await gateway.mark("wire-turn");
  assert.doesNotMatch(JSON.stringify([gateway.marks, gateway.rows, gateway.errors.map(String)]), /secret/);
});

test("the gateway answers nobody who does not know an address, no page of a browser, and no session that has ended", async () => {
  await using model = await ScriptedModel.start({ turns: [{ say: "Hello", times: "always" }] });
  await using gateway = await TemporaryGateway.start(model.url);
  const url = `${gateway.url("anthropic")}${messages}`;
  const statusOf = async (address: string, headers: Record<string, string> = {}): Promise<number> => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const sent = request(address, { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject).end("{}");
    return promise;
  };
  assert.equal(await statusOf(url), 200);
  assert.equal(await statusOf(url.replace(gateway.secret, "x".repeat(32))), 404);
  assert.equal(await statusOf(url.replace(gateway.secret, "-"), { "x-lectern-wire": gateway.secret }), 200);
  assert.equal(await statusOf(url, { origin: "http://evil.example" }), 404);
  assert.equal(await statusOf(url, { host: "evil.example" }), 404);
  assert.equal(await statusOf(url.replace("/anthropic", "/elsewhere")), 404);
  gateway.isLive = false;
  assert.equal(await statusOf(url), 404);
});

test("a WebSocket is refused with the status that sends an agent back to HTTP, and nobody else learns of the address", async () => {
  await using gateway = await TemporaryGateway.start("http://127.0.0.1:1");
  const headers = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
  const upgrade = async (url: string): Promise<[number | undefined, string]> => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    request(`${url}/responses`, { headers }, resolve).on("error", reject).end();
    const response = await promise;
    return [response.statusCode, Buffer.concat((await response.toArray()) as Buffer[]).toString()];
  };
  const [status, body] = await upgrade(gateway.url("openai"));
  assert.equal(status, 426);
  assert.match((JSON.parse(body) as { error: { message: string } }).error.message, /use HTTP/);
  assert.deepEqual(await upgrade(gateway.url("openai").replace(gateway.secret, "x")), [404, "Not found\n"]);
});

test("lists of models pass as they are; several answers at once and unknown streams do not", async () => {
  await using model = await ScriptedModel.start({ turns: [] });
  await using gateway = await TemporaryGateway.start(model.url);
  const list = (await (await fetch(`${gateway.url("openai")}/models`)).json()) as { data: object[] };
  assert.ok(list.data.length > 0);
  const several = await post(`${gateway.url("openai")}/chat/completions`, { ...bodyOf("openai-chat"), n: 2 });
  assert.equal(several.status, 400);
  assert.match((await turnIn("openai-chat", several)).turn.error?.message ?? "", /wants 2 answers/);
  await using server = await serverOf((response) => response.writeHead(200, sse).end("data: {}\n\n"));
  await using other = await TemporaryGateway.start(server.url);
  const stream = await post(`${other.url("anthropic")}/v1/messages/count_tokens`, {});
  assert.deepEqual([stream.status, (await turnIn("anthropic", stream)).turn.error?.type], [502, "gateway_refused"]);
});

test("a call whose stream breaks behind its last word is not passed on, and is not written down as begun", async () => {
  const calls = [{ name: "shell", arguments: { command: "ls -l" } }];
  await using model = await ScriptedModel.start({ turns: [{ say: "I run it.", calls, cut: 11, delayMs: 5 }] });
  await using gateway = await TemporaryGateway.start(model.url);
  const { turn } = await turnIn("anthropic", await askAnthropic(gateway));
  assert.deepEqual([turn.toolCalls.length, turn.error?.type], [0, "upstream_reset"]);
  assert.deepEqual(
    gateway.rows.map((row) => (row.type === "decision" ? row.effect : row.type)),
    ["deny"],
  );
});
