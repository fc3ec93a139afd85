/** A task on the page: an agent in a worktree with a prompt, its changes as they grow, a commit; and three at once. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { GitRepository, gitIn, writeIn } from "../support/git-repository.ts";
import { until } from "../support/until.ts";
import { allFaults, wide } from "./page-faults.ts";
import { WebHome } from "./web-home.ts";

const repository = new GitRepository();
const web = await WebHome.shared();
after(async () => {
  repository[Symbol.dispose]();
});
const { client } = web.home;
const worktrees = join(repository.directory, "shop.worktrees");

test("a task of the page has its worktree, prompt, changes and commit in a real repository", async () => {
  const { page, problems } = await web.open("/", { viewport: wide });
  await page.getByRole("banner").getByRole("button", { name: "New task" }).click();
  const evil = String.raw`printf 'a\033[31mb \342\200\256 <img src=x onerror=alert(1)>\n' > 'e<b>.txt'`;
  await page
    .getByRole("dialog")
    .getByRole("textbox", { name: "Prompt" })
    .fill(`sed -i 's/price/total/' src/total.js; ${evil}`);
  await page.getByLabel("Agent", { exact: true }).fill("bash --norc");
  await page.getByLabel("Repository").fill(repository.path);
  await page.getByRole("textbox", { name: "Branch" }).fill("use-total");
  await page.getByLabel("Sandbox").selectOption("offline");
  assert.deepEqual(await allFaults(page), []);
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(`${web.url}/s/use-total`);
  await page.getByText("Sandbox: offline").waitFor();
  await page.getByRole("link", { name: "Changes" }).click();
  await page.getByText("2 files, 2 not committed, 0 commits").waitFor();
  await page.getByRole("cell", { name: "- items.reduce((sum, item) => sum + item.price, 0);" }).waitFor();
  await page.getByRole("button", { name: "e<b>.txt new" }).waitFor();
  await page.getByRole("cell", { name: String.raw`+ a\x1b[31mb \u{202e} <img src=x onerror=alert(1)>` }).waitFor();
  await page.getByRole("button", { name: "Side by side" }).click();
  assert.equal(await page.locator(".diff[data-layout=split]").count(), 2);
  assert.deepEqual(await allFaults(page), []);
  // It grows while somebody looks.
  writeIn(join(worktrees, "use-total"), "src/late.js", "export const late = true;\n");
  await page.getByText("3 files, 3 not committed").waitFor();
  await page.locator("body").press("j");
  await page.getByRole("button", { name: "Discard…" }).click();
  await page.getByRole("dialog").getByText("src/late.js").waitFor();
  assert.deepEqual(await allFaults(page), []);
  await page.getByRole("button", { name: "Cancel" }).click();
  writeIn(join(worktrees, "use-total"), "src/kept.js", "export const kept = true;\n");
  await page.getByText("4 files, 4 not committed").waitFor();
  await page.getByRole("button", { name: "Discard src/late.js…" }).click();
  await page.getByRole("dialog").getByText("src/late.js").waitFor();
  assert.equal(await page.getByRole("dialog").getByText("src/total.js").count(), 0);
  assert.deepEqual(await allFaults(page), []);
  await page.getByRole("button", { name: "Discard", exact: true }).click();
  await page.getByText("3 files, 3 not committed").waitFor();
  assert.equal(existsSync(join(worktrees, "use-total", "src/late.js")), false);
  await page.getByRole("button", { name: "Commit…" }).click();
  await page.getByLabel("Message").fill("Use the total");
  await page.getByRole("button", { name: "Commit", exact: true }).click();
  await page.getByText("3 files, 0 not committed, 1 commit").waitFor();
  assert.equal(repository.git("log", "-1", "--format=%s", "use-total"), "Use the total");
  assert.equal(repository.git("status", "--porcelain"), "");
  assert.deepEqual(problems, []);
});

test("three agents work on the same task side by side, and no file of one is in another", async () => {
  const { page } = await web.open("/", { viewport: wide });
  await page.getByRole("banner").getByRole("button", { name: "New task" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Prompt" }).fill('echo "$PWD" > who.txt; echo done');
  await page.getByLabel("Agent", { exact: true }).fill("bash --norc");
  await page.getByLabel("Repository").fill(repository.path);
  await page.getByRole("textbox", { name: "Branch" }).fill("try");
  await page.getByLabel("Agents side by side").selectOption("3");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("heading", { name: "try-3" }).waitFor();
  const names = ["try-1", "try-2", "try-3"];
  await until(() => names.every((name) => existsSync(join(worktrees, name, "who.txt"))), "each has written its file");
  for (const name of names) {
    assert.equal(readFileSync(join(worktrees, name, "who.txt"), "utf8"), `${join(worktrees, name)}\n`);
    const { files } = await client.call("tasks.changes", { session: name });
    assert.deepEqual(
      files.map(({ path }) => path),
      ["who.txt"],
    );
    await page.getByRole("cell", { name: `+ ${join(worktrees, name)}` }).waitFor();
  }
  assert.deepEqual(await allFaults(page), []);
  // It was measured for fingers, and has no mouse until then.
  await page.reload();
  await page.getByRole("link", { name: "try-2", exact: true }).last().click();
  assert.equal(await page.getByRole("heading", { level: 2 }).filter({ hasText: "try-" }).count(), 2);
  const path = join(worktrees, "try-1");
  const editor = (shown: typeof page) => shown.getByRole("link", { name: "Open in VS Code" });
  // Each pane has its own, once its changes are there.
  await until(async () => (await editor(page).count()) === 2, "both links");
  assert.equal(await editor(page).first().getAttribute("href"), `vscode://file${path}`);
  // A phone has no editor for it: it gets the path.
  const phone = await web.open("/s/try-1/changes", {
    viewport: { width: 390, height: 800 },
    isMobile: true,
    hasTouch: true,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await phone.page.getByRole("button", { name: "Copy path" }).click();
  await phone.page.getByText("Copied the path").waitFor();
  assert.equal(await phone.page.evaluate("navigator.clipboard.readText()"), path);
  assert.equal(await editor(phone.page).count(), 0);
});

test("a task that cannot be made says why in the dialog, and an ended one is removed on the page", async () => {
  const { page } = await web.open("/s/try-1/changes");
  await client.call("sessions.kill", { session: "try-1" });
  await page.getByRole("button", { name: "Remove worktree…" }).click();
  await page.getByRole("dialog").getByText("who.txt").waitFor();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await until(() => !existsSync(join(worktrees, "try-1")), "the worktree is removed");
  await page.getByText("does not exist any more").waitFor();
  await client.call("sessions.kill", { session: "try-3" });
  await page.goto(`${web.url}/s/try-2/changes`);
  const compared = page.getByRole("navigation", { name: "Compare with" }).getByRole("link");
  await compared.getByText("try-3").waitFor();
  assert.deepEqual(await compared.allTextContents(), ["try-3"], "it has ended, too, and its worktree is still there");
  await page.keyboard.press("Alt+n");
  await page.getByRole("button", { name: "New task…" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Prompt" }).fill("x");
  await page.getByLabel("Agent", { exact: true }).fill("bash");
  await page.getByLabel("Repository").fill(repository.path);
  await page.getByRole("textbox", { name: "Branch" }).fill("main");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("alert").getByText('the branch "main" exists already').waitFor();
});

test("comments on lines are one prompt, and a merge names its conflict, asks the agent and goes through", async () => {
  const taken = join(repository.directory, "taken.txt");
  const program = join(import.meta.dirname, "../support/redrawing-program.ts");
  await client.call("sessions.create", {
    command: [process.execPath, program, taken],
    workingDirectory: repository.path,
    worktree: { name: "loop" },
  });
  const prompts = (): string[] => (existsSync(taken) ? readFileSync(taken, "utf8").split("\n") : []);
  const path = join(worktrees, "loop");
  writeIn(path, "src/total.js", "export const total = 1;\nexport const more = 2;\n");
  const { page, problems } = await web.open("/s/loop/changes", { viewport: wide });
  await page.getByRole("cell", { name: "+ export const more = 2;" }).click();
  assert.equal(await page.getByRole("spinbutton", { name: "Line" }).inputValue(), "2");
  await page.getByRole("textbox", { name: "Comment" }).fill("why?");
  assert.deepEqual(await allFaults(page), []);
  await page.getByRole("button", { name: "Add comment" }).click();
  // By keyboard alone, and kept over a load.
  await page.getByRole("button", { name: "Comment on a line…" }).press("Enter");
  await page.getByRole("spinbutton", { name: "Line" }).fill("9");
  await page.getByRole("textbox", { name: "Comment" }).fill("rename it");
  await page.getByRole("button", { name: "Add comment" }).press("Enter");
  await page.getByRole("alert").getByText("Line 9 is not among those").waitFor();
  await page.getByRole("spinbutton", { name: "Line" }).fill("1");
  await page.getByRole("button", { name: "Add comment" }).press("Enter");
  await page.reload();
  await page.getByText("Line 2: why?").waitFor();
  await page.getByRole("button", { name: "Send 2 comments" }).click();
  await until(() => prompts().length > 1, "the prompt");
  assert.match(
    JSON.parse(prompts()[0] ?? ""),
    /src\/total\.js:1\n> export const total = 1;\nrename it\n\nsrc\/total\.js:2\n/,
  );
  assert.equal(await page.getByText("Line 2: why?").count(), 0);
  gitIn(path, "commit", "--quiet", "-am", "two totals");
  repository.write("src/total.js", "export const total = 3;\n");
  repository.git("commit", "--quiet", "-am", "three");
  await page.getByText("1 file, 0 not committed, 1 commit").waitFor();
  await page.getByRole("button", { name: "Merge…" }).click();
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await page.getByText("Nothing is merged. Both main and the agent have changed:").waitFor();
  await page.getByRole("button", { name: "Ask the agent to resolve them" }).click();
  await until(() => prompts().length > 2, "the question to the agent");
  assert.match(prompts()[1] ?? "", /^"Merge the branch main into your branch/);
  gitIn(path, "merge", "--quiet", "-s", "ours", "-m", "resolved", "main");
  await page.getByText("1 file, 0 not committed, 3 commits").waitFor();
  await page.getByRole("button", { name: "Merge…" }).click();
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await until(() => repository.git("log", "-1", "--format=%s", "main") === "resolved", "the merge");
  assert.match(readFileSync(join(repository.path, "src/total.js"), "utf8"), /more = 2/);
  assert.equal(repository.git("status", "--porcelain"), "");
  assert.deepEqual(problems, []);
});
