/** The terminal on the page: what is typed, what is shown, and what happens when the page or the daemon goes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { gone } from "../e2e/cli-home.ts";
import { terminalRows, typeInto, untilShown, WebHome } from "./web-home.ts";
import { until } from "../support/until.ts";

const web = await WebHome.shared();
const { home } = web;

/** A program that prints numbered lines while somebody presses Enter. */
const counter = 'i=0; while read -r _; do i=$((i + 1)); echo "line $i"; done';

const numbered = (rows: readonly string[]): string[] => rows.filter((row) => /^line \d+$/.test(row));
const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index + 1}`);

test("what is typed reaches the program, and what it prints is shown", async () => {
  await home.ok("run", "-d", "--name", "shell", "--", "bash", "--norc", "--noprofile");
  const { page, problems } = await web.open("/s/shell");
  await untilShown(page, "$");
  await typeInto(page, "echo $((6 * 7)) ünïcödé 日本\n");
  await untilShown(page, "42 ünïcödé 日本");
  assert.deepEqual(problems, []);
});

/** Columns and rows of a session, as the daemon has them. */
async function sizeOf(session: string): Promise<string> {
  const { columns, rows } = await home.client.call("sessions.get", { session });
  return `${rows} ${columns}`;
}
const fit = (page: Page) => page.getByRole("button", { name: "Fit to this window" });

test("a page leaves the size alone until its person types, then follows the window, and gives the size back", async () => {
  await home.ok("run", "-d", "--name", "sized", "--", "bash", "--norc", "--noprofile");
  const { page } = await web.open("/s/sized");
  await fit(page).waitFor();
  await page.setViewportSize({ width: 1000, height: 600 });
  await untilShown(page, "$");
  assert.equal(await sizeOf("sized"), "40 120");
  await typeInto(page, "stty size\n");
  await until(async () => (await sizeOf("sized")) !== "40 120", "the size of the page");
  const before = await sizeOf("sized");
  await untilShown(page, before);
  await page.setViewportSize({ width: 900, height: 500 });
  await until(async () => (await sizeOf("sized")) !== before, "another size");
  await fit(page).waitFor({ state: "detached" });
  await page.close();
  await until(async () => (await sizeOf("sized")) === "40 120", "the size before");
});

test("letters fill the page while a person looks, and get their normal size with the first key", async () => {
  await home.ok("run", "-d", "--name", "viewed", "--", "bash", "--norc", "--noprofile");
  const { page } = await web.open("/s/viewed");
  await untilShown(page, "$");
  const share = `(() => {
    const { offsetWidth, offsetHeight } = document.querySelector(".xterm-screen");
    const { clientWidth, clientHeight } = document.querySelector(".terminal-host");
    return Math.max(offsetWidth / clientWidth, offsetHeight / clientHeight);
  })()`;
  for (const [width, height] of [
    [1440, 900],
    [900, 600],
    [1024, 1366],
    [2200, 1200],
  ] as const) {
    await page.setViewportSize({ width, height });
    await until(async () => {
      const shown = await page.evaluate<number>(share);
      return shown > 0.9 && shown <= 1;
    }, `the terminal fills a window of ${width} x ${height}`);
  }
  const size = "getComputedStyle(document.querySelector('.xterm-rows')).fontSize";
  assert.notEqual(await page.evaluate(size), "13px");
  await typeInto(page, "#");
  await until(async () => (await page.evaluate(size)) === "13px", "the normal size");
});

test("the same window gives the same size on each cold load, and when it is measured again", async () => {
  const sizes = new Set<string>();
  for (const name of ["cold-1", "cold-2", "cold-3"]) {
    await home.ok("run", "-d", "--name", name, "--", "cat");
    const { page } = await web.open(`/s/${name}`);
    await fit(page).click();
    await fit(page).waitFor({ state: "detached" });
    sizes.add(await sizeOf(name));
    await page.setViewportSize({ width: 1100, height: 700 });
    await until(async () => !sizes.has(await sizeOf(name)), "the size of the smaller window");
    await page.setViewportSize({ width: 1200, height: 800 });
    await until(async () => sizes.has(await sizeOf(name)), "the first size again");
    await page.context().close();
  }
  assert.equal(sizes.size, 1, [...sizes].join(", "));
});

test("on a phone a session keeps its size, and all its columns can be reached", async () => {
  for (const columns of [80, 200]) {
    const name = `phone-${columns}`;
    await home.ok(
      "run",
      "-d",
      "--name",
      name,
      "--cols",
      `${columns}`,
      "--rows",
      "24",
      "--",
      "bash",
      "-c",
      `printf '%*s' ${columns} end; cat`,
    );
    const { page } = await web.open(`/s/${name}`, { viewport: { width: 360, height: 740 } });
    await untilShown(page, "end");
    await fit(page).waitFor();
    assert.equal(await sizeOf(name), `24 ${columns}`);
    const reach = await page.evaluate(`{
      const host = document.querySelector(".terminal-host");
      host.scrollLeft = 1e6;
      document.querySelector(".xterm-screen").getBoundingClientRect().right - host.getBoundingClientRect().right;
    }`);
    assert.ok(Number(reach) <= 1, `${columns} columns end ${String(reach)} px outside`);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);
  }
});

test("a question that is opened on a phone keeps its whole command, and the session its size", async () => {
  const command = "find . -name '*.orig' -not -path './vendor/*' -print0 | xargs -0 rm --force --verbose";
  const rows = ["Would you like to run the following command?", "", `$ ${command}`, "", "1. Yes (y)", "2. No (esc)"];
  const dialog = rows.map((row) => `${row.startsWith("1") ? "›" : " "} ${row}`).join("\r\n");
  const script = `stty raw -echo; printf '\\033[?25l%s\r\n\r\n  Press enter to confirm' "$1"; head -c 1 > /dev/null`;
  await home.client.call("sessions.create", {
    command: ["bash", "-c", script, "codex", dialog],
    name: "asks",
    agent: "codex",
    columns: 100,
    rows: 30,
  });
  const { page } = await web.open("/s/asks", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await untilShown(page, "Press enter to confirm");
  await page.goto(`${web.url}/approvals`);
  const question = page.getByRole("article").first();
  await question.waitFor();
  const code = question.locator("code, pre").first();
  assert.equal(((await code.textContent()) ?? "").replaceAll(/\s+/g, " ").trim(), command);
  assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);
  assert.equal(await sizeOf("asks"), "30 100");
  const { approvals } = await home.client.call("approvals.list", { session: "asks" });
  assert.deepEqual(
    approvals.map((asked) => [asked.command, asked.isComplete]),
    [[command, true]],
  );
});

test("a page that is loaded again shows each line once", async () => {
  await home.ok("run", "-d", "--name", "reload", "--", "bash", "-c", `stty -echo; ${counter}`);
  const { page } = await web.open("/s/reload");
  await until(async () => (await page.locator(".terminal-status").getAttribute("data-phase")) === "live", "live");
  await typeInto(page, "\n".repeat(10));
  await untilShown(page, "line 10");
  await page.reload();
  await untilShown(page, "line 10");
  await typeInto(page, "\n".repeat(10));
  await untilShown(page, "line 20");
  assert.deepEqual(numbered(await terminalRows(page)), lines(20));
});

test("a daemon that is killed under the page and comes back loses and doubles nothing", async () => {
  // Fewer than the session has rows.
  const program = 'for i in $(seq 20); do echo "line $i"; sleep 0.2; done; read -r _';
  await home.ok("run", "-d", "--name", "killed", "--", "bash", "-c", program);
  const { page } = await web.open("/s/killed");
  await untilShown(page, "line 3");
  await home.crashDaemon();
  await page.getByText("The daemon does not answer").first().waitFor();
  await web.startDaemonAgain();
  await untilShown(page, "line 20");
  assert.deepEqual(numbered(await terminalRows(page)), lines(20));
  await until(async () => (await page.getByText("The daemon does not answer").count()) === 0, "no word of it any more");
  await typeInto(page, "\n");
  await page.getByText("Program ended with code 0").waitFor();
});

test("keys that were on their way to a daemon that was killed are reported, and not typed later", async () => {
  await home.ok("run", "-d", "--name", "keys", "--", "cat");
  const { page } = await web.open("/s/keys");
  await page.locator(".terminal-status[data-phase=live]").waitFor();
  await typeInto(page, "one\n");
  await untilShown(page, "one");
  const pid = (await home.info())?.pid ?? assert.fail("no daemon");
  process.kill(pid, "SIGSTOP");
  await typeInto(page, "two\n");
  process.kill(pid, "SIGKILL");
  await gone(pid);
  await web.startDaemonAgain();
  const word = page.getByText("The connection broke while you typed");
  await word.waitFor();
  await typeInto(page, "three\n");
  // The echo of each line, and what cat prints.
  await until(async () => (await terminalRows(page)).length >= 4, "four rows");
  await until(async () => (await word.count()) === 0, "no word of it any more");
  assert.deepEqual(await terminalRows(page), ["one", "one", "three", "three"]);
});

test("a page that is loaded while the daemon is away says what to do, and comes to life with it", async () => {
  await home.ok("run", "-d", "--name", "away", "--", "cat");
  const { page } = await web.open("/s/away", { serviceWorkers: "allow" });
  await page.waitForFunction(`navigator.serviceWorker.ready.then(({ active }) => active.state === "activated")`);
  // What the worker keeps of the page comes with the next load.
  await page.reload();
  await page.locator(".terminal-status[data-phase=live]").waitFor();
  await home.crashDaemon();
  await page.reload();
  await page.getByText("Start it with lectern up").waitFor();
  await web.startDaemonAgain();
  await page.locator(".terminal-status[data-phase=live]").waitFor();
});

test("paste is bracketed where the program asks for it", async () => {
  const program = "printf '\\033[?2004h'; stty raw -echo; echo ready; head -c 17 | od -An -c";
  await home.ok("run", "-d", "--name", "paste", "--", "bash", "-c", program);
  const { page } = await web.open("/s/paste");
  await untilShown(page, "ready");
  await page.getByTestId("terminal").click();
  // As text: here are no types of a browser.
  await page.evaluate(`{
    const data = new DataTransfer();
    data.setData("text/plain", "pasted");
    const paste = new ClipboardEvent("paste", { clipboardData: data, bubbles: true });
    document.querySelector(".xterm-helper-textarea").dispatchEvent(paste);
  }`);
  await untilShown(page, "2   0   0   ~   p   a   s   t   e");
});

test("a read-only view types nothing and keeps the size", async () => {
  await home.ok("run", "-d", "--name", "look", "--", "bash", "--norc", "--noprofile");
  const { page } = await web.open("/s/look");
  await untilShown(page, "$");
  await page.getByRole("button", { name: "Actions for look" }).last().click();
  await page.getByRole("menuitem", { name: "Read only" }).click();
  await page.getByText("Read only").waitFor();
  await untilShown(page, "$");
  const { end } = await home.client.call("sessions.get", { session: "look" });
  await typeInto(page, "echo typed\n");
  const { records } = await home.client.call("sessions.records", { session: "look", from: end });
  // Marks may come, such as of what the shell does now.
  assert.deepEqual(
    records.filter(({ type }) => type !== "mark"),
    [],
  );
});

test("older output comes from the journal when somebody asks for it", async () => {
  const program = "seq -f 'first %.0f' 3; head -c 1500000 /dev/zero | tr '\\0' x | fold -w 78; echo the end; cat";
  await home.ok("run", "-d", "--name", "long", "--", "bash", "-c", program);
  await home.ok("wait", "long", "--for", "output:the end");
  const { page } = await web.open("/s/long");
  await untilShown(page, "the end");
  await page.getByTestId("terminal").click();
  await page.keyboard.press("Control+Shift+Home");
  await page.getByRole("button", { name: "Load earlier output" }).click();
  await until(async () => {
    await page.keyboard.press("Control+Shift+Home");
    return (await terminalRows(page)).includes("first 1");
  }, "the first line");
});

test("search in the terminal finds what has scrolled away", async () => {
  await home.ok("run", "-d", "--name", "find", "--", "bash", "-c", "echo needle; seq 300; cat");
  const { page } = await web.open("/s/find");
  await untilShown(page, "300");
  await page.getByTestId("terminal").click();
  await page.keyboard.press("Control+Shift+F");
  await page.getByLabel("Find in the terminal").fill("needle");
  await untilShown(page, "needle");
  await page.getByText("1 of 1").waitFor();
});

test("much output that comes at once is drawn whole and in order", async () => {
  await home.ok(
    "run",
    "-d",
    "--name",
    "much",
    "--",
    "bash",
    "-c",
    "read -r _; seq -f 'row %.0f' 60000; echo the end; cat",
  );
  const { page } = await web.open("/s/much");
  await page.locator(".terminal-status[data-phase=live]").waitFor();
  await typeInto(page, "\n");
  await untilShown(page, "the end");
  const numbers = async (): Promise<number[]> =>
    (await terminalRows(page)).flatMap((row) => (row.startsWith("row ") ? [Number(row.slice(4))] : []));
  const counted = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index);
  const newest = await numbers();
  assert.equal(newest.at(-1), 60_000);
  assert.deepEqual(newest, counted(60_001 - newest.length, newest.length));
  // All that the terminal keeps, not only what is in view.
  await page.keyboard.press("Control+Shift+Home");
  await until(async () => ((await numbers())[0] ?? 60_000) < 60_000 - 500, "what has scrolled away");
  const oldest = await numbers();
  assert.deepEqual(oldest, counted(oldest[0] ?? 0, oldest.length));
});
