/** An ended session goes on from the page: it is resumed from its menu, and both are one conversation. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/until.ts";
import { allFaults } from "./page-faults.ts";
import { WebHome } from "./web-home.ts";

const id = "11111111-1111-4111-8111-111111111111";

/** Shows the box of Claude Code and keeps its files as that does, in a home of its own, which Lectern sees of the process. */
const agentScript = `#!/bin/bash
home=$(dirname "$0")/../user
[ "$HOME" = "$home" ] || exec env HOME="$home" "$0" "$@"
words="begun anew"
[ "$1" = --resume ] && words="gone on with it"
files=$HOME/.claude; mkdir -p $files/sessions $files/projects/p
[ "$1" = --resume ] && [ -f $HOME/forgets ] && { echo "No conversation found with session ID: $2"; exit 1; }
echo '{"sessionId":"${id}"}' > $files/sessions/$$.json
touch $files/projects/p/${id}.jsonl
line=$(printf '─%.0s' {1..40})
printf '● %s\\n\\n%s\\n❯ \\n%s\\n  ? for shortcuts' "$words" $line $line
while read -r more; do :; done
`;

const web = await WebHome.shared();
const { home } = web;
const forgets = join(home.directory, "user/forgets");

const linuxOnly = { skip: process.platform !== "linux" && "needs /proc" };

/** An agent that has said something and whose conversation is known. */
async function begun(): Promise<string> {
  mkdirSync(join(home.directory, "bin"), { recursive: true });
  mkdirSync(join(home.directory, "user"), { recursive: true });
  writeFileSync(join(home.directory, "bin/claude"), agentScript, { mode: 0o755 });
  await home.ok("run", "-d", "--name", "fixer", "--", "claude", "fix it");
  const session = await home.client.call("sessions.get", { session: "fixer" });
  await until(async () => {
    const now = await home.client.call("sessions.get", { session: session.id });
    return now.conversation?.id === id && now.status?.state === "waiting" && now.lastMessage !== null;
  }, "the conversation is learned");
  return session.id;
}

test("a session is resumed from its menu, and the new one shows the conversation of both", linuxOnly, async () => {
  const first = await begun();
  const { page, problems } = await web.open("/");
  const menu = page.getByRole("main").getByRole("button", { name: "Actions for fixer" });
  await menu.click();
  await page.getByRole("menuitem", { name: "Send Ctrl-C" }).waitFor();
  assert.equal(await page.getByRole("menuitem", { name: "Resume" }).count(), 0);
  await page.keyboard.press("Escape");
  await home.ok("kill", "fixer");
  await page.locator(`.row[data-session="${first}"][data-standing="ended"]`).waitFor();
  await menu.click();
  await page.getByRole("menuitem", { name: "Resume" }).click();
  await page.waitForURL(`${web.url}/s/fixer`);
  const second = (await home.client.call("sessions.get", { session: "fixer" })).id;
  assert.notEqual(second, first);

  await page.getByRole("link", { name: "Conversation" }).click();
  const entries = page.locator(".chat-items > li");
  await entries.filter({ hasText: "gone on with it" }).waitFor();
  await entries.filter({ hasText: "begun anew" }).waitFor();
  await entries.filter({ hasText: "Resumed from fixer, " }).waitFor();
  const texts = await entries.allTextContents();
  const places = ["begun anew", "Resumed from fixer, ", "gone on with it"].map((words) =>
    texts.findIndex((text) => text.includes(words)),
  );
  assert.deepEqual(
    places.toSorted((one, two) => one - two),
    places,
    texts.join("\n"),
  );
  assert.deepEqual(await allFaults(page), []);

  await page.locator(".entry-resumed").getByRole("link", { name: "fixer" }).click();
  await page.waitForURL(`${web.url}/s/${first}/chat`);
  await page.getByRole("link", { name: "Continued in fixer" }).click();
  await page.waitForURL(`${web.url}/s/fixer`);
  await home.ok("rm", first);
  // A page that does not know it yet asks for its messages, and the browser reports the 404.
  await page.goto(`${web.url}/`);
  await page.locator(`.row[data-session="${second}"]`).waitFor();
  await page.locator(`.row[data-session="${first}"]`).waitFor({ state: "detached" });
  await page.locator(`.row[data-session="${second}"]`).getByRole("link").first().click();
  await page.waitForURL(`${web.url}/s/fixer`);
  await page.getByRole("link", { name: "Conversation" }).click();
  await page.locator(".entry-resumed").filter({ hasText: "a session whose recording was removed" }).waitFor();
  assert.deepEqual(problems, []);
});

test("an agent that has forgotten is said so, and is started anew only by a further click", linuxOnly, async () => {
  await home.ok("kill", "fixer");
  const { id: ended } = await home.client.call("sessions.get", { session: "fixer" });
  writeFileSync(forgets, "");
  const { page } = await web.open(`/s/${ended}`);
  await page.getByRole("button", { name: "Resume", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/has forgotten the conversation 1{8}-/).waitFor();
  assert.deepEqual(await allFaults(page), []);
  await dialog.getByRole("button", { name: "Start anew" }).click();
  await page.waitForURL(`${web.url}/s/fixer`);
  const anew = await home.client.call("sessions.get", { session: "fixer" });
  assert.deepEqual([anew.state, anew.continues, anew.command], ["running", ended, ["claude"]]);
});
