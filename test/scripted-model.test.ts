import assert from "node:assert/strict";
import { test } from "node:test";
import { readAnswer, WireReader } from "../src/core/wire/wire-reader.ts";
import type { Dialect, Turn } from "../src/core/wire/turn.ts";
import { ScriptedModel } from "./support/scripted-model/scripted-model.ts";
import type { ScriptedTurn } from "./support/scripted-model/scenario.ts";

const paths: Readonly<Record<Dialect, string>> = {
  anthropic: "/v1/messages",
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  gemini: "/v1beta/models/m:streamGenerateContent?alt=sse",
};

/** How many events there are up to somewhere in the first call. */
const eventsIntoCall: Readonly<Record<Dialect, number>> = {
  anthropic: 8,
  "openai-chat": 5,
  "openai-responses": 11,
  gemini: 3,
};

const post = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });

async function turnOf(dialect: Dialect, scripted: ScriptedTurn): Promise<Turn> {
  await using model = await ScriptedModel.start({ turns: [scripted] });
  const response = await post(`${model.url}${paths[dialect]}`, { model: "m", stream: true, messages: [] });
  const reader = new WireReader(dialect);
  for await (const chunk of response.body ?? []) reader.feed(chunk);
  reader.end();
  return reader.turn;
}

const scripted: ScriptedTurn = {
  say: "Let me look at the files.",
  calls: [
    { name: "ls", arguments: { path: "/a b" } },
    { name: "cat", arguments: { path: "x", lines: [1, 2] } },
  ],
  usage: { input: 50, output: 7, cached: 10 },
};

for (const dialect of Object.keys(paths) as Dialect[]) {
  test(`ScriptedModel says a turn in the dialect ${dialect}, streamed and in one piece`, async () => {
    const turn = await turnOf(dialect, scripted);
    assert.equal(turn.text, scripted.say);
    assert.deepEqual(
      turn.toolCalls.map(({ name, arguments: value, committable }) => ({ name, value, committable })),
      scripted.calls?.map((call) => ({ name: call.name, value: call.arguments, committable: true })),
    );
    assert.deepEqual([turn.finish, turn.usage?.inputTokens, turn.usage?.outputTokens], ["tool_calls", 50, 7]);
    await using model = await ScriptedModel.start({ turns: [scripted] });
    const path = paths[dialect].replace(":streamG", ":g");
    const whole = readAnswer(dialect, await (await post(`${model.url}${path}`, { model: "m" })).text()).turn;
    assert.deepEqual([whole.text, whole.toolCalls.length, whole.finish], [turn.text, 2, "tool_calls"]);
  });

  test(`ScriptedModel cuts a call off in the dialect ${dialect}`, async () => {
    const { finish, toolCalls } = await turnOf(dialect, { ...scripted, truncate: eventsIntoCall[dialect] });
    assert.deepEqual([finish, toolCalls.length], ["truncated", 1]);
    assert.ok(toolCalls.every(({ committable }) => !committable));
  });
}

test("ScriptedModel answers the first turn that fits, and requests without tools apart", async () => {
  await using model = await ScriptedModel.start({
    aside: "A title",
    turns: [{ when: { last: "second" }, say: "two" }, { say: "one" }],
    fallback: { status: 529 },
  });
  const ask = async (text: string, tools: object[] = [{ name: "t" }]): Promise<string> => {
    const messages = [{ role: "user", content: text }];
    const response = await post(`${model.url}/v1/messages`, { model: "m", messages, tools });
    return response.ok ? readAnswer("anthropic", await response.text()).turn.text : String(response.status);
  };
  assert.equal(await ask("anything", []), "A title");
  assert.equal(await ask("first"), "one");
  assert.equal(await ask("the second"), "two");
  assert.equal(await ask("the second"), "529");
  assert.deepEqual([model.turnRequests().length, model.turns.left], [4, 0]);
});
