/** The tools of MCP for sessions on another machine: two real daemons. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { TwoMachines } from "../support/two-machines.ts";

const two = await TwoMachines.start();
after(() => two[Symbol.asyncDispose]());
const { box, here, machines, url } = two;

type Fields = Readonly<Record<string, unknown>>;

interface Answer {
  readonly text: string;
  readonly data: Fields;
}

/** Calls tools with a token. */
async function hostWith(token: string): Promise<(tool: string, input: Fields) => Promise<Answer>> {
  const client = new Client({ name: "tests", version: "1.0.0" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  after(() => client.close());
  return async (name, input) => {
    const { content, structuredContent } = await client.callTool({ name, arguments: input });
    const [first] = content as readonly { readonly text: string }[];
    return { text: first?.text ?? "", data: (structuredContent ?? {}) as Fields };
  };
}

const writer = await hostWith(await two.token("write"));

test("a shell is opened on a machine, used by its address, found and closed", async () => {
  const command = ["bash", "--norc", "--noprofile"];
  const { data: opened } = await writer("open", { command, name: "shell", machine: "box" });
  const { id } = await box.client.call("sessions.get", { session: "shell" });
  assert.deepEqual([opened["session"], opened["name"], opened["ready"]], [`box/${id}`, "box/shell", true]);
  const { data: ran } = await writer("run", { session: "box/shell", command: "echo pome''granate; (exit 3)" });
  assert.deepEqual([ran["output"], ran["exitCode"]], ["pomegranate\n", 3]);
  assert.match((await writer("read", { session: `box/${id}` })).text, /pomegranate/);
  assert.match((await writer("screen", { session: "box/shell" })).text, /pomegranate/);
  const { data: closed } = await writer("close", { session: "box/shell" });
  assert.deepEqual([closed["session"], closed["state"]], [`box/${id}`, "exited"]);
});

test("the list has the sessions of machines on demand, with the state of each machine", async () => {
  await here.run(["cat"], { name: "local" });
  machines.add("gone", "/nonexistent/daemon.sock");
  const namesOf = ({ sessions }: Fields): string[] => (sessions as { readonly name: string }[]).map(({ name }) => name);
  const { data: own } = await writer("list", {});
  assert.deepEqual([namesOf(own), own["machines"]], [["local"], undefined]);
  let { data: all } = await writer("list", { machines: true });
  // A machine that does not answer soon is listed as away.
  const stateOfBox = (): unknown => (all["machines"] as Fields[]).find(({ name }) => name === "box")?.["state"];
  while (stateOfBox() !== "connected") ({ data: all } = await writer("list", { machines: true }));
  assert.deepEqual(namesOf(all), ["local", "box/shell"]);
  assert.deepEqual(
    (all["machines"] as Fields[]).map(({ name, state, reason }) => [name, state, typeof reason]),
    [
      ["box", "connected", "object"],
      ["gone", "away", "string"],
    ],
  );
  const { data: known } = await writer("machines", {});
  assert.deepEqual(
    (known["machines"] as Fields[]).map(({ name, state }) => [name, state]),
    [
      ["box", "connected"],
      ["gone", "away"],
    ],
  );
  assert.match((await writer("read", { session: "gone/shell" })).text, /^MACHINE_AWAY: .*\nNext: /);
  machines.remove("gone");
  assert.match((await writer("read", { session: "gone/shell" })).text, /^MACHINE_NOT_FOUND: .*\nNext: /);
});

test("a daemon that hangs there delays the list no longer than its limit", async () => {
  const info = await box.info();
  assert.ok(info);
  process.kill(info.pid, "SIGSTOP");
  try {
    const { data } = await writer("list", { machines: true });
    const [machine] = data["machines"] as Fields[];
    assert.deepEqual([machine?.["state"], machine?.["reason"]], ["away", "it did not answer in 5000 ms"]);
  } finally {
    process.kill(info.pid, "SIGCONT");
  }
});

test("a caller that may only read types nowhere, and a token for one session reaches no machine", async () => {
  const reader = await hostWith(await two.token("read"));
  assert.match((await reader("read", { session: "box/shell" })).text, /pomegranate/);
  await assert.rejects(reader("send", { session: "box/shell", text: "id" }), /not found/);
  const one = await hostWith(await two.token("write", "local"));
  for (const tool of ["read", "status"]) {
    assert.match((await one(tool, { session: "box/shell" })).text, /^FORBIDDEN: /);
  }
  assert.match((await one("run", { session: "box/shell", command: "id" })).text, /^FORBIDDEN: /);
  const { data } = await one("list", { machines: true });
  assert.deepEqual([(data["sessions"] as Fields[]).length, data["machines"]], [1, undefined]);
});
