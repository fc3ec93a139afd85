/** `lectern notify`, its counters, and the receivers of docs/notifications.md with a real notice. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { OutputOf } from "../../src/protocol/operations.ts";
import { blocksOf } from "../documents.ts";
import { NoticeReceiver, type ReceivedNotice } from "../support/notice-receiver.ts";
import { until } from "../support/until.ts";
import { CliHome } from "./cli-home.ts";

const secret = `whsec_${randomBytes(32).toString("base64")}`;

async function homeFor(receiver: NoticeReceiver): Promise<CliHome> {
  const home = new CliHome();
  const { configFile, dataDirectory } = home.paths;
  mkdirSync(dataDirectory, { mode: 0o700 });
  const rule = { on: ["failed"], after: "0s", to: ["hook"] };
  const channels = { hook: { kind: "webhook", url: `http://${receiver.host}/`, secret } };
  const notify = { channels, rules: [rule], privateTargets: [receiver.host] };
  writeFileSync(configFile, JSON.stringify({ notify, listen: { port: 0 } }));
  await home.startDaemon("--no-tcp");
  return home;
}

type Listed = OutputOf<"notify.list">;
const listed = async (home: CliHome, ...words: string[]): Promise<Listed> =>
  JSON.parse(await home.ok("notify", "ls", "--json", ...words)) as Listed;

/** Lines of `GET /metrics` about notices. */
async function counters(home: CliHome): Promise<string[]> {
  const answer = Promise.withResolvers<string>();
  request({ socketPath: home.paths.daemonSocket, path: "/metrics", headers: { host: "lectern" } }, (response) =>
    answer.resolve(text(response)),
  )
    .on("error", answer.reject)
    .end();
  return (await answer.promise).split("\n").filter((line) => line.startsWith("lectern_notify_total{"));
}

test("a notice that was refused is listed, sent again and removed, also as JSON, and each attempt is counted", async () => {
  // A redirect is not followed, so the notice is dead at once.
  await using receiver = await NoticeReceiver.start(301);
  await using home = await homeFor(receiver);
  assert.match(await home.ok("notify", "ls"), /^CHANNEL +KIND +TARGET *\nhook +webhook +127\.0\.0\.1:\d+ *\n$/);
  await home.ok("run", "-d", "--name", "wrong", "--", "sh", "-c", "exit 3");
  await until(async () => (await listed(home, "--state", "dead")).notices.length === 1);
  const [notice] = (await listed(home)).notices;
  const id = notice?.id ?? "";
  assert.deepEqual([notice?.kind, notice?.state, notice?.attempts, notice?.nextAt], ["failed", "dead", 1, null]);
  assert.match(
    await home.ok("notify", "ls"),
    new RegExp(`${id} +dead +hook +wrong has failed +127.*redirects \\(301\\)`),
  );
  receiver.status = 204;
  assert.deepEqual(JSON.parse(await home.ok("notify", "retry", "--json")), { ids: [id] });
  await until(async () => (await listed(home, "--state", "sent")).notices.length === 1);
  assert.deepEqual(await counters(home), [
    'lectern_notify_total{channel="hook",outcome="dead"} 1',
    'lectern_notify_total{channel="hook",outcome="sent"} 1',
  ]);
  assert.deepEqual([receiver.received.length, receiver.counts.get(id)], [2, 2]);
  assert.deepEqual(JSON.parse(await home.ok("notify", "retry", "--json")), { ids: [] });
  assert.equal(await home.ok("notify", "retry", id), `${id}\n`);
  await until(() => receiver.received.length === 3);
  assert.deepEqual(JSON.parse(await home.ok("notify", "rm", id, "--json")), { id });
  assert.deepEqual((await listed(home)).notices, []);
  assert.match(await home.fails("notify", "rm", id), /Cannot find notice "msg_.*list them with "lectern notify ls"/);

  const tested = JSON.parse(await home.ok("notify", "test", "hook", "--json")) as OutputOf<"notify.test">;
  assert.deepEqual([tested.channel, tested.sent, tested.hasLinks], ["hook", true, false]);
  receiver.status = 403;
  const { code, stdout, stderr } = await home.run(["notify", "test", "hook"]);
  assert.match(`${code} ${stdout}`, /^1 Not sent: .* answered 403 .*: check the token and its rights\n$/);
  assert.match(stderr, /Without notify\.publicUrl/);
  assert.match(await home.fails("notify", "test", "phone"), /Cannot find channel "phone": there are "hook"/);
});

/** Runs a receiver of the document with the notice, and with a changed body, an old time and another secret. */
const wanted = [true, false, false, false];
const cases = ({ body, headers }: ReceivedNotice): object[] => {
  const old = { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) - 301) };
  return [
    { headers, body, secret },
    { headers, body: body.replace("test", "tost"), secret },
    { headers: old, body, secret },
    { headers, body, secret: `whsec_${randomBytes(32).toString("base64")}` },
  ];
};

test("the receivers of the document accept a notice, and refuse one that was changed, is old, or has another key", async () => {
  await using receiver = await NoticeReceiver.start();
  await using home = await homeFor(receiver);
  await home.ok("notify", "test", "hook");
  const input = JSON.stringify(cases(receiver.received[0] ?? assert.fail("Nothing was received")));
  const blocks = blocksOf("docs/notifications.md");
  const programOf = (wantedLanguage: string): string =>
    blocks.find(({ language }) => language === wantedLanguage)?.text ?? assert.fail(`There is no ${wantedLanguage}`);
  const run = (program: string, name: string, code: string): unknown => {
    const file = join(home.directory, name);
    writeFileSync(file, code);
    return JSON.parse(execFileSync(program, [file], { input, encoding: "utf8" }));
  };
  const python = `import json, sys
print(json.dumps([verified(each["headers"], each["body"].encode(), each["secret"]) for each in json.load(sys.stdin)]))`;
  assert.deepEqual(run("python3", "receiver.py", `${programOf("python")}\n${python}\n`), wanted);
  const node = `import { readFileSync } from "node:fs";
const given = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(given.map(({ headers, body, secret }) => verified(headers, body, secret))));`;
  assert.deepEqual(run(process.execPath, "receiver.mjs", `${programOf("js")}\n${node}\n`), wanted);
});
