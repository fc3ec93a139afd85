/** Listeners beyond loopback and with TLS: what they need, by which names they answer, and what a reload changes. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import type { IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { connect } from "node:tls";
import { LecternError } from "../src/core/errors.ts";
import { ownCertificate } from "../src/daemon/certificates/certificates.ts";
import { loadCertificate } from "../src/server/certificate.ts";
import { createLogger } from "../src/server/log.ts";
import { startServer, type ListenerOptions, type RunningServer } from "../src/server/server.ts";
import { MemoryService, tokens } from "./support/memory-service.ts";

const directory = mkdtempSync(join(tmpdir(), "lectern-tls-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const silent = createLogger({ write: () => true }, "silent");
const start = (...listeners: ListenerOptions[]): Promise<RunningServer> =>
  startServer({ service: new MemoryService(), logger: silent, listeners });

async function refusal(listener: ListenerOptions): Promise<string> {
  try {
    await using server = await start(listener);
    return `It listens: ${JSON.stringify(server.listeners)}`;
  } catch (error) {
    if (error instanceof LecternError) return `${error.code} ${error.message}`;
    throw error;
  }
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function send(
  port: number,
  path: string,
  { body, headers, method = "GET" }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const options = { host: "127.0.0.1", port, path, method, headers, rejectUnauthorized: false };
  const outgoing = request(options, (incoming) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text });
    });
  });
  outgoing.on("error", reject);
  outgoing.end(body);
  return await promise;
}

const bearer = { authorization: `Bearer ${tokens.admin}` };

test("all addresses with TLS: names and addresses are answered, others are not, and the cookie is for TLS only", async () => {
  const files = await ownCertificate(directory, ["box.example"]);
  assert.equal(statSync(files.keyFile).mode & 0o777, 0o600);
  assert.deepEqual(await ownCertificate(directory, ["box.example"]), files);
  const certificate = loadCertificate(files);
  const names = ["box.example", "https://box.tail.example"];
  await using server = await start({ kind: "tcp", host: "0.0.0.0", port: 0, certificate, names });
  const [listener] = server.listeners;
  assert.ok(listener?.kind === "tcp");
  const { port, urls } = listener;
  assert.equal(listener.fingerprint, certificate.fingerprint);
  assert.deepEqual(urls.slice(0, 3), [
    `https://127.0.0.1:${port}`,
    `https://box.example:${port}`,
    "https://box.tail.example",
  ]);
  const status = async (host: string, origin?: string): Promise<number> =>
    (await send(port, "/v1/sessions", { headers: { ...bearer, host, ...(origin === undefined ? {} : { origin }) } }))
      .status;
  assert.equal(await status(`127.0.0.1:${port}`, `https://127.0.0.1:${port}`), 200);
  assert.equal(await status(`box.example:${port}`, `https://box.example:${port}`), 200);
  assert.equal(await status("box.tail.example", "https://box.tail.example"), 200);
  assert.equal(await status(`evil.example:${port}`), 421);
  // Neither the address of another interface nor that of nobody: the connection came to 127.0.0.1.
  assert.equal(await status(`0.0.0.0:${port}`), 421);
  assert.equal(await status(`192.0.2.1:${port}`), 421);
  assert.equal(await status(`127.0.0.1:${port}`, `http://127.0.0.1:${port}`), 403);

  const json = { "content-type": "application/json", host: `box.example:${port}` };
  const made = await send(port, "/login-codes", { method: "POST", headers: { ...json, ...bearer }, body: "{}" });
  const { code, expiresInMs } = JSON.parse(made.body) as { code: string; expiresInMs: number };
  assert.equal(expiresInMs, 600_000);
  const origin = `https://box.example:${port}`;
  const login = { method: "POST", headers: { ...json, origin }, body: JSON.stringify({ code }) };
  const [cookie = ""] = (await send(port, "/login", login)).headers["set-cookie"] ?? [];
  assert.match(
    cookie,
    new RegExp(`^__Host-lectern-${port}=\\S+; Path=/; Max-Age=\\d+; HttpOnly; SameSite=Strict; Secure$`),
  );
  assert.equal((await send(port, "/login", login)).status, 401);
  const own = { host: `box.example:${port}`, cookie: cookie.split(";", 1)[0] ?? "" };
  assert.equal((await send(port, "/v1/sessions", { headers: own })).status, 200);
});

test("a certificate that is changed is served after a reload, and one that cannot be used is not", async () => {
  const [one, other] = await Promise.all(
    ["one", "other"].map(async (name) => await ownCertificate(join(directory, name), [])),
  );
  assert.ok(one !== undefined && other !== undefined);
  const first = loadCertificate(one);
  await using server = await start({ kind: "tcp", host: "127.0.0.1", port: 0, certificate: first });
  const [listener] = server.listeners;
  assert.ok(listener?.kind === "tcp");
  const { port } = listener;
  const served = async (): Promise<string> => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    socket.on("secureConnect", () => resolve(socket.getPeerCertificate().fingerprint256)).on("error", reject);
    return await promise.finally(() => socket.destroy());
  };
  assert.equal(await served(), first.fingerprint);
  assert.match(server.reloadCertificates().join(), /is the same: good until 20/);
  copyFileSync(other.certificateFile, one.certificateFile);
  assert.throws(
    () => server.reloadCertificates(),
    /does not match the key ".*own\.key"; give the two files that were made/,
  );
  assert.equal(await served(), first.fingerprint);
  copyFileSync(other.keyFile, one.keyFile);
  assert.match(server.reloadCertificates().join(), /is new: good until 20/);
  assert.equal(await served(), loadCertificate(other).fingerprint);
});

test("what cannot be served says what to do", async () => {
  const expired = {
    certificateFile: join(directory, "old.crt"),
    keyFile: (await ownCertificate(directory, [])).keyFile,
  };
  const good = new X509Certificate(readFileSync(join(directory, "tls", "own.crt"))).raw;
  // The two times of its validity: YYMMDDhhmmssZ. Nothing here checks the signature.
  const times = [...good.toString("latin1").matchAll(/\d{12}Z/g)];
  const raw = Buffer.from(good);
  raw.write("200101000000Z", times[0]?.index ?? 0, "latin1");
  raw.write("200201000000Z", times[1]?.index ?? 0, "latin1");
  const pem = raw.toString("base64").replaceAll(/.{1,64}/g, "$&\n");
  writeFileSync(expired.certificateFile, `-----BEGIN CERTIFICATE-----\n${pem}-----END CERTIFICATE-----\n`);
  assert.throws(() => loadCertificate(expired), /it ended at 20.*renew it, then run "lectern reload"/);
  assert.throws(
    () => loadCertificate({ ...expired, certificateFile: "/nowhere" }),
    /Cannot read the certificate "\/nowhere": there is no such file/,
  );
  assert.throws(
    () => loadCertificate({ ...expired, certificateFile: expired.keyFile }),
    /Cannot use the certificate .*: it is not one in PEM/,
  );
  const tcp = { kind: "tcp", port: 0 } as const;
  assert.match(await refusal({ ...tcp, host: "box.example" }), /^BIND_REFUSED .*not an address; give one of/);
  assert.match(
    await refusal({ ...tcp, host: "0.0.0.0" }),
    /^BIND_REFUSED .*without TLS: .*add --tls, or --insecure-http/,
  );
  const away = await refusal({ ...tcp, host: "192.0.2.1", insecureHttp: true });
  assert.match(
    away,
    /^BIND_REFUSED Cannot listen on 192\.0\.2\.1:0: this machine does not have that address; it has 127\.0\.0\.1/,
  );
  const named = await refusal({ ...tcp, host: "127.0.0.1", names: ["a b"] });
  assert.match(named, /^INVALID_INPUT Cannot use the name "a b"/);
});
