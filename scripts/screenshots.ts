/**
 * Pictures of the main states of the page, of a real daemon with real programs, into `docs/images`.
 *
 *   npm run build:ui && node scripts/screenshots.ts             those of the README; the package has them, so make them small:
 *   pngquant --quality 85-100 --speed 1 --strip --ext .png --force docs/images/*.png
 *   npm run build:ui && node scripts/screenshots.ts DIRECTORY [VIEW...]   each view, wide and narrow, light and dark, to be looked at
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import type { BrowserContextOptions, Page } from "playwright-core";
import { writeRecordedAgent, type RecordedAgent } from "../test/support/recorded-agent.ts";
import { ScriptedModel } from "../test/support/scripted-model/scripted-model.ts";
import { askingPolicy, writeWireAgent } from "../test/web/wire-agent.ts";
import { untilShown, WebHome } from "../test/web/web-home.ts";

const [directory, ...only] = process.argv.slice(2);
const isWanted = (view: string): boolean => only.length === 0 || only.includes(view);
const target = resolve(directory ?? join(import.meta.dirname, "../docs/images"));
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

/** True recordings of agents, drawn up to where one asks, one works and one waits for its next prompt. */
const agents: readonly RecordedAgent[] = [
  { agent: "gemini", cast: "gemini-main-80x24.cast", fromS: 1.16, untilS: 14.6 },
  { agent: "opencode", cast: "opencode-main-80x24.cast", fromS: 1.18, untilS: 20.9 },
  { agent: "codex", cast: "codex-main-80x24.cast", fromS: 1.22, untilS: 17.4, slow: { fromS: 4.8, times: 20 } },
];
for (const recorded of agents) {
  writeRecordedAgent(home.directory, recorded);
  const { agent } = recorded;
  await home.client.call("sessions.create", { command: [agent], name: agent, columns: 80, rows: 24 });
}
writeWireAgent(home.directory);
await home.client.call("sessions.create", {
  command: ["claude"],
  name: "cart",
  labels: { project: "shop" },
  wire: { policy: askingPolicy, upstreams: { anthropic: model.url } },
});
await home.client.call("sessions.input", { session: "python", text: "[n ** 2 for n in range(12)]", enter: true });
await home.client.call("sessions.input", { session: "cart", text: "fix the failing test of the cart", enter: true });

const recording = resolve(import.meta.dirname, "../test/fixtures/recordings/claude-inline-main-80x24.cast.gz");
const cast = gunzipSync(readFileSync(recording));
writeFileSync(join(home.directory, "claude.cast"), cast);
await home.ok("import", join(home.directory, "claude.cast"), "--name", "talk");

const dark = { colorScheme: "dark", viewport: { width: 1280, height: 800 } } as const;
const light = { ...dark, colorScheme: "light" } as const;
const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true } as const;
/** For the sparklines, and until the agents are where they stay. */
const SETTLE_MS = 20_000;

async function open(path: string, options: BrowserContextOptions): Promise<Page> {
  const { page } = await web.open("/", options);
  await page.evaluate(`localStorage.setItem("lectern-notifications-asked", "yes")`);
  await page.goto(web.url + path);
  return page;
}

async function shot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(target, `${name}.png`) });
  console.log(`${name}.png`);
}

async function forReadme(): Promise<void> {
  const page = await open("/", light);
  await page.getByRole("link", { name: "cart" }).waitFor();
  await page.waitForTimeout(SETTLE_MS);
  await shot(page, "sessions");
  await page.goto(`${web.url}/s/talk/chat`);
  await page.locator(".entry").nth(8).waitFor();
  await page.locator(".chat-list").evaluate("document.querySelector('.chat-list').scrollTop = 0");
  await shot(page, "conversation");

  const night = await open("/s/api", dark);
  await untilShown(night, "GET");
  await shot(night, "terminal");
  await night.goto(web.url);
  await night.getByRole("button", { name: "Live screens" }).click();
  await night.waitForTimeout(3000);
  await shot(night, "live-screens");
  await night.goto(`${web.url}/s/build/replay`);
  await untilShown(night, "built in");
  await night.getByRole("button", { name: "Play" }).waitFor();
  await shot(night, "replay");

  // A stricter policy is tried on what the agent did.
  const trial = await open("/policy?session=cart", light);
  const stricter = askingPolicy.replace("effect: ask", "effect: deny").replace("default: allow", "default: ask");
  await trial.getByLabel("Policy", { exact: true }).fill(stricter);
  await trial.locator('.effect[data-effect="deny"]').waitFor();
  await trial.locator('[data-stale="false"]').waitFor();
  await shot(trial, "policy");

  const small = await open("/approvals", { ...light, ...phone });
  await small.getByRole("article").first().waitFor();
  await shot(small, "phone");
}

const views = {
  sessions: "/",
  terminal: "/s/codex",
  asks: "/s/opencode",
  "asks-chat": "/s/opencode/chat",
  "held-chat": "/s/cart/chat",
  chat: "/s/talk/chat",
  "no-chat": "/s/build/chat",
  replay: "/s/talk/replay",
  approvals: "/approvals",
  search: "/search?q=pseudo",
  "search-empty": "/search",
  audit: "/audit",
  policy: "/policy?session=cart",
  missing: "/s/nobody",
} as const;

async function forTheEye(): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [size, options] of [
      ["1280", light],
      ["390", { ...phone, viewport: { width: 390, height: 844 } }],
    ] as const) {
      const page = await open("/", { ...options, colorScheme });
      await page.getByRole("link", { name: "cart" }).waitFor();
      await page.waitForTimeout(colorScheme === "light" && size === "1280" ? SETTLE_MS : 2000);
      for (const [name, path] of Object.entries(views).filter(([view]) => isWanted(view))) {
        await page.goto(web.url + path);
        await page.waitForTimeout(2000);
        await shot(page, `${name}-${size}-${colorScheme}`);
      }
      await page.goto(web.url);
      await page.getByRole("button", { name: "Select" }).click();
      for (const name of ["build", "lint", "api"]) await page.getByLabel(`Select ${name}`).check({ force: true });
      await shot(page, `selected-${size}-${colorScheme}`);
      await page.getByRole("button", { name: "Live screens" }).click();
      await page.waitForTimeout(2000);
      await shot(page, `grid-${size}-${colorScheme}`);
      await page.getByRole("button", { name: "New session" }).first().click();
      await page.waitForTimeout(500);
      await shot(page, `dialog-${size}-${colorScheme}`);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+k");
      await page.waitForTimeout(500);
      await shot(page, `palette-${size}-${colorScheme}`);
      await page.context().close();
    }
  }
}

if (directory === undefined) await forReadme();
else await forTheEye();
