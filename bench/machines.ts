/**
 * The same daemon over its unix socket and over a real sshd on loopback, in turn: requests, echoes, and a flood that is read without a loss.
 *
 *   node bench/machines.ts [samples=500] [megabytes=40]
 */
import { setTimeout as sleep } from "node:timers/promises";
import { LecternClient } from "../src/client/client.ts";
import { SshLink } from "../src/machines/ssh-link.ts";
import { sshTransport } from "../src/machines/ssh-transport.ts";
import { SshServer } from "../test/support/ssh-server.ts";
import { compile } from "./support/compile.ts";
import { BenchDaemon } from "./support/daemon.ts";
import { interleaved, quantile } from "./support/statistics.ts";

const samples = Number(process.argv[2] ?? 500);
const megabytes = Number(process.argv[3] ?? 40);
const WARM_SAMPLES = 300;

type Act = () => Promise<number>;

/** What would keep trying to come back when the daemon has ended. */
const attached = new AsyncDisposableStack();

/** A session of its own: two writers of one would wait for each other. */
async function echoOf(client: LecternClient): Promise<Act> {
  const { id: session } = await client.call("sessions.create", { command: ["cat"] });
  const attachment = attached.use(await client.attach(session, {}));
  let heard = (): void => {};
  void (async () => {
    for await (const item of attachment) if (item.type === "output") heard();
  })();
  return async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    heard = resolve;
    const start = performance.now();
    void attachment.write(Buffer.from("x"));
    await promise;
    const microseconds = (performance.now() - start) * 1000;
    await sleep(1);
    return microseconds;
  };
}

const listOf =
  (client: LecternClient): Act =>
  async () => {
    const start = performance.now();
    await client.call("sessions.list", {});
    return (performance.now() - start) * 1000;
  };

/** Megabytes per second of a session's whole output, read from its journal. */
async function floodOf(client: LecternClient, session: string): Promise<number> {
  const start = performance.now();
  let bytes = 0;
  await using attachment = await client.attach(session, { from: 0, readOnly: true, lossless: true });
  for await (const item of attachment) if (item.type === "output") bytes += item.bytes.length;
  return bytes / 1e6 / ((performance.now() - start) / 1000);
}

function show(what: string, results: ReadonlyMap<string, number[]>): void {
  const local = results.get("local") ?? [];
  for (const [name, values] of results) {
    const [p50, p99] = [quantile(values, 0.5), quantile(values, 0.99)];
    const added = ((p50 - quantile(local, 0.5)) / 1000).toFixed(2);
    console.log(
      `${what.padEnd(6)} ${name.padEnd(6)} p50 ${(p50 / 1000).toFixed(2)} ms  p99 ${(p99 / 1000).toFixed(2)} ms  added p50 ${added} ms`,
    );
  }
}

await using daemon = await BenchDaemon.start();
await using server = await SshServer.start();
const [destination = "", ...words] = server.hostArguments(daemon.paths.dataDirectory);
const host = {
  name: "box",
  destination,
  sshOptions: words.slice(0, -2).filter((word) => word !== "-o"),
  program: words.at(-1) ?? null,
};
const link = new SshLink(host, daemon.paths.machinesDirectory);
const start = performance.now();
await link.connect();
console.log(`connect: ${(performance.now() - start).toFixed(0)} ms`);
const clients = { local: daemon.client, ssh: new LecternClient(sshTransport(link)) };

const echoes = { local: await echoOf(clients.local), ssh: await echoOf(clients.ssh) };
for (const echo of Object.values(echoes)) for (let warm = 0; warm < WARM_SAMPLES; warm++) await echo();
show("echo", await interleaved(samples, echoes));
show("list", await interleaved(samples, { local: listOf(clients.local), ssh: listOf(clients.ssh) }));

const flood = await daemon.client.call("sessions.create", { command: [compile("flood"), "text", String(megabytes)] });
await daemon.client.call("sessions.wait", { session: flood.id, for: { type: "exit" }, timeoutMs: 120_000 });
const speeds = await interleaved(5, {
  local: () => floodOf(clients.local, flood.id),
  ssh: () => floodOf(clients.ssh, flood.id),
});
for (const [name, values] of speeds) console.log(`flood  ${name.padEnd(6)} ${quantile(values, 0.5).toFixed(1)} MB/s`);
await attached.disposeAsync();
await link.disconnect();
