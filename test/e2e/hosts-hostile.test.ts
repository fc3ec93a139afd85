/** A machine that answers anything, and data directories that ssh would misread. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { PROTOCOL_VERSION } from "../../src/protocol/routes.ts";
import { SshServer } from "../support/ssh-server.ts";
import { firstOf, someOf } from "../support/variants.ts";
import { CliHome } from "./cli-home.ts";

const ACTING = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;
const ACTS = "\u001b]0;title\u0007\u001b[31m\u009b32m\n";
const versions = { version: "9.9.9", protocolVersion: PROTOCOL_VERSION };

let ssh: SshServer;
let home: CliHome;
/** What the daemon there answers to any request but that for its versions. */
let answer: (response: ServerResponse) => void;
let info: unknown = versions;
/** Of the machines: two with the same arguments have one connection. */
let count = 0;

const directory = mkdtempSync(join(tmpdir(), "lhh-"));
const server = createServer((request, response) => {
  if (request.url === "/v1/daemon") response.end(JSON.stringify(info));
  else answer(response);
});

/** Arguments of `lectern hosts add NAME` for a machine whose `lectern` says this of its daemon. */
function thatSays(said: unknown): string[] {
  count += 1;
  const file = join(ssh.directory, `said-${count}`);
  const program = join(ssh.directory, `says-${count}`);
  writeFileSync(file, JSON.stringify(said));
  writeFileSync(program, `#!/bin/sh\nexec cat ${file}\n`, { mode: 0o755 });
  return [...ssh.hostArguments(directory).slice(0, -1), program];
}

before(async () => {
  ssh = await SshServer.start();
  home = new CliHome();
  const socket = join(directory, "d.sock");
  server.listen(socket);
  await once(server, "listening");
  await home.ok("hosts", "add", "evil", ...thatSays({ ...versions, listen: [`unix:${socket}`] }));
  await home.ok("run", "-d", "--name", "mine", "--", "cat");
});

after(async () => {
  await home.run(["hosts", "rm", "evil"]);
  await home[Symbol.asyncDispose]();
  await ssh[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true });
});

/** The commands for all hosts, with what they print together. */
async function lists(): Promise<string[]> {
  const commands = [
    ["ls", "--all"],
    ["ls", "-aq"],
    ["approvals", "--all"],
    ["search", "--all", "x"],
    ["hosts", "ls"],
  ];
  const results = await Promise.all(commands.map(async (words) => home.run(words)));
  return results.map(({ stdout, stderr }) => stdout + stderr);
}

const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  null: (response) => response.end("null"),
  "what is not JSON": (response) => response.end(`{${ACTS}`),
  "lists of anything": (response) => {
    const some = { id: ACTS, name: ACTS, state: ACTS, command: [ACTS], end: ACTS, sandbox: { profile: ACTS } };
    response.end(JSON.stringify({ sessions: [some], approvals: [some], hints: [some], hits: [some], version: 1 }));
  },
  "an error of its own": (response) => {
    response.writeHead(500, { "content-type": "application/problem+json" });
    response.end(JSON.stringify({ code: ACTS, title: ACTS, detail: ACTS.repeat(5000) }));
  },
  "brackets without end": (response) => {
    const more = (): void => {
      while (response.write("[".repeat(65_536)));
    };
    response.on("drain", more);
    more();
  },
};

for (const [what, gives] of someOf(answers, "lists of anything", "brackets without end")) {
  test(`a machine that answers ${what} ends no list, and nothing of it acts on the terminal`, async () => {
    answer = gives;
    const [sessions = "", names = "", questions = "", hits = "", hosts = ""] = await lists();
    assert.match(sessions, /^mine +running/m);
    assert.match(sessions, /^evil\/ +away /m);
    assert.equal(names, "mine\n");
    assert.match(questions, /^lectern: .*host "evil"/);
    assert.match(hits, /^lectern: Cannot search host "evil": /);
    assert.match(hosts, /^evil +away /m);
    for (const text of [sessions, names, questions, hits, hosts]) {
      assert.doesNotMatch(text, ACTING);
      assert.doesNotMatch(text, /Unexpected failure/);
      assert.ok(text.length < 5000);
    }
  });
}

test("versions that act on a terminal are those of no daemon", async () => {
  info = { ...versions, version: `1${ACTS}` };
  assert.match(
    await home.fails("hosts", "check", "evil"),
    /^6 .*host "evil" .*what answers there is not a Lectern daemon$/,
  );
  info = null;
  assert.match(await home.fails("logs", "evil/x"), /^6 .*host "evil" .*what answers there is not a Lectern daemon$/);
  info = versions;
});

test("a socket there that ssh would expand is not used, so no variable of this environment is sent there", async () => {
  const said = thatSays({ ...versions, listen: ["unix:/tmp/${LECTERN_HOME}"] });
  assert.match(await home.fails("hosts", "add", "leak", ...said), /^6 .*did not say where its daemon listens/);
});

test("data directories with characters that have a meaning to ssh have their connection below /tmp", async () => {
  await using box = new CliHome();
  for (const name of firstOf(["it's a:50%h ${HOME}", "it's a b", "a:50%h", "${HOME}"], 1)) {
    await using odd = new CliHome((root) => ({ LECTERN_HOME: join(root, name) }));
    await odd.ok("hosts", "add", "box", ...ssh.hostArguments(box.paths.dataDirectory));
    assert.equal(await odd.ok("ls", "--host", "box"), "");
    await odd.ok("hosts", "rm", "box");
    rmSync(odd.paths.machinesDirectory, { recursive: true });
  }
});

test("a directory of sockets that others can write to is not used, and the machine is not blamed", async () => {
  await using odd = new CliHome((root) => ({ LECTERN_HOME: join(root, "a b") }));
  await odd.ok("hosts", "add", "box", "--no-check", "me@box");
  const { machinesDirectory } = odd.paths;
  mkdirSync(join(machinesDirectory, ".."), { recursive: true, mode: 0o700 });
  mkdirSync(machinesDirectory);
  try {
    for (const words of [
      ["logs", "box/x"],
      ["hosts", "check"],
    ]) {
      assert.match(
        await odd.fails(...words),
        /lectern: Cannot use ".*-ssh": its mode is 0\d+, wanted 0700; run: chmod 700/,
      );
    }
    assert.match(await odd.ok("ls", "--all"), /^box\/ +away .*wanted 0700/m);
  } finally {
    rmSync(machinesDirectory, { recursive: true });
  }
});
