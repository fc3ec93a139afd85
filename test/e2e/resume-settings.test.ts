/** What a resumed session has of the one before: the gateway with its policy, and the walls. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { nodeProgram, sandboxWithLectern } from "../support/launcher.ts";
import { bodyOf } from "../support/model-requests.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { until } from "../support/until.ts";
import { killAtOnce, SharedHome } from "./cli-home.ts";

const id = "11111111-1111-4111-8111-111111111111";

/** Under the name of Claude Code: keeps its files, and asks the model for each line that is typed. In a sandbox it has another pid. */
const agent = `
const { appendFileSync, mkdirSync, writeFileSync } = require("node:fs");
const files = process.env.HOME + "/.claude";
const project = "projects/" + process.cwd().replaceAll(/[^a-zA-Z0-9]/g, "-");
for (const name of ["sessions", project]) mkdirSync(files + "/" + name, { recursive: true });
writeFileSync(files + "/sessions/" + process.pid + ".json", JSON.stringify({ sessionId: "${id}" }));
appendFileSync(files + "/" + project + "/${id}.jsonl", "{}\\n");
try { appendFileSync(process.env.OUTSIDE, "x"); console.log("written"); } catch { console.log("held"); }
const line = "─".repeat(40);
const draw = (text) => console.log("● " + text + "\\n\\n" + line + "\\n❯ \\n" + line + "\\n  ? for shortcuts");
draw(process.argv.slice(2).join(" "));
require("node:readline").createInterface({ input: process.stdin }).on("line", async (content) => {
  const response = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
    method: "POST", headers: { "content-type": "application/json", "x-api-key": "sk-dummy" },
    body: JSON.stringify({ ...${JSON.stringify(bodyOf("anthropic", false))}, messages: [{ role: "user", content }] }),
  });
  const { content: blocks, error } = await response.json();
  draw(error ? "error " + error.message : blocks.map((block) => block.text ?? "call of " + block.name).join(" | "));
});
`;

const policy = `
version: 1
default: allow
rules:
  - { id: no-rm, effect: deny, tool: shell, arguments: [{ at: /command, glob: "rm*" }], reason: "Nothing is deleted here" }
`;

const shared = new SharedHome();

test(
  "a resumed agent is behind the same policy and the same walls",
  { skip: process.platform !== "linux" && "needs /proc" },
  async () => {
    const calls = [{ name: "shell", arguments: { command: "rm -rf /" } }];
    await using model = await ScriptedModel.start({
      turns: [
        { say: "One", calls },
        { say: "Two", calls },
      ],
    });
    const home = await shared.empty();
    const file = (name: string): string => join(home.directory, name);
    for (const name of ["bin", "project", "user/.claude/projects"]) mkdirSync(file(name), { recursive: true });
    writeFileSync(file("bin/claude"), nodeProgram(agent), { mode: 0o755 });
    writeFileSync(file("policy.yaml"), policy);
    writeFileSync(file("sandbox.yaml"), sandboxWithLectern(`${file("bin")}/`, `${file("user")}/`));
    const env = { HOME: file("user"), OUTSIDE: file("user/outside") };
    const start = [
      "-C",
      file("project"),
      "--wire",
      "--policy",
      file("policy.yaml"),
      "--upstream",
      `anthropic=${model.url}`,
    ];
    const walls = [`--sandbox=${file("sandbox.yaml")}`];
    const begun = await home.run(["run", "-d", "-n", "work", ...start, ...walls, "--", "claude"], { env });
    assert.equal(begun.code, 0, begun.stderr);

    const found = async () => await home.client.call("sessions.get", { session: "work" });
    const refused = async (text: string, answer: string): Promise<void> => {
      await home.ok("send", "work", text, "--enter");
      const pattern = `${answer} \\| \\[Lectern\\] The tool call "shell" was refused`;
      const { reason } = await home.client.call("sessions.wait", { session: "work", for: { type: "output", pattern } });
      assert.equal(reason, "output");
    };
    await until(async () => (await found()).conversation?.id === id, "the conversation is learned");
    await refused("first", "One");
    const before = await found();
    const info = await home.info();
    assert.ok(info && before.pid);
    await killAtOnce([before.pid, ...info.hosts.map(({ pid }) => pid), info.pid]);
    rmSync(home.paths.runtimeDirectory, { recursive: true, force: true });
    // The policy is the one of the start, whatever its file has become.
    writeFileSync(file("policy.yaml"), "version: 1\ndefault: allow\n");

    const resumed = await home.run(["resume", "-d", "work"], { env });
    assert.equal(resumed.code, 0, resumed.stderr);
    const after = await found();
    assert.equal(after.continues, before.id);
    assert.deepEqual(after.command.slice(1), ["--resume", id]);
    const settings = ({ gate, sandbox, workingDirectory }: typeof after) => [
      gate?.policyHash,
      gate?.mode,
      sandbox,
      workingDirectory,
    ];
    assert.deepEqual(settings(after), settings(before));
    assert.equal(after.sandbox?.backend, "bubblewrap");
    assert.ok(after.gate?.policyHash);
    await refused("second", "Two");
    const { text } = await home.client.call("sessions.screen", { session: "work", scrollback: true });
    assert.match(text, /held/);
    assert.ok(!existsSync(env.OUTSIDE));
  },
);
