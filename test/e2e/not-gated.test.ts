/** An agent that has another address than the gateway's: the session says so, loudly, until requests come. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SessionEvent } from "../../src/core/records.ts";
import type { Session } from "../../src/protocol/session.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { until } from "../support/temporary-daemon.ts";
import { writeWireAgent } from "../web/wire-agent.ts";
import { CliHome } from "./cli-home.ts";

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

async function withAgent(
  edit: Edit,
  use: (lectern: CliHome, start: (name: string, edit: Edit) => Promise<void>) => Promise<void>,
): Promise<void> {
  await using model = await ScriptedModel.start({ turns: [{ say: "I am the model.", times: "always" }] });
  await using lectern = new CliHome();
  const start = async (name: string, change: Edit): Promise<void> => {
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

    await lectern.ok("prompt", "work", "And now?");
    await gateOf(lectern, { isWanted: ({ requests, state }) => state === "on" && requests === 1 });
    assert.match(await lectern.ok("ls"), /1 requests/);
    const { records } = await lectern.client.call("sessions.records", { session: "work", types: ["mark"] });
    const states = records.flatMap((record) => {
      const event = record["event"] as SessionEvent;
      return event.type === "wire-gate" ? [event.state] : [];
    });
    assert.deepEqual(states, ["not-gated", "on"]);
  });
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
