/**
 * Pictures of the main states of the page, of a real daemon with real programs, into `docs/images`.
 *
 *   npm run build:ui && node scripts/screenshots.ts
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { ScriptedModel } from "../test/support/scripted-model/scripted-model.ts";
import { askingPolicy, writeWireAgent } from "../test/web/wire-agent.ts";
import { untilShown, WebHome } from "../test/web/web-home.ts";

const target = resolve(import.meta.dirname, "../docs/images");
mkdirSync(target, { recursive: true });

await using model = await ScriptedModel.start({
  turns: [
    {
      say: "I look at the failing test first, then run the whole suite.",
      calls: [{ name: "Bash", arguments: { command: "npm test" } }],
    },
  ],
});
await using web = await WebHome.start();
const { home } = web;

const run = (name: string, program: string, ...labels: string[]): Promise<string> =>
  home.ok("run", "-d", "--name", name, ...labels.flatMap((label) => ["--label", label]), "--", "bash", "-c", program);

const server =
  'for i in $(seq 9999); do printf "%(%T)T  GET /api/items/$i  \\033[32m200\\033[0m  $((RANDOM % 90)) ms\\n"; sleep 0.$((RANDOM % 5)); done';
const build =
  'for f in journal host session daemon server client cli; do printf "\\033[2m%s\\033[0m src/%s\\n" compile $f; sleep 0.4; done; printf "\\033[32mbuilt in 2.8 s\\033[0m\\n"';
await run("api", server, "project=shop");
const tests =
  'while :; do printf "\\033[H\\033[2J"; for t in journal reader writer host session daemon client; do printf "\\033[32mPASS\\033[0m src/%-8s %3d tests  %4d ms\\n" $t $((RANDOM % 90)) $((RANDOM % 999)); sleep 0.3; done; done';
await run("watch", tests);
await run("build", build, "project=shop");
await run("lint", "echo 'src/cart.ts:12  unused variable \"total\"'; exit 1", "project=shop");
await home.client.call("sessions.create", { command: ["python3", "-q"], name: "python" });
await home.client.call("sessions.create", {
  command: [writeWireAgent(home.directory)],
  name: "agent",
  labels: { project: "shop" },
  wire: { policy: askingPolicy, upstreams: { anthropic: model.url } },
});
await home.client.call("sessions.input", { session: "python", text: "[n ** 2 for n in range(12)]", enter: true });
await home.client.call("sessions.input", { session: "agent", text: "fix the failing test of the cart", enter: true });

/** A true recording of an agent, so that a conversation is one. */
const recording = resolve(import.meta.dirname, "../test/fixtures/recordings/claude-inline-main-80x24.cast.gz");
const cast = gunzipSync(readFileSync(recording));
writeFileSync(join(home.directory, "claude.cast"), cast);
await home.ok("import", join(home.directory, "claude.cast"), "--name", "claude");

const shot = async (page: Page, name: string): Promise<void> => {
  await page.screenshot({ path: join(target, `${name}.png`) });
  console.log(`docs/images/${name}.png`);
};

const dark = { colorScheme: "dark", viewport: { width: 1280, height: 800 } } as const;
const light = { ...dark, colorScheme: "light" } as const;

const { page } = await web.open("/", light);
await page.evaluate(`localStorage.setItem("lectern-notifications-asked", "yes")`);
await page.reload();
await page.getByRole("link", { name: "agent" }).waitFor();
// The sparklines need some seconds to look at.
await page.waitForTimeout(12_000);
await shot(page, "sessions");
await page.goto(`${web.url}/s/claude/chat`);
await page.locator(".entry").nth(8).waitFor();
await page.locator(".chat-list").evaluate("document.querySelector('.chat-list').scrollTop = 0");
await shot(page, "conversation");

const { page: night } = await web.open("/s/api", dark);
await untilShown(night, "GET");
await shot(night, "terminal");
await night.evaluate(`localStorage.setItem("lectern-notifications-asked", "yes")`);
await night.goto(web.url);
await night.getByRole("button", { name: "Live screens" }).click();
await night.waitForTimeout(3000);
await shot(night, "live-screens");
await night.goto(`${web.url}/s/build/replay`);
await untilShown(night, "built in");
await night.getByRole("button", { name: "Play" }).waitFor();
await shot(night, "replay");

// What the agent does goes on: its question is answered, and a stricter policy is tried on it.
const { page: trial } = await web.open("/policy?session=agent", light);
const stricter = askingPolicy.replace("effect: ask", "effect: deny").replace("default: allow", "default: ask");
await trial.getByLabel("Policy", { exact: true }).fill(stricter);
await trial.locator('.effect[data-effect="deny"]').waitFor();
await trial.locator('[data-stale="false"]').waitFor();
await shot(trial, "policy");

const { page: phone } = await web.open("/approvals", {
  ...light,
  viewport: { width: 390, height: 780 },
  hasTouch: true,
  isMobile: true,
});
await phone.getByRole("article").first().waitFor();
await shot(phone, "phone");
