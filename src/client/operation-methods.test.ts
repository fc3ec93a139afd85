import assert from "node:assert/strict";
import { test } from "node:test";
import { operationNames, operations, type Operation } from "../protocol/operations.ts";
import { LecternClient } from "./client.ts";
import type { Transport } from "./transport.ts";

/** A client that writes down what it requests, and answers `{}`. */
function recording(): { readonly client: LecternClient; readonly sent: string[] } {
  const sent: string[] = [];
  const transport: Transport = {
    request: async ({ method, path, body }) => {
      sent.push([method, path, body].filter((part) => typeof part === "string").join(" "));
      return {
        status: 200,
        header: () => undefined,
        chunks: (async function* chunks() {
          yield new TextEncoder().encode("{}");
        })(),
        cancel: () => undefined,
      };
    },
    openSocket: async () => assert.fail("no socket"),
  };
  return { client: new LecternClient(transport), sent };
}

test("each operation that answers with JSON is a method of its group, and no other is", () => {
  const { client } = recording();
  for (const name of operationNames) {
    const { stream, upload }: Operation = operations[name];
    const [group = "", method = ""] = name.split(".");
    const found = (client as unknown as Record<string, Record<string, unknown> | undefined>)[group]?.[method];
    assert.equal(typeof found === "function", stream === undefined && upload === undefined, name);
  }
});

test("a method takes the parameters of its path in order and then the rest, or all as one object", async () => {
  const { client, sent } = recording();
  await client.sessions.list();
  await client.sessions.list({ state: "running" });
  await client.sessions.get("box/build");
  await client.sessions.get({ session: "build" });
  await client.sessions.input("build", { text: "date", enter: true });
  await client.approvals.answer("build", "a1", { option: "allow", digest: "0" });
  await client.on("box").sessions.create({ command: ["bash"] });
  assert.deepEqual(sent, [
    "GET /v1/sessions",
    "GET /v1/sessions?state=running",
    "GET /v1/machines/box/sessions/build",
    "GET /v1/sessions/build",
    'POST /v1/sessions/build/input {"text":"date","enter":true}',
    'POST /v1/sessions/build/approvals/a1 {"option":"allow","digest":"0"}',
    'POST /v1/machines/box/sessions {"command":["bash"]}',
  ]);
});

test("a text too many and an option that does not exist are refused before anything is sent", async () => {
  const { client, sent } = recording();
  const list = client.sessions.list as (...given: unknown[]) => Promise<unknown>;
  await assert.rejects(list("build"), { name: "TypeError", message: /sessions.list takes no text/ });
  await assert.rejects(list({}, { timeout: 5 }), { code: "INVALID_INPUT", message: /"timeout" of call/ });
  assert.deepEqual(sent, []);
});

test("a client takes the address of a daemon, and refuses what is not a part of one", () => {
  assert.ok(new LecternClient({ url: "http://127.0.0.1:9", token: "t" }));
  const wrong = { url: "http://127.0.0.1:9", tokens: "t" };
  const Client: new (daemon?: unknown) => LecternClient = LecternClient as never;
  for (const nothing of [undefined, null, "http://127.0.0.1:9"])
    assert.throws(() => new Client(nothing), { code: "INVALID_INPUT", message: /LecternClient.connect/ });
  assert.throws(() => new LecternClient(wrong), { message: /"tokens" of LecternClient: did you mean "token"\?/ });
});

test("without an address, the client for browsers names the one that can start a daemon", async () => {
  await assert.rejects(LecternClient.connect(), { code: "NOT_AVAILABLE", message: /LecternClient from "lectern"/ });
});
