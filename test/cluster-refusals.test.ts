/** Servers that a machine must not use, and tokens that it cannot use: each is refused with the reason and the next step. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createConnection, createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createUser } from "@nats-io/nkeys";
import { addMember, readServers, removeMember } from "../src/features/cluster/daemon/cluster-directory.ts";
import { connectChecked } from "../src/features/cluster/daemon/connect.ts";
import { readTokenFile, tokenText, type MemberToken } from "../src/features/cluster/daemon/member-token.ts";
import { reloadServers } from "../src/features/cluster/daemon/prepare.ts";
import { NatsMember } from "./support/nats-member.ts";
import { NatsServers, OtherServer } from "./support/nats-servers.ts";
import { until } from "./support/until.ts";

let servers: NatsServers;
let token: MemberToken;

before(async () => {
  servers = await NatsServers.start(1, { box: "machine" });
  token = servers.token("box");
});

after(async () => await servers[Symbol.asyncDispose]());

const refused = async (given: MemberToken, code: string, message: RegExp): Promise<void> => {
  await assert.rejects(connectChecked(given), (error: Error & { code?: string }) => {
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    assert.equal(error.message.includes(given.seed), false);
    return true;
  });
};

test("an address without encryption is refused before anything is sent, unless it is of this machine", async () => {
  for (const server of ["nats://203.0.113.7:4222", "nats://box.example:4222", "nats://127.0.0.1.example:4222"]) {
    await refused({ ...token, servers: [server] }, "FORBIDDEN", /not be encrypted/);
  }
});

test("a server that does not encrypt is refused where encryption is wanted", async () => {
  const user = createUser();
  const key = user.getPublicKey();
  await using plain = await OtherServer.start(
    `accounts { L { jetstream: enabled, users: [ { nkey: ${key} } ] } }\njetstream { store_dir: "js" }`,
  );
  await assert.rejects(connectChecked({ ...token, servers: [`tls://127.0.0.1:${plain.port}`] }), /tls/i);
});

test("a server that lets anybody in is refused", async () => {
  const user = createUser();
  const open = `jetstream { store_dir: "js" }
accounts { L { jetstream: enabled, users: [ { nkey: ${user.getPublicKey()} }, { user: guest, password: guest } ] } }
no_auth_user: guest`;
  await using server = await OtherServer.start(open);
  const given: MemberToken = { ...token, servers: [server.url], authority: null, seed: seedOf(user), role: "admin" };
  await refused(given, "FORBIDDEN", /lets anybody in without a key/);
  await using nothing = await OtherServer.start('jetstream { store_dir: "js" }');
  await refused({ ...given, servers: [nothing.url] }, "FORBIDDEN", /lets anybody in without a key/);
});

test("a server that gives no answer to a stranger is not taken for a closed one", async () => {
  const user = createUser();
  await using server = await OtherServer.start(
    `accounts { L { jetstream: enabled, users: [ { nkey: ${user.getPublicKey()} } ] } }\njetstream { store_dir: "js" }`,
  );
  const proxy = createServer((client) => {
    const upstream = createConnection(server.port, "127.0.0.1");
    upstream.on("error", () => client.destroy()).pipe(client);
    client.on("error", () => upstream.destroy());
    client.on("data", (bytes) => {
      if (bytes.includes("CONNECT") && !bytes.includes('"sig"')) client.destroy();
      else upstream.write(bytes);
    });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const url = `nats://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const given: MemberToken = { ...token, servers: [url], authority: null, seed: seedOf(user) };
  try {
    await refused(given, "DAEMON_UNREACHABLE", /Cannot reach/);
  } finally {
    proxy.close();
  }
});

test("a server without JetStream is refused", async () => {
  const user = createUser();
  await using server = await OtherServer.start(`accounts { L { users: [ { nkey: ${user.getPublicKey()} } ] } }`);
  for (const role of ["machine", "admin"] as const) {
    const given: MemberToken = { ...token, servers: [server.url], authority: null, seed: seedOf(user), role };
    await refused(given, "NOT_AVAILABLE", /JetStream/);
  }
});

test("buckets that were not made are told with the command that makes them", async () => {
  const user = createUser();
  const text = `jetstream { store_dir: "js" }\naccounts { L { jetstream: enabled, users: [ { nkey: ${user.getPublicKey()} } ] } }`;
  await using server = await OtherServer.start(text);
  const given: MemberToken = { ...token, servers: [server.url], authority: null, seed: seedOf(user) };
  await refused(given, "NOT_AVAILABLE", /lectern cluster prepare/);
});

test("a key that the servers do not know is refused", async () => {
  await refused({ ...token, seed: seedOf(createUser()) }, "UNAUTHENTICATED", /refused its key/);
});

test("servers of another authority are not trusted", async () => {
  await using others = await NatsServers.start(1);
  await refused({ ...token, servers: others.token("admin").servers }, "FORBIDDEN", /Cannot trust/);
});

test("servers that do not answer are told within their time limit", async () => {
  const silent: Server = createServer();
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const address = silent.address();
  const port = typeof address === "object" ? address?.port : undefined;
  await refused({ ...token, servers: [`tls://127.0.0.1:${port}`] }, "DAEMON_UNREACHABLE", /Cannot reach/);
  silent.close();
  await refused(
    { ...token, servers: ["tls://127.0.0.1:1"] },
    "DAEMON_UNREACHABLE",
    /Cannot reach .*check that the servers run/,
  );
});

test("a member that is added can connect after a reload, and one that is removed is cut off", async () => {
  const { directory } = servers;
  addMember(directory, { name: "late", role: "operator" });
  await refused(servers.token("late"), "UNAUTHENTICATED", /refused its key/);
  assert.equal(reloadServers(directory).reloaded.length, 1);
  const late = servers.token("late");
  await until(async () => {
    try {
      await (await connectChecked(late)).connection.close();
      return true;
    } catch {
      return false;
    }
  }, "the new member can connect");
  await using member = await NatsMember.connect(late);
  removeMember(directory, "late");
  reloadServers(directory);
  await until(() => member.connection.isClosed(), "the connection of the removed member is closed");
  await refused(late, "UNAUTHENTICATED", /refused its key/);
});

test("names of members are taken once, whatever their case", () => {
  const { directory } = servers;
  for (const name of ["box", "Box"]) {
    assert.throws(() => addMember(directory, { name, role: "viewer" }), { code: "NAME_TAKEN" });
  }
  for (const name of ["", "a.b", "a b", "*", ">", "admin", "x".repeat(33), "../x"]) {
    assert.throws(() => addMember(directory, { name, role: "viewer" }), { code: "INVALID_INPUT" }, name);
  }
  assert.throws(() => removeMember(directory, "nobody"), { code: "NOT_FOUND" });
});

test("a token file that others can read, a link or no token at all is refused", () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-token-"));
  const file = join(directory, "token");
  assert.throws(() => readTokenFile(file), { code: "NOT_FOUND" });
  writeFileSync(file, tokenText(token), { mode: 0o644 });
  assert.throws(() => readTokenFile(file), { code: "UNSAFE_PERMISSIONS" });
  chmodSync(file, 0o600);
  assert.deepEqual(readTokenFile(file), token);
  symlinkSync(file, join(directory, "link"));
  assert.throws(() => readTokenFile(join(directory, "link")), { code: "UNSAFE_PERMISSIONS" });
  for (const text of ["", "{}", tokenText({ ...token, servers: [] }), tokenText({ ...token, seed: "x" })]) {
    writeFileSync(file, text);
    assert.throws(() => readTokenFile(file), { code: "INVALID_INPUT" });
  }
  rmSync(directory, { recursive: true });
});

test("every file of a cluster with a secret has mode 0600", () => {
  const own = servers.servers[0]?.name ?? "";
  for (const file of ["ca.key", "admin.token", "box.token", join(own, "server.key"), join(own, "users.conf")]) {
    assert.equal(statSync(join(servers.directory, file)).mode & 0o777, 0o600, file);
  }
});

test("one or three servers make a cluster", () => {
  assert.deepEqual(
    readServers("a,b:4000,c").map(({ name, port }) => `${name} ${port}`),
    ["a 4222", "b 4000", "c 4222"],
  );
  for (const text of ["", "a,b", "a,b,c,d", "a,a,b", "a b", "a:x", "a;b", 'a"b']) {
    assert.throws(() => readServers(text), { code: "USAGE" }, text);
  }
});

test("systemd accepts the unit", { skip: process.platform !== "linux" }, async () => {
  const unit = join(servers.directory, servers.servers[0]?.name ?? "", "lectern-nats.service");
  const check = spawn("systemd-analyze", ["verify", "--man=no", unit], { stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  check.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  await once(check, "close");
  const own = output.split("\n").filter((line) => line.includes("lectern-nats.service:"));
  assert.deepEqual(own, []);
});

const seedOf = (user: ReturnType<typeof createUser>): string => Buffer.from(user.getSeed()).toString("latin1");
