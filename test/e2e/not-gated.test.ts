/** An agent that has another address than the gateway's: the session says so, loudly, until requests come. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SessionEvent } from "../../src/core/records.ts";
import type { Session } from "../../src/protocol/session.ts";
import type { SessionApproval } from "../../src/protocol/views.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { until } from "../support/until.ts";
import { writeWireAgent } from "../web/wire-agent.ts";
import { SharedHome, type CliHome } from "./cli-home.ts";

const shared = new SharedHome();

interface Wanted {
  readonly session?: string;
  readonly isWanted: (gate: NonNullable<Session["gate"]>) => boolean;
}

async function gateOf(lectern: CliHome, { session = "work", isWanted }: Wanted): Promise<string> {
  const seen: NonNullable<Session["gate"]>[] = [];
  await until(async () => {
    const { gate } = await lectern.client.call("sessions.get", { session });
    if (gate !== null) seen.push(gate);
    return gate !== null && isWanted(gate);
  }, "the gate of the session is as wanted");
  return seen.at(-1)?.evidence ?? "";
}

/** Whether the agent is gated, as people are asked about it. */
async function questionsOf(lectern: CliHome): Promise<readonly SessionApproval[]> {
  const { approvals } = await lectern.client.call("approvals.list", {});
  return approvals.filter(({ question }) => question.includes("is not gated"));
}

/** All turns go elsewhere. */
const bypassingAll = (program: string, url: string): string =>
  program.replace("process.env.ANTHROPIC_BASE_URL", JSON.stringify(url));

/** Its first turn goes elsewhere, the next ones to the gateway. */
const bypassing = (program: string, url: string): string =>
  program
    .replace(
      'const url = process.env.ANTHROPIC_BASE_URL + "/v1/messages";',
      `let turns = 0; const urlOf = () => (turns++ === 0 ? ${JSON.stringify(url)} : process.env.ANTHROPIC_BASE_URL) + "/v1/messages";`,
    )
    .replace("fetch(url,", "fetch(urlOf(),");

/** Changes the program of the agent; `url` is that of the model without a gateway. */
type Edit = (program: string, url: string) => string;

type Start = (name: string, edit: Edit) => Promise<void>;

async function withAgent(edit: Edit, use: (lectern: CliHome, start: Start) => Promise<void>): Promise<void> {
  await using model = await ScriptedModel.start({ turns: [{ say: "I am the model.", times: "always" }] });
  const lectern = await shared.empty();
  const start: Start = async (name, change) => {
    const path = writeWireAgent(join(lectern.directory, name));
    writeFileSync(path, change(readFileSync(path, "utf8"), model.url), { mode: 0o700 });
    const wire = ["--wire", "--upstream", `anthropic=${model.url}`];
    await lectern.ok("run", "-d", "-n", name, ...wire, "--", path);
  };
  await start("work", edit);
  await use(lectern, start);
}

test("an agent that answers with no request at the gateway is reported as not gated, and no longer once one comes", async () => {
  await withAgent(bypassing, async (lectern) => {
    const before = await lectern.client.call("sessions.get", { session: "work" });
    assert.deepEqual([before.gate?.state, before.gate?.requests, before.gate?.policyHash], ["on", 0, null]);
    await lectern.ok("prompt", "work", "Who are you?");
    const evidence = await gateOf(lectern, { isWanted: ({ state }) => state === "not-gated" });
    assert.match(evidence, /answered "I am the model\.".*saw no request since/);
    assert.match(await lectern.ok("ls"), /NOT GATED/);
    assert.match(await lectern.ok("info", "work"), /Gate +NOT GATED: it answered[^]*Policy +none[^]*Requests +0/);
    assert.match(await lectern.ok("ls", "--json"), /"state":"not-gated"/);
    await until(async () => (await questionsOf(lectern)).length === 1, "a question about the session");
    assert.match(await lectern.ok("approvals"), /claude is not gated: end the session\?/);
    const report = /gate-\S+ gateway deny by not-gated: it answered "I am the model\."[^]*\(0 requests; 0 tool calls\)/;
    const shown = await lectern.run(["audit", "--session", "work"]);
    assert.match(shown.stdout, report);
    assert.match(shown.stderr, /^work: NOT GATED: it answered .*; 0 requests, 0 calls, no policy$/m);

    await lectern.ok("prompt", "work", "And now?");
    await gateOf(lectern, { isWanted: ({ requests, state }) => state === "on" && requests === 1 });
    assert.match(await lectern.ok("ls"), /1 requests, 0 calls, no policy, (now|\d+s ago)/);
    const { records } = await lectern.client.call("sessions.records", { session: "work", types: ["mark"] });
    const states = records.flatMap((record) => {
      const event = record["event"] as SessionEvent;
      return event.type === "wire-gate" ? [event.state] : [];
    });
    assert.deepEqual(states, ["not-gated", "on"]);
    assert.deepEqual(await questionsOf(lectern), []);
    const audit = await lectern.ok("audit", "--session", "work");
    assert.match(audit, /answered allow by the gateway, which sees its requests/);
    assert.doesNotMatch(await lectern.ok("audit", "open"), /gate-/);
  });
});

