/** Spans of agents behind the gateway, from the command line and from a daemon that is killed meanwhile, at a receiver that checks them. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import type { OtlpRequest, OtlpSpan } from "../../src/features/otlp/core/span.ts";
import { OtlpReceiver, problemsOf } from "../support/otlp-receiver.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { until } from "../support/until.ts";
import { wiredAgentProgram } from "../support/wired-agent.ts";
import { CliHome } from "./cli-home.ts";

const trace = "0af7651916cd43dd8448eb211c80319c";
const parent = "b7ad6b7169203331";
const secret = ["sk", "ant", "0123456789abcdef0123"].join("-");

const call = { name: "shell", arguments: { command: `deploy --key ${secret}` } };
/** Two requests and one call for each line that is typed. */
const turnOf = (index: number) => [{ say: `Look ${index}`, calls: [call] }, { say: `Done ${index};` }];

const valueOf = ({ attributes }: Pick<OtlpSpan, "attributes">, key: string): unknown => {
  const value = attributes.find((attribute) => attribute.key === key)?.value;
  return value === undefined ? undefined : Object.values(value)[0];
};

const countsOf = (spans: Iterable<OtlpSpan>): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { name } of spans) {
    const kind = name.split(" ")[0] ?? "";
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
};

interface Started extends AsyncDisposable {
  readonly lectern: CliHome;
  readonly ask: (index: number) => Promise<void>;
  readonly exported: (...words: string[]) => Promise<OtlpSpan[]>;
}

/** A session whose agent does one turn for each line. */
async function started(turns: number, variables: Readonly<Record<string, string>> = {}, config = ""): Promise<Started> {
  const model = await ScriptedModel.start({ turns: Array.from({ length: turns }, (_, index) => turnOf(index)).flat() });
  const lectern = new CliHome((directory) => ({ LECTERN_HOME: `${directory}/home`, ...variables }));
  const program = wiredAgentProgram(lectern.directory);
  if (config !== "") {
    mkdirSync(lectern.paths.dataDirectory, { mode: 0o700 });
    writeFileSync(lectern.paths.configFile, config);
  }
  const wire = ["--wire", "--upstream", `anthropic=${model.url}`];
  await lectern.ok("run", "-d", "-n", "work", ...wire, "--", process.execPath, program);
  const untilShown = async (pattern: string): Promise<void> => {
    const input = { session: "work", for: { type: "output", pattern }, from: 0 } as const;
    // The daemon may be killed while it is asked.
    await until(async () => {
      const found = await lectern.client.call("sessions.wait", { ...input, timeoutMs: 5000 }).catch(() => undefined);
      return found?.reason === "output";
    }, pattern);
  };
  await untilShown("ready");
  return {
    lectern,
    ask: async (index) => {
      await lectern.ok("send", "work", `line ${index}`, "--enter");
      await untilShown(`answer Done ${index};`);
    },
    exported: async (...words) => {
      const lines = (await lectern.ok("export", "work", "--format", "otlp-json", ...words)).trimEnd().split("\n");
      const requests = lines.filter(Boolean).map((line) => JSON.parse(line) as OtlpRequest);
      assert.deepEqual(requests.flatMap(problemsOf), []);
      return requests.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      );
    },
    [Symbol.asyncDispose]: async () => {
      await lectern[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

test("a turn of an agent is exported as valid spans in the trace that started it, with texts only if they are wanted", async () => {
  await using run = await started(1, { TRACEPARENT: `00-${trace}-${parent}-01` });
  await run.ask(0);
  await run.lectern.client.call("sessions.kill", { session: "work" });
  await run.lectern.client.call("sessions.wait", { session: "work", for: { type: "exit" } });
  const spans = await run.exported();
  assert.deepEqual(countsOf(spans), { chat: 2, execute_tool: 1, invoke_agent: 1 });
  const turn = spans.find(({ name }) => name.startsWith("invoke_agent"));
  assert.deepEqual([turn?.traceId, turn?.parentSpanId], [trace, parent]);
  for (const span of spans) {
    assert.equal(span.traceId, trace);
    if (span !== turn) assert.equal(span.parentSpanId, turn?.spanId);
    assert.equal(valueOf(span, "lectern.session.name"), "work");
  }
  const first = spans.find(({ name }) => name === "chat claude-sonnet-4-5");
  assert.ok(first !== undefined);
  assert.equal(valueOf(first, "gen_ai.provider.name"), "anthropic");
  assert.ok(Number(valueOf(first, "gen_ai.usage.input_tokens")) > 0);
  assert.equal(valueOf(turn ?? first, "lectern.usage.unpriced_requests"), undefined);
  assert.doesNotMatch(JSON.stringify(spans), /Look 0|deploy|line 0/);
  const texts = JSON.stringify(await run.exported("--content"));
  assert.match(texts, /line 0/);
  assert.match(texts, /deploy --key •••/);
  assert.ok(!texts.includes(secret));
  assert.match(await run.lectern.fails("export", "work", "--content"), /^2 .*--format otlp-json/);
});

test("no span is lost over a daemon that is killed and a collector that fails, hangs and redirects", async () => {
  await using receiver = await OtlpReceiver.start();
  const turns = 6;
  await using run = await started(turns, {
    LECTERN_OTLP: "on",
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a%20b",
    OTEL_EXPORTER_OTLP_TIMEOUT: "1000",
    OTEL_RESOURCE_ATTRIBUTES: "team=core",
  });
  receiver.faults.push({ status: 503, headers: { "retry-after": "0" } }, "hang", {
    status: 429,
    headers: { "retry-after": "0" },
  });
  receiver.faults.push({ status: 302, headers: { location: "http://127.0.0.1:1/" } });
  for (let index = 0; index < turns; index++) {
    await run.ask(index);
    // At any moment: while spans are made, on their way, or taken and not noted.
    if (index % 3 === 1) await run.lectern.crashDaemon();
  }
  await run.lectern.client.call("sessions.kill", { session: "work" });
  await run.lectern.client.call("sessions.wait", { session: "work", for: { type: "exit" } });
  const expected = await run.exported();
  const idOf = ({ spanId, traceId }: OtlpSpan): string => `${traceId} ${spanId}`;
  const missing = (): OtlpSpan[] => expected.filter((span) => !receiver.distinct.has(idOf(span)));
  await until(() => missing().length === 0, "all spans have come");
  assert.deepEqual(countsOf(expected), countsOf(receiver.distinct.values()));
  assert.equal(countsOf(expected)["chat"], turns * 2);
  assert.equal(countsOf(expected)["execute_tool"], turns);
  assert.deepEqual(receiver.problems, []);
  assert.equal(receiver.headers[0]?.["x-tenant"], "a b");
});

test("the configuration turns spans on, with texts if it says so", async () => {
  await using receiver = await OtlpReceiver.start();
  const settings = { enabled: true, endpoint: receiver.url, content: true, headers: { "x-tenant": "core" } };
  await using run = await started(1, {}, `otlp: ${JSON.stringify(settings)}\n`);
  await run.ask(0);
  await run.lectern.client.call("sessions.kill", { session: "work" });
  await until(() => countsOf(receiver.distinct.values())["invoke_agent"] === 1, "the turn has come");
  assert.match(JSON.stringify([...receiver.distinct.values()]), /line 0/);
  assert.equal(receiver.headers[0]?.["x-tenant"], "core");
  // The headers hold keys.
  assert.match(await run.lectern.ok("config", "show"), /otlp\.headers +\(hidden\)/);
  assert.doesNotMatch(await run.lectern.ok("config", "show", "--json"), /core/);
});
