/** `GET /metrics` of a real daemon, scraped by the Prometheus of Debian, with real programs and an agent behind the gateway. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createLogger } from "../../src/server/log.ts";
import { startServer } from "../../src/server/server.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";
import { startWiredAgent } from "../support/wired-agent.ts";

const daemon = await TemporaryDaemon.start();
const server = await startServer({
  service: daemon.running.service,
  logger: createLogger({ write: () => undefined }, "error"),
  listeners: [
    { kind: "unix", path: daemon.paths.daemonSocket },
    { kind: "tcp", host: "127.0.0.1", port: 0 },
  ],
});
after(async () => {
  await server.close();
  await daemon[Symbol.asyncDispose]();
});
const url = `${server.listeners[1]?.url}/metrics`;
const { token } = await daemon.call("tokens.create", { scope: "read", label: "prometheus" });

const get = async (headers: Record<string, string> = {}): Promise<Response> =>
  await fetch(url, { headers: { authorization: `Bearer ${token}`, ...headers } });
const read = async (): Promise<string> => await (await get()).text();
const valueOf = (text: string, series: string): number =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1) ?? NaN,
  );

test("a token may read the metrics, one for a session and nobody may not, and refusals are counted by reason", async () => {
  assert.equal((await fetch(url)).status, 401);
  assert.equal((await fetch(url, { headers: { authorization: `Bearer ${"x".repeat(43)}` } })).status, 401);
  const { id } = await daemon.run(["true"]);
  const limited = await daemon.call("tokens.create", { scope: "read", session: id });
  assert.equal((await fetch(url, { headers: { authorization: `Bearer ${limited.token}` } })).status, 403);
  const text = await read();
  assert.equal(valueOf(text, 'lectern_auth_rejects_total{reason="token-missing"}'), 1);
  assert.equal(valueOf(text, 'lectern_auth_rejects_total{reason="token-unknown"}'), 1);
  const open = await get({ accept: "application/openmetrics-text; version=1.0.0" });
  assert.match(open.headers.get("content-type") ?? "", /^application\/openmetrics-text; version=1\.0\.0/);
  assert.match(await open.text(), /\n# EOF\n$/);
});

test("the unix socket has the metrics without a token", async () => {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const options = { socketPath: daemon.paths.daemonSocket, path: "/metrics", headers: { host: "lectern" } };
  request(options, (response) => {
    response.resume();
    resolve(response.statusCode);
  })
    .on("error", reject)
    .end();
  assert.equal(await promise, 200);
});

test("bytes, prompts, questions and time are counted, and promtool has nothing to say against the text", async () => {
  const { id } = await daemon.run(["bash", "--norc", "-c", "head -c 100000 /dev/zero | tr '\\0' x; cat"]);
  const before = await read();
  await daemon.call("sessions.input", { session: id, text: "hello", enter: true });
  await daemon.untilOutput(id, "hello", 0);
  await until(
    async () => valueOf(await read(), 'lectern_pty_bytes_total{direction="output"}') >= 100_000,
    "output bytes",
  );
  const now = await read();
  const input = 'lectern_pty_bytes_total{direction="input"}';
  assert.equal(valueOf(now, input) - valueOf(before, input), 6);
  const appends = valueOf(now, "lectern_journal_append_seconds_count");
  assert.ok(appends > 0 && appends === valueOf(now, 'lectern_journal_append_seconds_bucket{le="+Inf"}'));
  assert.ok(valueOf(now, 'lectern_status_seconds_total{agent="none",status="none"}') > 0);
  const checked = execFileSync("promtool", ["check", "metrics"], { input: now, encoding: "utf8" });
  assert.equal(checked, "");
  await daemon.call("sessions.remove", { session: id, force: true });
});

test("Prometheus scrapes a daemon with a token, and a query gives what an agent used", async () => {
  await using model = await ScriptedModel.start({
    turns: [{ say: "Look", calls: [{ name: "shell", arguments: { command: "ls" } }] }, { say: "Done" }],
  });
  const agent = await startWiredAgent(daemon, { model });
  await agent.ask("count the files", "Done");
  await using prometheus = await Prometheus.start({ target: new URL(url).host, token });
  const requests = 'lectern_gateway_requests_total{route="anthropic",code="200"}';
  await prometheus.until(requests, (value) => value === 2);
  await prometheus.until("lectern_build_info", (value) => value === 1);
  await prometheus.until('sum(lectern_gate_calls_total{effect="allow"})', (value) => value === 1);
  const tokens = 'lectern_gateway_tokens_total{provider="anthropic",model="claude-sonnet-4-5",kind="input"}';
  await prometheus.until(tokens, (value) => value > 0);
  await prometheus.until('lectern_gateway_cost_usd_total{model="claude-sonnet-4-5"}', (value) => value > 0);
  await prometheus.until("up", (value) => value === 1);
});

/** A Prometheus of its own that scrapes one target every 200 ms, and waits as long for an answer. */
class Prometheus implements AsyncDisposable {
  readonly #stop: () => Promise<void>;
  readonly #origin: string;

  private constructor(origin: string, stop: () => Promise<void>) {
    this.#origin = origin;
    this.#stop = stop;
  }

  static async start(scraped: { readonly target: string; readonly token: string }): Promise<Prometheus> {
    const directory = mkdtempSync(join(tmpdir(), "lct-prometheus-"));
    const file = (name: string): string => join(directory, name);
    writeFileSync(file("token"), scraped.token, { mode: 0o600 });
    const scrape = { job_name: "lectern", static_configs: [{ targets: [scraped.target] }] };
    const authorization = { type: "Bearer", credentials_file: file("token") };
    const config = { global: { scrape_interval: "200ms" }, scrape_configs: [{ ...scrape, authorization }] };
    // JSON is YAML.
    writeFileSync(file("prometheus.yml"), JSON.stringify(config));
    const address = `127.0.0.1:${await freePort()}`;
    const child = spawn(
      "prometheus",
      [
        `--config.file=${file("prometheus.yml")}`,
        `--storage.tsdb.path=${file("data")}`,
        `--web.listen-address=${address}`,
      ],
      { stdio: "ignore" },
    );
    const ended = once(child, "exit");
    const prometheus = new Prometheus(`http://${address}`, async () => {
      child.kill("SIGKILL");
      await ended;
      rmSync(directory, { recursive: true, force: true });
    });
    await until(async () => (await prometheus.#get("/-/ready")).ok, "Prometheus is ready");
    return prometheus;
  }

  /** Until the first series has such a value. After a scrape that took longer than its limit there is no series before the next one. */
  async until(expression: string, isWanted: (value: number) => boolean): Promise<void> {
    await until(async () => {
      const response = await this.#get(`/api/v1/query?query=${encodeURIComponent(expression)}`);
      const { data } = (await response.json()) as {
        readonly data?: { readonly result: readonly { readonly value: readonly [number, string] }[] };
      };
      return isWanted(Number(data?.result[0]?.value[1]));
    }, `${expression} in Prometheus`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }

  async #get(path: string): Promise<Response> {
    return await fetch(this.#origin + path).catch(() => new Response("{}", { status: 503 }));
  }
}

async function freePort(): Promise<number> {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  taken.close();
  await once(taken, "close");
  return port;
}
