/** A recording on the page. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { terminalRows, until, untilShown, WebHome } from "./web-home.ts";

const web = await WebHome.start();
after(() => web[Symbol.asyncDispose]());
const { home } = web;

const program = "for i in 1 2 3 4; do echo step $i; sleep 0.25; done; sleep 3; echo finished";
await home.ok("run", "-d", "--name", "steps", "--", "bash", "-c", program);
await home.ok("wait", "steps", "--for", "exit");

const slider = (page: Awaited<ReturnType<WebHome["open"]>>["page"]) => page.getByRole("slider", { name: "Time" });

test("a recording plays by itself, without its idle time", async () => {
  const { page, problems } = await web.open("/s/steps/replay");
  await untilShown(page, "step 1");
  await untilShown(page, "finished");
  assert.deepEqual(await terminalRows(page), ["step 1", "step 2", "step 3", "step 4", "finished"]);
  assert.deepEqual(problems, []);
});

test("the time line goes back and forth with keys, and shows what was there then", async () => {
  const { page } = await web.open("/s/steps/replay");
  await untilShown(page, "step 1");
  await page.getByRole("button", { name: "Pause" }).click();
  await slider(page).focus();
  await page.keyboard.press("End");
  await untilShown(page, "finished");
  await page.keyboard.press("Home");
  await until(async () => (await terminalRows(page)).length <= 1, "the beginning");
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

test("a recording is saved as one file that plays without the daemon and fetches nothing", async () => {
  const { page } = await web.open("/s/steps/replay");
  await page.getByRole("button", { name: "Take it along" }).click();
  const saving = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Web page, one file" }).click();
  const path = await (await saving).path();
  const html = readFileSync(path, "utf8");
  assert.match(html, /default-src 'none'/);
  const { page: file, problems } = await web.stranger();
  const requests: string[] = [];
  file.on("request", (request) => requests.push(request.url()));
  await file.route("http://saved.example/", (route) => route.fulfill({ body: html, contentType: "text/html" }));
  await file.goto("http://saved.example/");
  await untilShown(file, "finished");
  assert.deepEqual(
    requests.filter((url) => url !== "http://saved.example/" && !url.endsWith("/favicon.ico")),
    [],
  );
  assert.deepEqual(problems, []);
});

test("a recording is saved as asciicast", async () => {
  const { page } = await web.open("/s/steps/replay");
  await page.getByRole("button", { name: "Take it along" }).click();
  const saving = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Asciicast v3" }).click();
  const [head = ""] = readFileSync(await (await saving).path(), "utf8").split("\n");
  assert.equal((JSON.parse(head) as { readonly version: number }).version, 3);
});
