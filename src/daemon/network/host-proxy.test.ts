import assert from "node:assert/strict";
import { createServer as createHttpServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { buffer, text } from "node:stream/consumers";
import test from "node:test";
import type { AuditRow } from "../../core/gate/audit-chain.ts";
import { type HostPattern, readHostPattern } from "../../core/network/host-patterns.ts";
import type { SessionEvent } from "../../core/records.ts";
import { QuestionList } from "../approvals/question-list.ts";
import { HostGate, type HostGateOptions } from "./host-gate.ts";
import { HostProxy, type HostProxyOptions } from "./host-proxy.ts";

interface Setup extends Partial<Pick<HostGateOptions, "asks" | "approvalMs" | "allowed" | "resolve" | "mark">> {
  readonly allow?: readonly string[];
  readonly gateway?: HostProxyOptions["gateway"];
}

/** A proxy on a port, with what it wrote down. */
async function setUp({ allow = [], gateway = null, ...given }: Setup) {
  const parts = new AsyncDisposableStack();
  const [marks, rows, allowed, errors]: [SessionEvent[], AuditRow[], string[], unknown[]] = [[], [], [], []];
  const approvals = new QuestionList();
  const gate = parts.use(
    new HostGate({
      session: "s1",
      agent: null,
      patterns: allow.map((pattern) => readHostPattern(pattern) as HostPattern),
      asks: false,
      approvalMs: 60_000,
      allowed: [],
      onAllowed: (all) => void allowed.splice(0, allowed.length, ...all),
      approvals,
      audit: { append: async (more) => void rows.push(...more) },
      mark: async (event) => marks.push(event),
      ...given,
    }),
  );
  const proxy = parts.use(new HostProxy({ gate, gateway, onError: (error) => errors.push(error) }));
  const port = await listen(proxy.makeServer(), parts);
  return {
    approvals,
    gate,
    marks,
    rows,
    allowed,
    errors,
    port,
    parts,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

async function listen(server: Server, parts: AsyncDisposableStack): Promise<number> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  parts.defer(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Answers with what it got, once it has got everything. */
const echo = (): Server =>
  createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    socket.pipe(socket);
  });

const toProxy = (port: number): Socket => connect({ port, host: "127.0.0.1", allowHalfOpen: true });

async function tunnel(port: number, target: string, body: string): Promise<string> {
  const socket = toProxy(port);
  socket.end(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n${body}`);
  return await text(socket);
}

async function viaSocks(port: number, parts: readonly number[]): Promise<Buffer> {
  const socket = toProxy(port);
  socket.end(Buffer.from([5, 1, 0, ...parts]));
  return await buffer(socket);
}

const portBytes = (port: number): number[] => [port >> 8, port & 0xff];

test("a tunnel to a named host carries both directions and ends with them", async () => {
  await using proxy = await setUp({});
  const port = await listen(echo(), proxy.parts);
  await using named = await setUp({ allow: [`127.0.0.1:${port}`] });
  const long = "x".repeat(3_000_000);
  const answer = await tunnel(named.port, `127.0.0.1:${port}`, long);
  assert.equal(answer, `HTTP/1.1 200 Connection established\r\n\r\n${long}`);
  assert.deepEqual([named.marks, named.rows, named.errors], [[], [], []]);
});

test("a host that is not named is refused with its reason, and written down once", async () => {
  await using proxy = await setUp({ allow: ["example.com"] });
  for (let attempt = 0; attempt < 11; attempt++) {
    const answer = await tunnel(proxy.port, "example.org:443", "");
    assert.match(answer, /^HTTP\/1\.1 403 Forbidden\r\n.*does not allow "example.org:443": it is not among the hosts/s);
  }
  const reason = "it is not among the hosts that this session may reach";
  const mark = { type: "net-denied", host: "example.org", port: 443, reason };
  assert.deepEqual(proxy.marks, [
    { ...mark, attempts: 1 },
    { ...mark, attempts: 10 },
  ]);
  assert.deepEqual(
    proxy.rows.map((row) => row.type === "decision" && [row.effect, row.decidedBy, row.evidence]),
    [["deny", "sandbox-network", `connect to example.org:443: ${reason}`]],
  );
});

test("a program that is refused is answered when that is in the journal", async () => {
  const { promise: isAppended, resolve: append } = Promise.withResolvers<void>();
  const order: string[] = [];
  const mark = async (): Promise<number> => await isAppended.then(() => order.push("in the journal"));
  await using proxy = await setUp({ mark });
  const refused = proxy.gate.check("example.org", 443).then(({ type }) => order.push(type));
  await new Promise((resolve) => void setImmediate(resolve));
  append();
  await refused;
  assert.deepEqual(order, ["in the journal", "refused"]);
});

test("a name is not resolved before it is allowed", async () => {
  const asked: string[] = [];
  const resolve = async (host: string): Promise<string[]> => {
    asked.push(host);
    return ["93.184.216.34"];
  };
  await using proxy = await setUp({ allow: ["example.com"], resolve });
  await tunnel(proxy.port, "secret.example.org:443", "");
  await tunnel(proxy.port, "example.com:22", "");
  assert.deepEqual(asked, []);
});

test("a named host that leads to this machine or a private network is refused, unless the address is named", async () => {
  await using target = await setUp({});
  const port = await listen(echo(), target.parts);
  const resolve = async (): Promise<string[]> => ["127.0.0.1"];
  await using proxy = await setUp({ allow: [`*.example.com:${port}`], resolve });
  const refused = await tunnel(proxy.port, `a.example.com:${port}`, "hello");
  assert.match(refused, /403 Forbidden.*its address 127\.0\.0\.1 is loopback: name the address itself/s);
  await using named = await setUp({ allow: [`*.example.com:${port}`, `127.0.0.1:${port}`], resolve });
  assert.match(await tunnel(named.port, `a.example.com:${port}`, "hello"), /200 Connection established.*hello$/s);
  await using local = await setUp({ allow: [`localhost:${port}`] });
  assert.match(await tunnel(local.port, `localhost:${port}`, "hello"), /200 Connection established.*hello$/s);
});

test("the connection goes to the address that was checked", async () => {
  await using target = await setUp({});
  const port = await listen(echo(), target.parts);
  // A second answer of the DNS would be another one.
  const answers = [["127.0.0.1"], ["169.254.169.254"]];
  const resolve = async (): Promise<string[]> => answers.shift() ?? [];
  await using proxy = await setUp({ allow: [`rebound.example:${port}`, `127.0.0.1:${port}`], resolve });
  assert.match(await tunnel(proxy.port, `rebound.example:${port}`, "hello"), /hello$/);
  assert.match(await tunnel(proxy.port, `rebound.example:${port}`, "hello"), /169\.254\.169\.254 is link-local/);
  assert.match(await tunnel(proxy.port, `rebound.example:${port}`, "hello"), /^HTTP\/1\.1 502 .*has no address/s);
});

test("plain HTTP goes to the host of the address, whatever its Host says", async () => {
  await using target = await setUp({});
  const server = createHttpServer((incoming, response) => {
    response.setHeader("x-kept", "yes");
    void text(incoming).then((body) =>
      response.end(`${incoming.method} ${incoming.url} ${incoming.headers.host} ${body}`),
    );
  });
  const port = await listen(server, target.parts);
  await using proxy = await setUp({ allow: [`127.0.0.1:${port}`] });
  const sent = request({
    port: proxy.port,
    host: "127.0.0.1",
    method: "POST",
    path: `http://127.0.0.1:${port}/a?b=c`,
    headers: { host: "other.example", "transfer-encoding": "chunked", connection: "close" },
  });
  sent.end("body");
  const answer = await new Promise<IncomingMessage>((resolve) => sent.once("response", resolve));
  assert.equal(answer.headers["x-kept"], "yes");
  assert.equal(await text(answer), `POST /a?b=c 127.0.0.1:${port} body`);
  const refused = await fetch(`http://127.0.0.1:${proxy.port}/a`);
  assert.equal(refused.status, 400);
});

