import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "./support/scripted-model/scripted-model.ts";
import { bodyOf, dialects, pathOf, post, routeOf, turnIn } from "./support/model-requests.ts";
import { TemporaryGateway } from "./support/temporary-gateway.ts";

const say = "I run it.";
const call = { name: "shell", arguments: { command: "ls -l" } };
const noRm = `
version: 1
default: allow
rules:
  - { id: no-rm, effect: deny, tool: shell, arguments: [{ at: /command, regex: "^rm" }], reason: "Nothing is deleted here" }
  - { id: ask-push, effect: ask, tool: shell, arguments: [{ at: /command, regex: "push" }] }
`;

for (const dialect of dialects) {
  for (const stream of [true, false]) {
    const how = `${dialect}, ${stream ? "streamed" : "in one piece"}`;
    test(`the gateway passes a turn on byte by byte (${how})`, async () => {
      const turns = [{ say, calls: [call] }];
      await using direct = await ScriptedModel.start({ turns });
      await using model = await ScriptedModel.start({ turns });
      await using gateway = await TemporaryGateway.start(model.url);
      const body = bodyOf(dialect, stream);
      const version = dialect.startsWith("openai") ? "/v1" : "";
      const wanted = await (await post(`${direct.url}${version}${pathOf(dialect, stream)}`, body)).text();
      const response = await post(`${gateway.url(routeOf[dialect])}${pathOf(dialect, stream)}`, body);
      const { text, turn } = await turnIn(dialect, response);
      // The ids differ from server to server.
      const ids = /(?:msg|call)_(?:msg_)?[a-z0-9]{7,}/g;
      assert.equal(text.replaceAll(ids, "id"), wanted.replaceAll(ids, "id"));
      assert.deepEqual([turn.text, turn.toolCalls.length, turn.finish], [say, 1, "tool_calls"]);
      const types = gateway.rows.map(({ type }) => type);
      assert.deepEqual(types, ["decision", "start"]);
      const mark = await gateway.mark("wire-turn");
      assert.deepEqual([mark.text, mark.calls.length, mark.refused], [say, 1, []]);
      assert.equal(mark.usage?.inputTokens, 100);
      const request = await gateway.mark("wire-request");
      assert.deepEqual(request.parts, [{ type: "user", text: "Do it" }]);
    });

    test(`an answer ends when the journal has its turn (${how})`, async () => {
      await using model = await ScriptedModel.start({ turns: [{ say }] });
      await using gateway = await TemporaryGateway.start(model.url);
      const written = Promise.withResolvers<void>();
      gateway.written = written.promise;
      const order: string[] = [];
      const response = post(`${gateway.url(routeOf[dialect])}${pathOf(dialect, stream)}`, bodyOf(dialect, stream));
      const ended = response.then(async (answer) => await answer.text()).then(() => order.push("ended"));
      await gateway.mark("wire-turn");
      // An answer that is over would have come before this one.
      await fetch(`${gateway.origin}/wire/none`);
      order.push("written");
      written.resolve();
      await ended;
      assert.deepEqual(order, ["written", "ended"]);
    });

    test(`the gateway replaces a denied call by a text and passes the other one (${how})`, async () => {
      const calls = [{ name: "shell", arguments: { command: "rm -rf /" } }, call];
      await using model = await ScriptedModel.start({ turns: [{ say, calls }] });
      await using gateway = await TemporaryGateway.start(model.url, { policy: noRm });
      const url = `${gateway.url(routeOf[dialect])}${pathOf(dialect, stream)}`;
      const { turn } = await turnIn(dialect, await post(url, bodyOf(dialect, stream)));
      assert.deepEqual(
        turn.toolCalls.map(({ arguments: value }) => value),
        [call.arguments],
      );
      assert.match(turn.text, /The tool call "shell" was refused and not executed: .*Nothing is deleted here/);
      assert.deepEqual(
        gateway.rows.map((row) => (row.type === "decision" ? `${row.effect} by ${row.decidedBy}` : row.type)),
        ["deny by no-rm", "allow by default", "start"],
      );
      assert.equal((await gateway.mark("wire-turn")).refused.length, 1);
    });

    test(`the gateway holds a call until somebody allows it (${how})`, async () => {
      const calls = [{ name: "shell", arguments: { command: "git push" } }];
      await using model = await ScriptedModel.start({ turns: [{ say, calls }] });
      await using gateway = await TemporaryGateway.start(model.url, { policy: noRm, pass: { keepAliveMs: 5 } });
      const url = `${gateway.url(routeOf[dialect])}${pathOf(dialect, stream)}`;
      const answered = post(url, bodyOf(dialect, stream)).then((response) => turnIn(dialect, response));
      await gateway.mark("wire-approval");
      const { signal } = new AbortController();
      while (gateway.approvals.list().length === 0) await gateway.approvals.changed(signal);
      const [question] = gateway.approvals.list();
      assert.deepEqual([question?.source, question?.details], ["wire", '{"command":"git push"}']);
      await new Promise((done) => setTimeout(done, 30)); // Some signs of life come.
      await gateway.approvals.answer({
        session: "s1",
        id: question!.id,
        option: "allow",
        digest: question!.digest,
        by: "anna",
      });
      const { turn } = await answered;
      assert.deepEqual([turn.toolCalls.length, turn.finish], [1, "tool_calls"]);
      const types = gateway.rows.map(({ type }) => type);
      assert.deepEqual(types, ["decision", "answer", "start"]);
    });
  }

  test(`the gateway passes no call of a turn that is cut (${dialect})`, async () => {
    const last = { anthropic: 9, "openai-chat": 5, "openai-responses": 12, gemini: 2 };
    for (const end of ["cut", "truncate"] as const) {
      await using model = await ScriptedModel.start({
        turns: [{ say, calls: [call], [end]: last[dialect], delayMs: 5 }],
      });
      await using gateway = await TemporaryGateway.start(model.url);
      const { text, turn } = await turnIn(
        dialect,
        await post(`${gateway.url(routeOf[dialect])}${pathOf(dialect)}`, bodyOf(dialect)),
      );
      assert.equal(turn.toolCalls.length, 0, text);
      assert.equal(turn.finish, "error");
      assert.match(turn.error?.message ?? "", /in the middle of a turn/);
      assert.deepEqual(
        gateway.rows.map((row) => (row.type === "decision" ? [row.effect, row.decidedBy] : row.type)),
        [["deny", "structural"]],
      );
    }
  });

  test(`the gateway passes no call of a turn at its length limit (${dialect})`, async () => {
    await using model = await ScriptedModel.start({ turns: [{ say, calls: [call], finish: "length" }] });
    await using gateway = await TemporaryGateway.start(model.url);
    const { turn } = await turnIn(
      dialect,
      await post(`${gateway.url(routeOf[dialect])}${pathOf(dialect)}`, bodyOf(dialect)),
    );
    assert.deepEqual([turn.toolCalls.length, turn.finish], [0, "length"]);
    assert.match(turn.text, /cut off by the token limit/);
  });
}
