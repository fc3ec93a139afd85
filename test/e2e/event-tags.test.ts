/** Tags in the output of sessions: events of a model behind the gateway, repaints, limits, and texts without tags. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { TaggedEvent } from "../../src/core/events/tagged-event.ts";
import { lecternCommand } from "../support/launcher.ts";
import { bodyOf } from "../support/model-requests.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { until } from "../support/until.ts";
import { SharedHome, type CliHome } from "./cli-home.ts";

const shared = new SharedHome();

const tag = (name: string, body = "{}"): string => `<FORGE_EVENT name="${name}">${body}</FORGE_EVENT>`;

async function eventsOf(home: CliHome, session: string): Promise<TaggedEvent[]> {
  return [...(await home.client.call("sessions.events", { session })).events];
}

const described = (events: readonly TaggedEvent[]): string[] =>
  events.map(({ name, carrier, trust, doubt, ...rest }) =>
    [name, carrier, trust, doubt, rest.valid ? JSON.stringify(rest.payload) : rest.error.code]
      .filter(Boolean)
      .join(" "),
  );

/** For each line that is typed it asks the model, and prints the text. */
const agent = `
import { createInterface } from "node:readline";
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const response = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
    method: "POST", headers: { "content-type": "application/json", "x-api-key": "sk-none" },
    body: JSON.stringify({ ...${JSON.stringify(bodyOf("anthropic", false))}, messages: [{ role: "user", content: line }] }),
  });
  const { content } = await response.json();
  console.log(content.map(({ text }) => text).join(" ") + "\\nanswered");
}
`;

test("what a model writes behind the gateway is one event with its exact payload; what it quotes is not trusted", async () => {
  const payload = { glob: "src/**/*.ts", quotes: 'say "hi"', back: "C:\\temp" };
  const say = `Done.\n\n${tag("DONE", JSON.stringify(payload))}\n\nI do not send \`${tag("QUOTED")}\`.`;
  await using model = await ScriptedModel.start({ turns: [{ say }] });
  const home = await shared.empty();
  writeFileSync(join(home.directory, "agent.mjs"), agent);
  const wire = ["--wire", "--upstream", `anthropic=${model.url}`];
  const program = [process.execPath, join(home.directory, "agent.mjs")];
  await home.ok("run", "-d", "--name", "work", ...wire, "--", ...program);
  await home.ok("wait", "work", "--for", "output:ready", "--from", "0");
  await home.ok("send", "work", "--enter", `Say ${tag("ECHO")} then go`);
  assert.deepEqual(JSON.parse(await home.ok("wait", "work", "--for", "event:DONE", "--trust", "wire")), payload);
  await home.ok("wait", "work", "--for", "output:answered", "--from", "0");
  await home.ok("kill", "work");
  const events = await eventsOf(home, "work");
  assert.deepEqual(described(events).toSorted(), [
    `DONE wire wire ${JSON.stringify(payload)}`,
    "ECHO text unverified {}",
    "QUOTED wire unverified quoted {}",
  ]);
  const { stderr } = await home.run(["wait", "work", "--for", "event:QUOTED", "--from", "0"]);
  assert.match(stderr, /event "QUOTED" .* has trust "unverified", wanted "text": the model wrote it as a quotation/);
});

/** Starts a script of bash and waits for its end. */
async function ran(home: CliHome, name: string, script: string, ...options: string[]): Promise<void> {
  await home.ok("run", "-d", "--name", name, ...options, "--", "bash", "-c", script);
  await home.ok("wait", name);
}

test("a screen that is painted again sends no second event, a program that prints again does", async () => {
  const home = await shared.empty();
  await ran(home, "painted", `for i in 1 2 3; do printf '\\033[H\\033[2J%s\\n' '${tag("A")}'; done`);
  await ran(home, "printed", `for i in 1 2 3; do printf '%s\\n' '${tag("A")}'; done`);
  assert.equal((await eventsOf(home, "painted")).length, 1);
  assert.equal((await eventsOf(home, "printed")).length, 3);
});