test("a session stays reported over a restart of the daemon and its own end, and a person ends it by an answer", async () => {
  await withAgent(bypassingAll, async (lectern) => {
    await lectern.ok("prompt", "work", "Who are you?");
    await gateOf(lectern, { isWanted: ({ state }) => state === "not-gated" });
    await lectern.crashDaemon();
    await lectern.ok("ls");
    assert.match(await lectern.ok("info", "work"), /Gate +NOT GATED: it answered "I am the model/);
    await until(async () => (await questionsOf(lectern)).length === 1, "the question is asked again");
    const [question] = await questionsOf(lectern);
    await lectern.ok("approve", "work", question?.id ?? "", "end", "--by", "anna");
    await lectern.client.call("sessions.wait", { session: "work", for: { type: "exit" } });
    assert.match(await lectern.ok("audit", "--session", "work"), /answered deny by person \(note: anna\)/);
    assert.deepEqual(await questionsOf(lectern), []);
    await lectern.ok("down");
    assert.match(await lectern.ok("ls", "-a"), /NOT GATED/);
    assert.match(await lectern.ok("info", "work"), /Gate +NOT GATED: it answered/);
  });
});

test("lectern run --must-gate ends an agent that bypasses the gateway, with an exit code of its own", async () => {
  await using model = await ScriptedModel.start({ turns: [{ say: "I am the model.", times: "always" }] });
  const lectern = await shared.empty();
  const path = writeWireAgent(lectern.directory);
  writeFileSync(path, bypassingAll(readFileSync(path, "utf8"), model.url), { mode: 0o700 });
  const attached = lectern.onTerminal(["run", "-n", "seen", "--wire", "--must-gate", "--", path]);
  await attached.until("? for shortcuts");
  await lectern.ok("prompt", "seen", "Who are you?");
  assert.deepEqual(await attached.ended, { reason: "exited", code: 11, signal: null });
  assert.match(attached.text, /Session "seen" was not gated: it answered "I am the model/);
  assert.match(await lectern.ok("ls", "-a"), /seen.*NOT GATED/);
  assert.deepEqual(await questionsOf(lectern), []);
});

test("a program that is not known and ends without a request is reported, and --must-gate has its exit code", async () => {
  const lectern = await shared.empty();
  const ended = await lectern.run(["run", "-n", "plain", "--wire", "--", "sh", "-c", "exit 3"]);
  assert.equal(ended.code, 3);
  assert.match(ended.stderr, /Session "plain" was not gated: it ended, and no request came: nothing was gated/);
  assert.match(await lectern.ok("ls", "-a"), /plain.*NOT GATED/);
  assert.match(await lectern.ok("info", "plain"), /Gate +NOT GATED: it ended, and no request came/);
  assert.match(
    await lectern.ok("audit", "--session", "plain"),
    /gateway deny by not-gated: it ended, and no request came/,
  );
  assert.match(await lectern.fails("run", "--wire", "--must-gate", "--", "true"), /^11 .*nothing was gated/);
  // Not a question: most programs take "-v" as "verbose".
  assert.match(await lectern.fails("run", "--wire", "--must-gate", "--", "sh", "-c", "exit 0", "-v"), /^11 /);
  const question = await lectern.run(["run", "--wire", "--must-gate", "--", "sh", "--version"]);
  assert.doesNotMatch(question.stderr, /not gated/);
  assert.match(await lectern.fails("run", "-d", "--must-gate", "--", "claude"), /^2 .*--must-gate without --wire/);
});

test("an agent without a screen that answers without a request is reported when it ends", async () => {
  const lectern = await shared.empty();
  const directory = join(lectern.directory, "bin");
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "claude"), "#!/bin/sh\necho I am the model.\n", { mode: 0o700 });
  assert.match(
    await lectern.fails("run", "-n", "batch", "--wire", "--must-gate", "--", "claude", "-p", "Who are you?"),
    /^11 .*Session "batch" was not gated: it ended, and no request came: nothing was gated/,
  );
  assert.match(
    await lectern.ok("audit", "--session", "batch"),
    /gateway deny by not-gated: it ended, and no request came/,
  );
  assert.equal((await lectern.run(["run", "--wire", "--must-gate", "--", "claude", "--version"])).code, 0);
  writeFileSync(join(directory, "claude"), "#!/bin/sh\nexit 1\n", { mode: 0o700 });
  assert.match(
    await lectern.fails("run", "--wire", "--must-gate", "--", "claude", "-p", "x"),
    /^11 .*nothing was gated/,
  );
});

test("input that stays in the agent, and turns through the gateway, are no sign of a missing gate", async () => {
  const local = (program: string): string =>
    program.replace(
      "void turn(line);",
      'if (/^[!/]/.test(line)) { say("Help is here."); state("idle"); } else void turn(line);',
    );
  await withAgent(local, async (lectern, start) => {
    const untilAnswered = (answer: string): Promise<void> =>
      until(async () => {
        const { messages } = await lectern.client.call("sessions.messages", { session: "work" });
        return messages.some(({ role, text }) => role === "assistant" && text.includes(answer));
      }, `the answer "${answer}" is known`);
    /** What is known now of "work" would be reported before the same of an agent that is asked later. */
    const untilLaterIsReported = async (session: string): Promise<void> => {
      await start(session, bypassing);
      await lectern.ok("prompt", session, "Who are you?");
      await gateOf(lectern, { session, isWanted: ({ state }) => state === "not-gated" });
    };
    const isGated = async (requests: number): Promise<void> => {
      const { gate } = await lectern.client.call("sessions.get", { session: "work" });
      assert.deepEqual([gate?.state, gate?.requests], ["on", requests]);
    };

    await lectern.ok("wait", "work", "--for", "status:waiting");
    await lectern.ok("send", "work", "/help", "--enter");
    await untilAnswered("Help is here.");
    await untilLaterIsReported("later");
    await isGated(0);

    await lectern.ok("prompt", "work", "Who are you?");
    await untilAnswered("I am the model.");
    await untilLaterIsReported("last");
    await isGated(1);
  });
});
