/** The list, and what can be done from it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { terminalRows, untilShown, WebHome } from "./web-home.ts";
import { until } from "../support/until.ts";
import { writeWireAgent } from "./wire-agent.ts";

const web = await WebHome.shared();
const { home } = web;

test("a browser without a cookie is told what to type, and a pasted link lets it in", async () => {
  const { page } = await web.stranger();
  await page.goto(`${web.url}/`);
  await page.getByRole("heading", { name: "This browser is not logged in" }).waitFor();
  await page.getByLabel("Login link").fill((await home.ok("open", "--print")).trim());
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { name: "Sessions", exact: true }).waitFor();
});

test("a login link works once", async () => {
  const link = (await home.ok("open", "--print")).trim();
  const first = await web.stranger();
  await first.page.goto(link);
  await first.page.waitForURL(`${web.url}/`);
  const second = await web.stranger();
  await second.page.goto(link);
  await second.page.getByText("This link was used or is too old").waitFor();
});

test("a page with nothing to show says what to type", async () => {
  const { page } = await web.open();
  await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
  await page.getByText("lectern run --name work -- bash").waitFor();
});

test("a session is started, renamed, labelled, ended and removed", async () => {
  const { page, problems } = await web.open();
  await page.getByRole("banner").getByRole("button", { name: "New session" }).click();
  await page.getByLabel("Command", { exact: true }).fill(`bash -c "echo 'it runs'; cat"`);
  await page.getByLabel("Name").fill("first");
  await page.getByRole("button", { name: "Start" }).click();
  await untilShown(page, "it runs");
  assert.equal(new URL(page.url()).pathname, "/s/first");

  const menu = async (session: string, item: string): Promise<void> => {
    await page
      .getByRole("main")
      .getByRole("button", { name: `Actions for ${session}` })
      .click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  await menu("first", "Rename and label");
  await page.getByRole("textbox", { name: "Name" }).fill("renamed");
  await page.getByLabel("Labels").fill("team=web urgent");
  await page.getByRole("button", { name: "Save" }).click();
  await page.waitForURL(`${web.url}/s/renamed`);
  assert.deepEqual((await home.client.call("sessions.get", { session: "renamed" })).labels, {
    team: "web",
    urgent: "",
  });

  await menu("renamed", "End session");
  await page.getByRole("dialog").getByRole("button", { name: "End session" }).click();
  await page.getByText("Program ended on request").waitFor();
  await menu("renamed", "Remove");
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.waitForURL(`${web.url}/`);
  await until(async () => (await page.getByRole("link", { name: "renamed" }).count()) === 0, "it is gone");
  assert.deepEqual(problems, []);
});

test("the dialog offers the agents that are installed, and watches one by a policy", async () => {
  writeWireAgent(home.directory);
  const { page } = await web.open();
  await page.getByRole("banner").getByRole("button", { name: "New session" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "claude", exact: true }).click();
  assert.equal(await dialog.getByLabel("Command", { exact: true }).inputValue(), "claude");
  await dialog.getByText("Claude Code: With an API key").waitFor();
  await dialog.getByRole("checkbox", { name: /Through the gateway/ }).check();
  const policy = { name: "policy.yaml", mimeType: "text/yaml", buffer: Buffer.from("version: 1\ndefault: perhaps\n") };
  await dialog.getByLabel("Policy").setInputFiles(policy);
  await dialog.getByRole("button", { name: "Start" }).click();
  assert.match((await dialog.getByRole("alert").textContent()) ?? "", /policy/i);
  await dialog.getByLabel("Policy").setInputFiles({ ...policy, buffer: Buffer.from("version: 1\ndefault: allow\n") });
  await dialog.getByRole("button", { name: "Start" }).click();
  await untilShown(page, "❯");
  assert.equal(new URL(page.url()).pathname, "/s/claude");
  await home.ok("rm", "--force", "claude");
});

test("a command that cannot be started says why, and the dialog stays", async () => {
  const { page } = await web.open();
  await page.getByRole("banner").getByRole("button", { name: "New session" }).click();
  await page.getByLabel("Command", { exact: true }).fill("no-such-program");
  await page.getByRole("button", { name: "Start" }).click();
  assert.match((await page.getByRole("alert").textContent()) ?? "", /no-such-program/);
});

test("the filter leaves what matches, and the list follows what happens outside", async () => {
  await home.ok("run", "-d", "--name", "alpha", "--label", "kind=one", "--", "cat");
  await home.ok("run", "-d", "--name", "beta", "--", "cat");
  const { page } = await web.open();
  await page.getByRole("link", { name: "alpha" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("kind=one");
  await until(async () => (await page.getByRole("link", { name: "beta" }).count()) === 0, "beta is hidden");
  await page.getByRole("link", { name: "alpha" }).waitFor();
  await page.getByLabel("Filter sessions").fill("");
  await home.ok("kill", "beta");
  await page.getByRole("region", { name: "Ended" }).getByRole("link", { name: "beta" }).waitFor();
});

test("the palette goes to a session by a part of its name, with keys alone", async () => {
  await home.ok("run", "-d", "--name", "palette-target", "--", "cat");
  const { page } = await web.open();
  await page.getByRole("link", { name: "palette-target" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("palette-t");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${web.url}/s/palette-target`);
  await page.locator(".terminal-status[data-phase=live]").waitFor();
  await page.keyboard.press("Alt+k");
  await page.getByRole("combobox", { name: "Session or command" }).waitFor();
  await page.keyboard.press("Escape");
  await until(async () => (await page.getByRole("dialog").count()) === 0, "it is closed");
});

test("hostile names, titles and output are text", async () => {
  const title = "\\033]2;<img src=x onerror=alert(1)>\\007";
  const program = `printf '${title}'; echo '<script>alert(2)</script>'; cat`;
  const command = ["run", "-d", "--name", "hostile", "--label", "x=<b>bold</b>", "--", "bash", "-c", program];
  await home.ok(...command, "<img src=x onerror=alert(3)>", "\u202Egnp.exe");
  const { page, problems } = await web.open();
  let alerts = 0;
  page.on("dialog", (dialog) => {
    alerts += 1;
    void dialog.dismiss();
  });
  await page.getByText("<b>bold</b>").waitFor();
  assert.ok((await page.locator(".row-command").allTextContents()).some((text) => text.includes("\\u{202e}gnp.exe")));
  await page.getByRole("link", { name: "hostile" }).click();
  await untilShown(page, "<script>alert(2)</script>");
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(alerts, 0);
  assert.deepEqual(problems, []);
});

test("the live screens show what the programs print", async () => {
  await home.ok("run", "-d", "--name", "tile", "--", "bash", "-c", "yes tile | head -500; cat");
  const { page, problems } = await web.open();
  await page.getByRole("button", { name: "Live screens" }).click();
  const screen = page.getByRole("img", { name: "Screen of tile" });
  await screen.waitFor();
  const inked = `(canvas) => new Set(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data).size`;
  // As text: here are no types of a browser.
  await until(
    async () =>
      (await page.evaluate<number>(`(${inked})(document.querySelector('[aria-label="Screen of tile"]'))`)) > 8,
    "letters",
  );
  await page.getByRole("link", { name: "tile", exact: true }).click();
  await untilShown(page, "tile");
  assert.deepEqual(problems, []);
});

test("at 360 pixels nothing is wider than the page, and the keys that a phone lacks type", async () => {
  await home.ok("run", "-d", "--name", "phone", "--", "bash", "-c", "stty raw -echo; echo ready; od -An -c -w1");
  const { page } = await web.open("/", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await page.getByRole("link", { name: "phone" }).waitFor();
  const overflow = "document.documentElement.scrollWidth - innerWidth";
  assert.equal(await page.evaluate(overflow), 0);
  await page.getByRole("link", { name: "phone" }).click();
  await untilShown(page, "ready");
  assert.equal(await page.evaluate(overflow), 0);
  const keys = page.getByRole("toolbar", { name: "Terminal keys" });
  await keys.getByRole("button", { name: "Up", exact: true }).tap();
  await untilShown(page, "A");
  await page.getByTestId("terminal").tap();
  await keys.getByRole("button", { name: "ctrl" }).tap();
  await page.keyboard.type("d");
  await untilShown(page, "004");
  assert.deepEqual(
    (await terminalRows(page)).map((row) => row.trim()).filter((row) => row !== ""),
    ["ready", "033", "[", "A", "004"],
  );
});
