/** The way out of a sandbox: the gateway of its own session and named hosts, and nothing else. With a real bubblewrap. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readMark } from "../../src/core/records.ts";
import type { InputOf } from "../../src/protocol/operations.ts";
import { sandboxWithLectern } from "../support/launcher.ts";
import { bodyOf } from "../support/model-requests.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";
import { CliHome } from "./cli-home.ts";

/** Tries what it is told to, and writes down how each attempt went. */
const prober = `
import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
const tcp = (to) => new Promise((done) => {
  const socket = connect(to, () => { socket.destroy(); done("connected"); });
  socket.on("error", ({ code }) => done(code));
});
const udp = (port) => new Promise((done) => {
  const socket = createSocket("udp4");
  socket.on("error", ({ code }) => done(code));
  socket.on("message", (text) => done(String(text)));
  socket.connect(port, "127.0.0.1", () => socket.send("hello", (error) => error && done(error.code)));
  setTimeout(() => done("no answer"), 20_000);
});
const viaProxy = (url) => new Promise((done) => {
  const { hostname, port } = new URL(process.env.HTTP_PROXY);
  request({ hostname, port, path: url, headers: { host: new URL(url).host } }, async (response) => {
    done(response.statusCode + " " + Buffer.concat(await Array.fromAsync(response)).toString().trim());
  }).on("error", ({ code }) => done(code)).end();
});
const model = async (base) => {
  const response = await fetch(base + "/v1/messages", { method: "POST", body: ${JSON.stringify(JSON.stringify(bodyOf("anthropic", false)))}, headers: { "content-type": "application/json" } }).catch(({ cause }) => cause.code);
  return typeof response === "string" ? response : response.status + " " + ((await response.text()).match(/"text":"([^"]*)"/)?.[1] ?? "");
};
const attempts = { tcp, udp, viaProxy, model,
  lookup: (name) => lookup(name).then(() => "found", ({ code }) => code),
  list: (path) => { try { return readdirSync(path).sort().join(" "); } catch ({ code }) { return code; } },
  write: (path) => { try { writeFileSync(path, ""); return "written"; } catch ({ code }) { return code; } },
};
const [, , plan, result] = process.argv;
const answers = {};
for (const [name, [kind, given]] of Object.entries(JSON.parse(readFileSync(plan, "utf8")))) answers[name] = await attempts[kind](given ?? process.env.ANTHROPIC_BASE_URL);
writeFileSync(result, JSON.stringify(answers));
process.exit();
`;

type Plan = Readonly<Record<string, readonly [kind: string, given?: unknown]>>;

interface Inside {
  readonly answers: Readonly<Record<string, string>>;
  readonly session: string;
}

/** A directory to work in, with the prober. */
class Workshop implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "lectern-inside-"));

  constructor() {
    writeFileSync(join(this.directory, "prober.mjs"), prober);
  }

  command(plan: Plan): [string, ...string[]] {
    writeFileSync(join(this.directory, "plan.json"), JSON.stringify(plan));
    return [process.execPath, "prober.mjs", "plan.json", "result.json"];
  }

  get answers(): Readonly<Record<string, string>> {
    return JSON.parse(readFileSync(join(this.directory, "result.json"), "utf8")) as Record<string, string>;
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

async function probe(daemon: TemporaryDaemon, plan: Plan, options: SessionOptions): Promise<Inside> {
  using workshop = new Workshop();
  const { id } = await daemon.run(workshop.command(plan), { ...options, workingDirectory: workshop.directory });
  const { exit } = await daemon.exitOf(id);
  assert.equal(exit?.code, 0, (await daemon.outputOf(id)).toString());
  return { answers: workshop.answers, session: id };
}

type SessionOptions = Omit<InputOf<"sessions.create">, "command">;

const listening = async (server: Server, parts: AsyncDisposableStack): Promise<number> => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  parts.defer(() => void server.close());
  return (server.address() as AddressInfo).port;
};

const sandboxWith = (network: unknown): NonNullable<SessionOptions["sandbox"]> => ({
  settings: `${sandboxWithLectern()}network: ${JSON.stringify(network)}\n`,
});

