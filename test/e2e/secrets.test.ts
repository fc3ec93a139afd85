import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { cannotBeOther } from "../support/needs.ts";
import { CliHome } from "./cli-home.ts";

/** Every file below a directory. */
function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** What another user of this machine gets: runs perl, which Debian has everywhere, as "nobody". */
function asNobody(script: string): string {
  const { stdout, stderr } = spawnSync(
    "setpriv",
    ["--reuid=65534", "--regid=65534", "--clear-groups", "perl", "-e", script],
    {
      encoding: "utf8",
      cwd: "/",
    },
  );
  return stdout + stderr;
}

test("the token is in its file and nowhere else: no log, journal, answer, argument or environment", async () => {
  await using home = new CliHome();
  const ready = JSON.parse(await home.ok("up", "--detach", "--port", "0", "--json")) as {
    listen: string[];
    pid: number;
  };
  const url = ready.listen.find((address) => address.startsWith("http://127")) ?? "";
  const token = readFileSync(home.paths.tokenFile, "utf8").trim();
  assert.ok(token.length >= 43);
  const bodies: string[] = [];
  for (const authorization of [`Bearer ${token}`, `Bearer ${token.slice(0, -1)}`, `Basic ${token}`]) {
    for (const path of ["/v1/daemon", "/v1/sessions/absent", "/nowhere"]) {
      const response = await fetch(`${url}${path}`, { headers: { authorization } });
      bodies.push(JSON.stringify([...response.headers]) + (await response.text()));
    }
  }
  const inUrl = await fetch(`${url}/v1/daemon?token=${token}`);
  assert.equal(inUrl.status, 400);
  bodies.push(await inUrl.text());
  bodies.push(
    await home.ok(
      "run",
      "--",
      "bash",
      "-c",
      "env; tr '\\0' '\\n' < /proc/$PPID/environ; tr '\\0' ' ' < /proc/$PPID/cmdline",
    ),
  );
  for (const pid of [ready.pid]) {
    bodies.push(readFileSync(`/proc/${pid}/environ`, "utf8"), readFileSync(`/proc/${pid}/cmdline`, "utf8"));
  }
  for (const body of bodies) assert.ok(!body.includes(token.slice(0, 20)), body.slice(0, 200));
  const holding = filesBelow(home.paths.dataDirectory).filter((file) =>
    readFileSync(file).includes(token.slice(0, 20)),
  );
  assert.deepEqual(holding, [home.paths.tokenFile]);
  assert.equal(statSync(home.paths.tokenFile).mode & 0o777, 0o600);
});

test("another user of the machine reaches neither the socket nor, without a token, the port", async (context) => {
  if (cannotBeOther(context)) return;
  await using home = new CliHome();
  const ready = JSON.parse(await home.ok("up", "--detach", "--port", "0", "--json")) as { listen: string[] };
  const port = new URL(ready.listen.find((address) => address.startsWith("http://127")) ?? "").port;
  // So that only our own directory stands in the way, not the test's temporary one.
  chmodSync(home.directory, 0o755);
  const bySocket = `use IO::Socket::UNIX; print IO::Socket::UNIX->new(Peer => "${home.paths.daemonSocket}") ? "connected" : "refused: $!"`;
  assert.match(asNobody(bySocket), /^refused: Permission denied/);
  const byPort = `use IO::Socket::INET; my $s = IO::Socket::INET->new("127.0.0.1:${port}"); print $s "GET /v1/sessions HTTP/1.1\\r\\nHost: 127.0.0.1:${port}\\r\\nConnection: close\\r\\n\\r\\n"; print <$s>`;
  assert.match(asNobody(byPort), /^HTTP\/1\.1 401 /);
});

test("a directory, socket or token file that others can reach is refused with the path and the mend", async () => {
  await using home = new CliHome();
  await home.ok("up", "--detach", "--no-tcp");
  await home.ok("down");
  chmodSync(home.paths.tokenFile, 0o644);
  assert.match(await home.fails("up", "--no-tcp"), new RegExp(`${home.paths.tokenFile}.*0644.*chmod 600`));
  chmodSync(home.paths.tokenFile, 0o600);
  chmodSync(home.paths.runtimeDirectory, 0o755);
  assert.match(await home.fails("up", "--no-tcp"), new RegExp(`${home.paths.runtimeDirectory}.*0755.*chmod 700`));
  chmodSync(home.paths.runtimeDirectory, 0o700);
  execFileSync("mv", [home.paths.dataDirectory, `${home.paths.dataDirectory}.real`]);
  execFileSync("ln", ["-s", `${home.paths.dataDirectory}.real`, home.paths.dataDirectory]);
  assert.match(await home.fails("up", "--no-tcp"), /not a directory; move it away/);
});