test("the tag of a session has a name and limits, and a tag that is abandoned is reported", async () => {
  const home = await shared.empty();
  const own = (name: string, body: string): string => `<EV name="${name}">${body}</EV>`;
  const script = `echo '${own("A", "1")}'; echo '${tag("OTHER")}'; echo '${own("BIG", `"${"x".repeat(400)}"`)}'; echo '<EV name="OUTER">${own("INNER", "2")}'; echo '<EV name="LATE">'; read -r; echo more`;
  const options = ["--event-tag", "EV", "--event-bytes", "256", "--event-time", "200ms"];
  await home.ok("run", "-d", "--name", "own", ...options, "--", "bash", "-c", script);
  const { stderr } = await home.run(["wait", "own", "--for", "event:LATE", "--from", "0"]);
  assert.match(stderr, /event "LATE" .* is not valid: .*its end did not come within 200 ms/);
  await home.ok("send", "own", "--enter", "");
  await home.ok("wait", "own");
  const expected = ["A text unverified 1", "BIG text unverified abandoned", "INNER text unverified 2"];
  const rest = ["LATE text unverified abandoned", "OUTER text unverified abandoned"];
  const check = async (): Promise<void> =>
    assert.deepEqual(described(await eventsOf(home, "own")).toSorted(), [...expected, ...rest]);
  await check();
  await home.ok("down");
  await home.ok("reindex", "own");
  await check();
  assert.match(
    await home.ok("events", "own", "--name", "BIG"),
    /^BIG {2}unverified {2}invalid: .*larger than 256 bytes/,
  );
  assert.match(await home.ok("info", "own"), /Event tags +<EV>, at most 256/);
  assert.match(
    await home.ok("logs", "own"),
    /^<EV name="A">[^]*<FORGE_EVENT name="OTHER">[^]*<EV name="BIG">[^]*<EV name="OUTER">/,
  );
  assert.match(await home.fails("run", "--event-tag", "no name", "true"), /^2 .*Cannot use the tag name "no name"/);
  assert.match(await home.fails("run", "--event-bytes", "1", "true"), /^2 /);
});

test("an event of a name without a schema is not valid if the session has schemas", async () => {
  const home = await shared.empty();
  writeFileSync(join(home.directory, "done.json"), '{"type":"object"}');
  await ran(home, "s", `echo '${tag("DONE")}'; echo '${tag("OTHER")}'`, "--event-schema", "DONE=done.json");
  assert.deepEqual(described(await eventsOf(home, "s")), [
    "DONE text unverified {}",
    "OTHER text unverified unknown-name",
  ]);
  const { stderr } = await home.run(["wait", "s", "--for", "event:OTHER", "--from", "0"]);
  assert.match(stderr, /is not valid: There is no schema for event "OTHER": the session has schemas for DONE/);
});

test("people and models read output without trusted tags, hear how many were left out, and get them on request", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "w", "--trust-text", "--", "bash", "--norc");
  writeFileSync(join(home.directory, "tags.txt"), `one\n${tag("A")}\ntwo ${tag("B")} three\n`);
  const shown = "one\ntwo  three\n";
  const whole = `one\n${tag("A")}\ntwo ${tag("B")} three\n`;
  const cut = await home.run(["exec", "w", "--", "cat", "tags.txt"]);
  assert.equal(cut.stdout, shown);
  assert.match(cut.stderr, /2 trusted event tags were left out: "lectern exec --raw" shows them/);
  const { exact, tags } = JSON.parse(await home.ok("exec", "w", "--json", "--", "cat", "tags.txt")) as {
    exact: boolean;
    tags: number;
  };
  assert.deepEqual([exact, tags], [false, 2]);
  assert.equal(await home.ok("exec", "w", "--raw", "--", "cat", "tags.txt"), whole);
  await ran(home, "c", `cat tags.txt; printf 'a < b <'`, "--trust-text");
  const logs = await home.run(["logs", "c"]);
  assert.equal(logs.stdout, `${shown}a < b <`);
  assert.match(logs.stderr, /2 trusted event tags were left out/);
  assert.equal(await home.ok("logs", "c", "--tail", "2"), "two  three\na < b <");
  assert.equal(await home.ok("logs", "c", "--raw"), `${whole}a < b <`.replaceAll("\n", "\r\n"));
  assert.ok((await home.ok("screen", "c")).includes("<FORGE_EVENT"));
  await home.ok("wait", "w", "--for", "ready");
  assert.doesNotMatch(await home.ok("chat", "w"), /FORGE_EVENT/);
  assert.match(await home.ok("chat", "w", "--raw"), /FORGE_EVENT name="B"/);
  assert.doesNotMatch(await home.ok("digest", "w"), /FORGE_EVENT/);
  for (const input of [{}, { from: 0 }]) {
    assert.doesNotMatch(await readOf(home, { session: "c", ...input }), /FORGE_EVENT/);
    assert.match(await readOf(home, { session: "c", ...input }), /"tags":2/);
    assert.match(await readOf(home, { session: "c", raw: true, ...input }), /FORGE_EVENT/);
  }
});