test("from inside, the model is reached through the gateway, and nothing else is", async () => {
  await using parts = new AsyncDisposableStack();
  const daemon = parts.use(await TemporaryDaemon.start());
  const model = parts.use(await ScriptedModel.start({ turns: [{ say: "Hello" }], fallback: { say: "Hello" } }));
  const wire = { upstreams: { anthropic: model.url } };
  const other = await daemon.run(["cat"], { wire });
  const web = createHttpServer((_, response) => response.end("the named one"));
  const named = await listening(web, parts);
  const hidden = await listening(
    createServer((socket) => socket.end()),
    parts,
  );
  let otherUrl = "";
  // A process has no environment yet in the moment between its fork and its program.
  await until(() => {
    otherUrl = /ANTHROPIC_BASE_URL=([^\0]*)/.exec(readFileSync(`/proc/${other.pid}/environ`, "utf8"))?.[1] ?? "";
    return otherUrl !== "";
  });
  const { dataDirectory, daemonSocket, runtimeDirectory } = daemon.paths;
  const { answers, session } = await probe(
    daemon,
    {
      "the model through the gateway": ["model"],
      "the model itself": ["model", model.url],
      "the gateway with the address of another session": ["model", otherUrl],
      "a service of this machine": ["tcp", { host: "127.0.0.1", port: hidden }],
      "a service of this machine over IPv6": ["tcp", { host: "::1", port: hidden }],
      "an address of the internet": ["tcp", { host: "93.184.216.34", port: 443 }],
      "a name of the internet": ["lookup", "example.com"],
      "a datagram": ["udp", 53],
      "the socket of the daemon": ["tcp", daemonSocket],
      "an abstract socket": ["tcp", "\0lectern-test"],
      "a named host": ["viaProxy", `http://127.0.0.1:${named}/`],
      "another port of a named host": ["viaProxy", `http://127.0.0.1:${hidden}/`],
      "a host that is not named": ["viaProxy", "http://example.com/"],
      "Lectern's directory": ["list", dataDirectory],
      "the directory of the sockets": ["list", runtimeDirectory],
      "the directory of its own sockets": ["write", join(runtimeDirectory, "out-fresh")],
    },
    { wire, sandbox: sandboxWith([`127.0.0.1:${named}`]) },
  );
  assert.deepEqual(answers, {
    "the model through the gateway": "200 Hello",
    "the model itself": "ECONNREFUSED",
    "the gateway with the address of another session": "404 ",
    "a service of this machine": "ECONNREFUSED",
    "a service of this machine over IPv6": "ECONNREFUSED",
    "an address of the internet": "ENETUNREACH",
    "a name of the internet": answers["a name of the internet"],
    "a datagram": "ECONNREFUSED",
    "the socket of the daemon": "ENOENT",
    "an abstract socket": "ECONNREFUSED",
    "a named host": "200 the named one",
    "another port of a named host": `403 Lectern: the sandbox of this session does not allow "127.0.0.1:${hidden}": it is not among the hosts that this session may reach`,
    "a host that is not named": `403 Lectern: the sandbox of this session does not allow "example.com:80": it is not among the hosts that this session may reach`,
    // The directory of the session's own files is below the second one, and nothing else.
    "Lectern's directory": "run sessions",
    "the directory of the sockets": answers["the directory of the sockets"],
    "the directory of its own sockets": "EROFS",
  });
  assert.match(answers["a name of the internet"] ?? "", /^E/);
  assert.match(answers["the directory of the sockets"] ?? "", new RegExp(`^ev-\\w+\\.sock out-${session}$`));
  const marks = (await daemon.recordsOf(session)).flatMap(({ event }) => {
    const mark = readMark(event);
    return mark.type === "net-denied" ? [mark] : [];
  });
  assert.deepEqual(
    marks.map(({ host, port }) => `${host}:${port}`),
    [`127.0.0.1:${hidden}`, "example.com:80"],
  );
  const { rows } = await daemon.call("audit.list", { session });
  assert.deepEqual(
    rows.filter(({ row }) => row["decidedBy"] === "sandbox-network").map(({ row }) => row["effect"]),
    ["deny", "deny"],
  );
  assert.deepEqual(daemon.errors, []);
});

/** Asks the model for each line that is typed, and prints what it says. */
const agent = `
import { createInterface } from "node:readline";
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const response = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
    method: "POST", headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...${JSON.stringify(bodyOf("anthropic", false))}, messages: [{ role: "user", content: line }] }),
  });
  console.log("said " + (await response.json()).content.map(({ text }) => text).join(""));
}
`;

test("a request that is made while no daemon runs is answered by the next one, and so are those of named hosts", async () => {
  await using parts = new AsyncDisposableStack();
  const model = parts.use(await ScriptedModel.start({ turns: [{ say: "One" }, { say: "Two" }, { say: "Three" }] }));
  const home = parts.use(new CliHome());
  const web = createHttpServer((_, response) => response.end("the named one"));
  const named = await listening(web, parts);
  writeFileSync(join(home.directory, "agent.mjs"), agent);
  writeFileSync(join(home.directory, "walls.yaml"), `${sandboxWithLectern()}network: ["127.0.0.1:${named}"]\n`);
  const wire = ["--wire", "--upstream", `anthropic=${model.url}`, "--sandbox=walls.yaml"];
  await home.ok("run", "-d", "-n", "agent", ...wire, "--", process.execPath, "agent.mjs");
  await home.ok("run", "-d", "-n", "shell", ...wire, "--", "bash", "--norc");
  const wait = async (session: string, pattern: string): Promise<void> => {
    const found = await home.client.call("sessions.wait", { session, for: { type: "output", pattern }, from: 0 });
    assert.equal(found.reason, "output", `${session}: ${pattern}`);
  };
  await wait("agent", "ready");
  await home.ok("send", "agent", "first", "--enter");
  await wait("agent", "said One");

  // The request is made while no daemon runs: the program sees no more than a slow answer.
  const request = `curl -sm 60 --noproxy '' http://127.0.0.1:${named}/ -x $HTTP_PROXY`;
  await home.ok("send", "shell", `echo wai""ting; until [ -e go ]; do sleep 0.05; done; ${request}`, "--enter");
  await wait("shell", "^waiting");
  await home.crashDaemon();
  writeFileSync(join(home.directory, "go"), "");
  await home.ok("ls");
  await wait("shell", "the named one");
  await home.ok("send", "agent", "second", "--enter");
  await wait("agent", "said Two");
});
