import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { foreignPart } from "./strict-event.ts";
import { TurnHold } from "./turn-hold.ts";
import type { Dialect } from "./turn.ts";

interface Cases {
  readonly dialect: Dialect;
  readonly cases: readonly {
    readonly name: string;
    readonly stream: readonly (string | { readonly type?: string })[];
    readonly expect: { readonly error?: string };
  }[];
}

/** Clients read what these servers send in different ways. */
const refused = new Set([
  "parallel tools, interleaved blocks",
  "two calls whose arguments come in parts, interleaved by id",
]);
const fixtures = new URL("../../../test/fixtures/wire/", import.meta.url);
const eventOf = (event: string | { readonly type?: string }): string => {
  if (typeof event === "string") return `data: ${event}\n\n`;
  return `${event.type === undefined ? "" : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`;
};

test("foreignPart has nothing against the streams that vendors and other servers are known to send", () => {
  for (const file of readdirSync(fixtures).filter((name) => name.endsWith(".json"))) {
    const { cases, dialect } = JSON.parse(readFileSync(new URL(file, fixtures), "utf8")) as Cases;
    for (const { expect, name, stream } of cases) {
      const hold = new TurnHold(dialect);
      hold.feed(new TextEncoder().encode(stream.map(eventOf).join("")));
      hold.end();
      const isBroken = expect.error?.startsWith("MALFORMED:") === true || refused.has(name);
      assert.equal(hold.failure === undefined, !isBroken, `${dialect}: ${name}: ${hold.failure?.message}`);
    }
  }
});

test("foreignPart says what it does not understand in one sentence, whatever a server calls it", () => {
  const payload = { choices: [{ index: 1, delta: {} }] };
  assert.equal(
    foreignPart("openai-chat", { payload, event: "message" }),
    "The gateway does not understand choices beside the first one of the answer",
  );
  const type = `client_tool\n${"x".repeat(1000)}`;
  const said = foreignPart("anthropic", { payload: { content: [{ type }] }, event: undefined }) ?? "";
  assert.ok(said.length < 300 && !said.includes("\n"));
});

test("foreignPart refuses what a client may read as other arguments than were judged", () => {
  const foreign = (dialect: Dialect, payload: object, event = "message"): string | undefined =>
    /understand (.*) of the answer$/.exec(foreignPart(dialect, { payload: { ...payload }, event }) ?? "")?.[1];
  const call = { index: 0, id: "c", type: "function", function: { name: "sh", arguments: "{}", Arguments: "{}" } };
  assert.match(foreign("openai-chat", { choices: [{ index: 0, delta: { tool_calls: [call] } }] }) ?? "", /"Arguments"/);
  const calls = { tool_calls: [call] };
  assert.match(foreign("openai-chat", { choices: [{ index: 0, text: calls, delta: {} }] }) ?? "", /text of a choice/);
  assert.match(foreign("openai-chat", { choices: [{ index: 0, delta: { reasoning: calls } }] }) ?? "", /reasoning/);
  const parts = [{ functionCall: { name: "sh", args: {}, Args: { command: "ls" } } }];
  assert.match(foreign("gemini", { candidates: [{ content: { parts } }] }) ?? "", /"Args"/);
  const delta = { index: 0, delta: { type: "input_json_delta", partial_json: "; ls" } };
  assert.match(foreign("anthropic", delta, "content_block_delta") ?? "", /without a type/);
  const done = { item_id: "i", output_index: 0, arguments: "{}" };
  assert.match(foreign("openai-responses", done, "response.function_call_arguments.done") ?? "", /without a type/);
});
