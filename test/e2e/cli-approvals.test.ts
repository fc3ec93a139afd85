/** Questions from the command line: what is printed of them, and which of them an answer reaches. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SharedHome, type CliHome } from "./cli-home.ts";

const shared = new SharedHome();

/** Lists what waits as soon as something does. */
async function untilAsked(home: CliHome): Promise<void> {
  for (let version: number | undefined; ;) {
    const page = await home.client.call("approvals.list", { version, waitMs: version === undefined ? 0 : 60_000 });
    if (page.approvals.length > 0) return;
    ({ version } = page);
  }
}

const menu = `printf 'Run both commands?\\n\\n  rm -rf ./a\\n  rm -rf ./b\\n\\n\\033[?25l❯ 1. Yes\\n  2. No\\n\\nEsc to cancel'; read -rsn1`;

test("lines of a question are never joined without a visible sign", async () => {
  const home = await shared.empty();
  writeFileSync(join(home.directory, "menu.sh"), menu);
  await home.ok("run", "-d", "-n", "menu", "--", "bash", "--norc", "menu.sh");
  await untilAsked(home);
  assert.match(
    await home.ok("approvals"),
    /Run both commands\?.*\n    rm -rf \.\/a\n    rm -rf \.\/b\n    1 \(Yes\), 2 \(No\)\n/,
  );
  assert.match(await home.ok("status", "menu"), /Run both commands\? ⏎ rm -rf \.\/a ⏎ rm -rf \.\/b/);
});

test("approve says what it answered, and with a digest answers nothing else", async () => {
  const home = await shared.empty();
  const script = `read -rp 'Go on? [y/N] ' answer; echo "answer=$answer"; read -r`;
  await home.ok("run", "-d", "-n", "ask", "--", "bash", "--norc", "-c", script);
  await untilAsked(home);
  const { id, digest } = JSON.parse(await home.ok("approvals", "--json")) as { id: string; digest: string };
  assert.match(
    await home.fails("approve", "ask", id, "y", "--digest", "0000000000000000"),
    /^4 .*question has changed/,
  );
  assert.match(await home.fails("approve", "ask", "a1", "y"), /^3 .*answered or withdrawn/);
  assert.equal(await home.ok("approve", "ask", id, "n", "--digest", digest), `${id}: N  (Go on? [y/N])\n`);
  const said = await home.client.call("sessions.wait", {
    session: "ask",
    for: { type: "output", pattern: "answer=n" },
  });
  assert.equal(said.reason, "output");
});

test("approve needs no id where one question is open", async () => {
  const home = await shared.empty();
  assert.match(await home.fails("approve", "nobody"), /^3 /);
  const script = `for i in 1 2; do read -rp 'Go on? [y/N] ' answer; echo "answer $i=$answer"; done; read -r`;
  await home.ok("run", "-d", "-n", "ask", "--", "bash", "--norc", "-c", script);
  for (const [at, answer] of ["n", "y"].entries()) {
    await untilAsked(home);
    // Which answer allows something is known of questions for a permission only.
    assert.match(await home.fails("approve", "ask"), /^2 .*"allow"/);
    assert.match(await home.ok("approve", "ask", answer), /: [ny] {2}\(Go on\? \[y\/N\]\)\n$/i);
    const pattern = `answer ${at + 1}=${answer}`;
    await home.client.call("sessions.wait", { session: "ask", for: { type: "output", pattern } });
  }
  assert.match(await home.fails("approve", "ask"), /^3 .*an open question of "ask"/);
});