test("SOCKS 5 reaches named hosts, and nothing else", async () => {
  await using target = await setUp({});
  const port = await listen(echo(), target.parts);
  const granted = [5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0];
  await using proxy = await setUp({ allow: [`localhost:${port}`, `127.0.0.1:${port}`] });
  const name = [...Buffer.from("localhost")];
  const hello = [...Buffer.from("hello")];
  const byName = await viaSocks(proxy.port, [5, 1, 0, 3, name.length, ...name, ...portBytes(port), ...hello]);
  assert.deepEqual([...byName], [...granted, ...hello]);
  const byAddress = await viaSocks(proxy.port, [5, 1, 0, 1, 127, 0, 0, 1, ...portBytes(port), ...hello]);
  assert.deepEqual([...byAddress], [...granted, ...hello]);
  const reply = async (parts: readonly number[]): Promise<number | undefined> => (await viaSocks(proxy.port, parts))[3];
  assert.equal(await reply([5, 1, 0, 1, 10, 0, 0, 1, ...portBytes(port)]), 2, "not named");
  assert.equal(await reply([5, 3, 0, 1, 127, 0, 0, 1, ...portBytes(port)]), 7, "UDP");
  assert.equal(await reply([5, 2, 0, 1, 127, 0, 0, 1, ...portBytes(port)]), 7, "BIND");
  assert.equal(await reply([5, 1, 0, 9, 0, 0]), 8, "an unknown kind of address");
});