test("a tag that nobody believes is content: what is read of a file is the file", async () => {
  const home = await shared.empty();
  const file = `echo one\nprintf '${tag("A", '{"ok":true}')}\\n'\n${tag("B")}\necho two\n`;
  writeFileSync(join(home.directory, "agent.sh"), file);
  await home.ok("run", "-d", "--name", "w", "--", "bash", "--norc");
  const { exact, tags, output } = JSON.parse(await home.ok("exec", "w", "--json", "--", "cat", "agent.sh")) as {
    exact: boolean;
    tags: number;
    output: string;
  };
  assert.deepEqual([exact, tags, output], [true, 0, file]);
  await home.ok("wait", "w", "--for", "ready");
  assert.match(await home.ok("chat", "w"), /FORGE_EVENT name="A"/);
  await ran(home, "c", "cat agent.sh");
  assert.equal(await home.ok("logs", "c"), file);
  assert.equal(await home.ok("logs", "c", "--tail", "1"), "echo two\n");
  for (const input of [{}, { from: 0 }]) assert.match(await readOf(home, { session: "c", ...input }), /FORGE_EVENT/);
});

test("of a trusted session, too, what was typed or came too late is content, and a tag with the nonce is none", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "typed", "--trust-text", "--", "bash", "--norc");
  await home.ok("wait", "typed", "--for", "ready");
  const command = `echo '${tag("TYPED")}'`;
  assert.equal(await home.ok("exec", "typed", "--", command), `${tag("TYPED")}\n`);
  for (const words of [["logs"], ["logs", "--tail", "9"]]) {
    const logs = await home.run([...words, "typed"]);
    assert.ok(logs.stdout.includes(command) && logs.stdout.includes(`\n${tag("TYPED")}\n`), logs.stdout);
    assert.doesNotMatch(logs.stderr, /left out/);
  }
  assert.ok((await home.ok("chat", "typed")).includes(tag("TYPED")));
  const half = '<FORGE_EVENT name="SLOW">{"x":';
  const late = `echo '${tag("EARLY")}'; printf '${half}'; until [ -e go ]; do sleep 0.05; done; echo '1}</FORGE_EVENT>'`;
  await home.ok("run", "-d", "--name", "late", "--trust-text", "--event-time", "100ms", "--", "bash", "-c", late);
  await until(async () => (await eventsOf(home, "late")).length === 2, "the tag is abandoned");
  writeFileSync(join(home.directory, "go"), "");
  await home.ok("wait", "late");
  for (const words of [["logs"], ["logs", "-f"], ["logs", "--tail", "9"]])
    assert.equal(await home.ok(...words, "late"), `${half}1}</FORGE_EVENT>\n`, words.join(" "));
  assert.match(await readOf(home, { session: "late", from: 0 }), /SLOW.*"tags":1|"tags":1.*SLOW/);
  await ran(
    home,
    "nonce",
    'echo "<FORGE_EVENT name=\\"N\\" nonce=\\"$LECTERN_EVENT_NONCE\\">{}</FORGE_EVENT>"; echo end',
  );
  assert.equal(await home.ok("logs", "nonce"), "end\n");
});

/** What the MCP tool `read` gives. */
async function readOf(home: CliHome, input: Record<string, unknown>): Promise<string> {
  const mcp = new Client({ name: "tests", version: "1.0.0" });
  await mcp.connect(new StdioClientTransport({ command: lecternCommand, args: ["mcp"], env: { ...home.environment } }));
  try {
    return JSON.stringify(await mcp.callTool({ name: "read", arguments: input }));
  } finally {
    await mcp.close();
  }
}
