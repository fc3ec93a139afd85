/** Each command as a process, as a shell starts it. The other files run most commands in the process of the test. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commandNames } from "../../src/cli/commands.ts";
import { SharedHome } from "./cli-home.ts";

const shared = new SharedHome();
const home = await shared.empty();

const recording = '{"version":2,"width":80,"height":24}\n[0.1,"o","recorded\\r\\n"]\n';
writeFileSync(join(home.directory, "demo.cast"), recording);
const printer = ["bash", "-c", "echo hello; exec cat"];
for (const session of ["ended", "removed", "work"]) await home.ok("run", "-d", "-n", session, "--", ...printer);
await home.ok("run", "-d", "-n", "shell", "--", "bash", "--norc", "--noprofile");
await home.ok("exec", "shell", "--", `echo needle; ${home.launcherEnvironment.L} emit STEP 42`);
await home.ok("kill", "ended");
await home.ok("wait", "work", "--for", "output:hello", "--from", "0");

interface Call {
  /** Split at spaces. */
  readonly line: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: 0. */
  readonly code?: number;
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
}

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
});
const elsewhere = { LECTERN_HOME: join(home.directory, "elsewhere") };

const calls: Readonly<Record<string, Call>> = {
  run: { line: "run -- seq 2", stdout: /^1\r\n2\r\n$/ },
  ls: { line: "ls", stdout: /^work +running /m },
  resume: { line: "resume ended", code: 4, stderr: /--restart starts it again/ },
  rename: { line: "rename ended over", stdout: /^$/ },
  label: { line: "label work team=core", stdout: /^team=core\n$/ },
  kill: { line: "kill removed", stdout: /^removed\n$/ },
  rm: { line: "rm removed", stdout: /^removed\n$/ },
  task: { line: "task ls --json", stdout: /^\{"tasks":\[\]\}\n$/ },
  attach: { line: "attach work", code: 2, stderr: /Cannot attach to "work": .* not a terminal/ },
  share: { line: "share work", stdout: /^http:\/\/127\.0\.0\.1:\d+\//, stderr: /^Reads session "work" until / },
  open: { line: "open --print", stdout: /^http:\/\/127\.0\.0\.1:\d+\//, stderr: /^Logs one browser in/ },
  logs: { line: "logs work", stdout: /^hello\n/ },
  screen: { line: "screen work", stdout: /^hello\n/ },
  status: { line: "status shell", stdout: /^\w+ {2}/ },
  chat: { line: "chat shell", stdout: /needle/ },
  events: { line: "events shell", stdout: /^STEP .* 42$/m },
  digest: { line: "digest shell", stdout: /needle/ },
  usage: { line: "usage", stdout: /^No answer of a model was seen/ },
  search: { line: "search needle", stdout: /needle/ },
  wait: { line: "wait work --for output:hello --from 0", stdout: /hello/ },
  send: { line: "send work --enter typed", stdout: /^$/ },
  key: { line: "key work Enter", stdout: /^$/ },
  prompt: { line: "prompt shell true --shell", stdout: /^accepted \(key [\w-]+\)\n$/ },
  exec: { line: "exec shell -- echo $((6*7))", stdout: /^42\n$/ },
  put: { line: "put work - --name note.txt", input: "a note", stdout: /\/files\/note\.txt\n$/ },
  emit: { line: "emit DONE", code: 1, stderr: /LECTERN_EVENT_SOCKET is not set/ },
  resize: { line: "resize work 70x20", stdout: /^$/ },
  signal: { line: "signal work WINCH", stdout: /^$/ },
  agents: { line: "agents list --all", stdout: /^claude /m },
  approvals: { line: "approvals", stdout: /^$/ },
  approve: { line: "approve work q1", code: 3, stderr: /q1/ },
  acp: { line: "acp --proxy", code: 2, stderr: /give the agent/ },
  mcp: { line: "mcp", input: `${initialize}\n`, stdout: /"serverInfo":\{"name":"lectern"/ },
  export: { line: "export work --format text", stdout: /^hello\n/ },
  import: { line: "import demo.cast --name demo", stdout: /^demo\n$/ },
  replay: { line: "replay demo.cast", stdout: /recorded/ },
  check: { line: "check work", stdout: /^intact +work / },
  reindex: { line: "reindex work", stdout: /^work: read up to offset \d+ \(1 of 1\)\n$/ },
  blob: { line: `blob ${"0".repeat(64)}`, code: 3, stderr: /Cannot find blob/ },
  policy: { line: "policy explain coding ls", stdout: /allow/, stderr: /^Judged as a call of "bash"/ },
  audit: { line: "audit verify", stdout: /^The audit log is (?:empty|intact)/ },
  up: { line: "up --detach --port 0", code: 4, stderr: /Cannot start a second daemon: process \d+ is running/ },
  down: { line: "down", env: elsewhere, stderr: /^The daemon is not running\n$/ },
  service: { line: "service", code: 1, stdout: /not installed/ },
  reload: { line: "reload", stdout: /lectern\.yaml/ },
  config: { line: "config path", stdout: /lectern\.yaml/ },
  info: { line: "info work", stdout: /^Name +work$/m },
  hosts: { line: "hosts ls --json", stdout: /^\{"hosts":\[\]\}\n$/ },
  cluster: { line: "cluster status", stderr: /^This machine has joined no cluster/ },
  notify: { line: "notify ls", stderr: /^No channels: / },
  token: { line: "token create --label ci --json", stdout: /"label":"ci"/ },
  doctor: { line: "doctor", stdout: /^ok +daemon +version /m },
  completion: { line: "completion bash", stdout: /^complete .*lectern$/m },
  version: { line: "version", stdout: /^lectern \d+\.\d+\.\d+(?:\+[0-9a-f]{12})?\n$/ },
};

test("each command is called here", () => assert.deepEqual(new Set(Object.keys(calls)), new Set(commandNames)));

for (const { code = 0, env = {}, input = "", line, stderr = /^$/, stdout = /^$/ } of Object.values(calls)) {
  test(`lectern ${line}`, async () => {
    const ran = await home.spawn(line.split(" "), { env, input });
    assert.equal(ran.code, code, ran.stdout + ran.stderr);
    assert.match(ran.stdout, stdout);
    assert.match(ran.stderr, stderr);
  });
}
