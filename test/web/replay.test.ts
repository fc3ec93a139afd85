/** A recording on the page. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { terminalRows, untilSame, untilShown, WebHome } from "./web-home.ts";
import { until } from "../support/until.ts";

const web = await WebHome.shared();
const { home } = web;

// A recording with these times: those of a program on a busy machine are its own.
const header = { version: 2, width: 80, height: 24 };
const steps = [1, 2, 3, 4].map((step) => [0.25 * step, "o", `step ${step}\r\n`]);
const cast = [header, ...steps, [4, "o", "finished\r\n"]].map((line) => JSON.stringify(line)).join("\n");
writeFileSync(join(home.directory, "steps.cast"), `${cast}\n`);
await home.ok("import", join(home.directory, "steps.cast"), "--name", "steps");

const slider = (page: Page) => page.getByRole("slider", { name: "Time" });

test("a recording plays by itself, without its idle time", async () => {
  const { page, problems } = await web.open("/s/steps/replay");
  await untilShown(page, "step 1");
  await untilShown(page, "finished");
  assert.deepEqual(await terminalRows(page), ["step 1", "step 2", "step 3", "step 4", "finished"]);
  assert.deepEqual(problems, []);
});

test("the time line goes back and forth with keys, and shows what was there then", async () => {
  const { page } = await web.open("/s/steps/replay");
  // To its end, so that it stands still: a slow machine may find no moment to stop it before.
  await untilShown(page, "finished");
  await slider(page).focus();
  await page.keyboard.press("Home");
  await until(async () => (await terminalRows(page)).length <= 1, "the beginning");
  await page.keyboard.press("End");
  await untilShown(page, "finished");
  const box = await slider(page).boundingBox();
  assert.ok(box);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await untilShown(page, "step 4");
  assert.ok(!(await terminalRows(page)).includes("finished"));
});

test("a link with an offset opens the recording at that place", async () => {
  const { records } = await home.client.call("sessions.records", { session: "steps" });
  const second = records.find(({ data }) => atob(data ?? "").includes("step 2"));
  assert.ok(second);
  const { page } = await web.open(`/s/steps/replay?at=${second.offset}`);
  await untilShown(page, "step 2");
  assert.deepEqual(await terminalRows(page), ["step 1", "step 2"]);
});

test("a recording is saved as one file that plays from the disk, runs its own script only and fetches nothing", async () => {
  const { page } = await web.open("/s/steps/replay");
  await page.getByRole("button", { name: "Download" }).click();
  const saving = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Web page, one file" }).click();
  const path = join(home.directory, "steps.html");
  await (await saving).saveAs(path);
  const html = readFileSync(path, "utf8");
  assert.match(html, /default-src 'none'; script-src 'sha256-[\w+/=]{44}';/);
  const { page: file, problems } = await web.stranger();
  const requests: string[] = [];
  file.on("request", (request) => requests.push(request.url()));
  const address = pathToFileURL(path).href;
  await file.goto(address);
  await untilShown(file, "finished");
  assert.deepEqual(await terminalRows(file), ["step 1", "step 2", "step 3", "step 4", "finished"]);
  assert.deepEqual(requests, [address]);
  assert.deepEqual(problems, []);
  // Its policy holds: neither another script nor a request gets through.
  writeFileSync(path, html.replace(/<\/html>\n$/, "<script>document.title = 'run'</script></html>"));
  await file.goto(address);
  await untilShown(file, "step 1");
  assert.equal(await file.title(), "steps");
  const fetched = await file.evaluate<string>(`fetch("${web.url}/healthz").then(() => "fetched", () => "refused")`);
  assert.equal(fetched, "refused");
});

test("a recording is saved as asciicast", async () => {
  const { page } = await web.open("/s/steps/replay");
  await page.getByRole("button", { name: "Download" }).click();
  const saving = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Asciicast v3" }).click();
  const [head = "", ...lines] = readFileSync(await (await saving).path(), "utf8")
    .trimEnd()
    .split("\n");
  assert.equal((JSON.parse(head) as { readonly version: number }).version, 3);
  const events = lines.map((line) => JSON.parse(line) as [number, string, string]);
  const output = events.flatMap(([, kind, data]) => (kind === "o" ? [data] : []));
  assert.equal(output.join(""), "step 1\r\nstep 2\r\nstep 3\r\nstep 4\r\nfinished\r\n");
  assert.ok(
    events.some(([seconds]) => seconds > 2),
    "the pause is in it",
  );
});

test("marks lead from one thing that happened to the next, and from there to the conversation", async () => {
  await home.ok("run", "-d", "--name", "marked", "--", "bash", "--norc", "--noprofile");
  await home.ok("exec", "marked", "echo apples");
  await home.ok("exec", "marked", "echo pears");
  await home.ok("kill", "marked");
  const { page, problems } = await web.open("/s/marked/replay");
  await page.locator(".timeline-mark[data-kind=message]").first().waitFor();
  await page.locator(".timeline-mark[data-kind=exit]").waitFor();
  assert.notEqual(await page.locator(".timeline-states [data-state=waiting]").getAttribute("d"), "");
  await slider(page).focus();
  await page.keyboard.press("End");
  const words = page.locator(".replay-mark p");
  const place = (of = page): Promise<string | null> => of.locator(".timeline-at").getAttribute("style");
  await until(async () => {
    const before = await place();
    await page.getByRole("button", { name: "Go to the previous mark" }).click();
    // A click before this one is drawn would go past the mark.
    await until(async () => (await place()) !== before, "another mark");
    return /shell: echo pears/.test((await words.textContent()) ?? "");
  }, "the second command");
  const { page: other } = await web.open("/");
  await until(async () => {
    // The place is in the address soon; until then that of a mark before may be.
    await other.goto(page.url());
    return (await place(other)) === (await place());
  }, "the address of this place");
  await untilSame(page, other, "apples");
  await page.reload();
  assert.match((await words.textContent()) ?? "", /shell: echo pears/);
  const link = page.getByRole("link", { name: "In the conversation" });
  await link.click();
  await page.locator(".entry.linked").filter({ hasText: "echo pears" }).waitFor();
  assert.deepEqual(problems, []);
});