test("who is asked decides for the session, and the audit log has the question and the answer", async () => {
  await using target = await setUp({});
  const port = await listen(echo(), target.parts);
  await using proxy = await setUp({ asks: true });
  const first = tunnel(proxy.port, `127.0.0.1:${port}`, "one");
  const second = tunnel(proxy.port, `127.0.0.1:${port}`, "two");
  const [question] = await nextQuestion(proxy.approvals);
  assert.equal(question?.question, `May the programs of this session connect to "127.0.0.1:${port}"?`);
  const answer = { session: "s1", id: question?.id ?? "", digest: question?.digest ?? "", by: "person" };
  await proxy.approvals.answer({ ...answer, option: "allow" });
  assert.match(await first, /one$/);
  assert.match(await second, /two$/);
  assert.match(await tunnel(proxy.port, `127.0.0.1:${port}`, "three"), /three$/);
  assert.deepEqual(proxy.allowed, [`127.0.0.1:${port}`]);
  assert.deepEqual(
    proxy.rows.map((row) => [row.type, "effect" in row ? row.effect : ""]),
    [
      ["decision", "ask"],
      ["answer", "allow"],
      ["start", ""],
      ["outcome", ""],
    ],
  );
});

test("a person's refusal holds for the session, and a time-out only for one attempt", async () => {
  await using proxy = await setUp({ asks: true });
  const asked = tunnel(proxy.port, "example.org:443", "");
  const [question] = await nextQuestion(proxy.approvals);
  const answer = { session: "s1", id: question?.id ?? "", digest: question?.digest ?? "", by: "anna" };
  await proxy.approvals.answer({ ...answer, option: "deny" });
  assert.match(await asked, /403 Forbidden.*it was not allowed \(anna\)/s);
  assert.match(await tunnel(proxy.port, "example.org:443", ""), /it was not allowed \(anna\)/);
  await using impatient = await setUp({ asks: true, approvalMs: 1 });
  assert.match(await tunnel(impatient.port, "example.org:443", ""), /nobody allowed it in time/);
  assert.deepEqual(
    impatient.rows.map(({ type }) => type),
    ["decision", "answer"],
  );
});

test("the end of the session withdraws its questions", async () => {
  await using proxy = await setUp({ asks: true });
  const asked = tunnel(proxy.port, "example.org:443", "");
  await nextQuestion(proxy.approvals);
  proxy.gate[Symbol.dispose]();
  assert.match(await asked, /it was not allowed \(session-ended\)/);
  assert.deepEqual(proxy.approvals.list(), []);
});

test("a client that sends no request, half of one or nonsense is disconnected", async () => {
  await using proxy = await setUp({});
  for (const bytes of [
    "",
    "\u0005",
    "\u0005\u0002\u0000",
    "GET",
    "\u0000\u0001\u0002",
    "CONNECT nowhere HTTP/1.1\r\n\r\n",
  ]) {
    const socket = toProxy(proxy.port);
    socket.end(bytes);
    await buffer(socket);
  }
  assert.deepEqual(proxy.errors, []);
});

async function nextQuestion(approvals: QuestionList): Promise<ReturnType<QuestionList["list"]>> {
  while (approvals.list().length === 0) await approvals.changed(AbortSignal.timeout(60_000));
  return approvals.list();
}
