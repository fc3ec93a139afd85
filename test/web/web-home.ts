/** The web page in a real browser, of a real daemon with real programs, in a home of its own. */
import assert from "node:assert/strict";
import { after, afterEach, beforeEach } from "node:test";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import { CliHome } from "../e2e/cli-home.ts";
import { afterAllFiles } from "../support/shared-by-files.ts";
import { until } from "../support/until.ts";

/** Chromium without a window shows a page with half of the processor time that a whole one takes, and starts with a third. */
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium-headless-shell";
/** Only what never comes takes so long, also on a machine that has much else to do. */
const WAIT_MS_MAX = 60_000;

type Admission = NonNullable<BrowserContextOptions["storageState"]>;

export interface WebPage {
  readonly page: Page;
  /** What the page logged as an error, and what it threw. */
  readonly problems: string[];
}

/** `graphics`: with WebGL; without 3D the terminal draws its text into the document, where a test can read it. */
export async function launchBrowser({ graphics = false }: { readonly graphics?: boolean } = {}): Promise<Browser> {
  const drawing = graphics ? ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"] : ["--disable-3d-apis"];
  return await chromium.launch({ executablePath: CHROMIUM, args: [...drawing, ...rootArguments] });
}

/** Chromium refuses to run as root with its sandbox. */
export const rootArguments: readonly string[] = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

/** A daemon in a home of its own, and where it serves the page. */
export async function startPage(): Promise<{ readonly home: CliHome; readonly url: string }> {
  const home = new CliHome();
  const ready = JSON.parse(await home.ok("up", "--detach", "--port", "0", "--json")) as { readonly listen: string[] };
  const url = ready.listen.find((where) => where.startsWith("http"));
  assert.ok(url, "the daemon listens on no port");
  return { home, url };
}

export class WebHome implements AsyncDisposable {
  static #shared: WebHome | undefined;
  readonly home: CliHome;
  readonly browser: Browser;
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  #admission: Promise<Admission> | undefined;
  /** What the current test has opened. */
  readonly #contexts: BrowserContext[] = [];

  private constructor(home: CliHome, browser: Browser, url: string) {
    this.home = home;
    this.browser = browser;
    this.url = url;
  }

  /** For the tests of a file. `graphics`: with WebGL, which the processor draws; a page that minds is told that it is fast. */
  static async start({ graphics = false }: { readonly graphics?: boolean } = {}): Promise<WebHome> {
    const { home, url } = await startPage();
    const web = new WebHome(home, await launchBrowser({ graphics }), url);
    web.#serveFile();
    return web;
  }

  /** One daemon and one browser for all files of a process, empty for each of them. They end with the last one. */
  static async shared(): Promise<WebHome> {
    const isFirst = WebHome.#shared === undefined;
    const web = (WebHome.#shared ??= await WebHome.start());
    after(() => web.#clear());
    if (isFirst) afterAllFiles(() => web[Symbol.asyncDispose]());
    else web.#serveFile();
    return web;
  }

  #serveFile(): void {
    // What was opened before the first test is for all of them.
    beforeEach(() => void this.#contexts.splice(0));
    // A page that nobody looks at any more goes on drawing what happens: 3 to 5 % of a processor.
    afterEach(async () => void (await Promise.all(this.#contexts.map((context) => context.close()))));
  }

  /** A daemon that cannot be cleared is not for the next file. */
  async #clear(): Promise<void> {
    try {
      await Promise.all(this.browser.contexts().map((context) => context.close()));
      await this.home.clear();
      assert.ok(await this.home.info(), "the daemon does not run");
    } catch (cause) {
      WebHome.#shared = undefined;
      await this[Symbol.asyncDispose]();
      throw new Error("Cannot clear the shared daemon after this file", { cause });
    }
  }

  /** A browser of its own that is let in, at an address of the page. */
  async open(path = "/", options: BrowserContextOptions = {}): Promise<WebPage> {
    const { page, problems } = await this.stranger({ ...options, storageState: await this.admission() });
    await page.goto(this.url + path);
    return { page, problems };
  }

  /** What a browser has that was let in, by a link of `lectern open`, once for all browsers of all files. */
  async admission(): Promise<Admission> {
    this.#admission ??= this.#admit();
    return await this.#admission;
  }

  async #admit(): Promise<Admission> {
    const { page } = await this.stranger();
    const tokens = await this.#tokens();
    await this.letIn(page);
    for (const id of (await this.#tokens()).difference(tokens)) this.home.lastingTokens.add(id);
    const admission = await page.context().storageState();
    await page.context().close();
    // What the page remembers is its own affair.
    return { ...admission, origins: [] };
  }

  async #tokens(): Promise<Set<string>> {
    const { tokens } = await this.home.client.call("tokens.list", {});
    return new Set(tokens.map(({ id }) => id));
  }

  /** A browser that nobody let in. Its service worker, which would load all code of the page, is for those who ask for it. */
  async stranger(options: BrowserContextOptions = {}): Promise<WebPage> {
    const context = await this.browser.newContext({
      viewport: { width: 1200, height: 800 },
      reducedMotion: "reduce",
      serviceWorkers: "block",
      ...options,
    });
    this.#contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS_MAX);
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    return { page, problems };
  }

  async letIn(page: Page): Promise<void> {
    await page.goto((await this.home.ok("open", "--print")).trim());
    await page.waitForURL(`${this.url}/`);
  }

  /** The daemon comes back where it was. */
  async startDaemonAgain(): Promise<void> {
    await this.home.ok("up", "--detach", "--port", new URL(this.url).port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // With all of its contexts: to close one by one waits for whatever a page of it still does.
    await this.browser.close();
    await this.home[Symbol.asyncDispose]();
  }
}

/** The rows that the terminal shows, without the empty ones at the end. */
export async function terminalRows(page: Page): Promise<string[]> {
  const rows = await page.locator(".xterm-rows > div").allTextContents();
  const lines = rows.map((row) => row.replaceAll("\u00A0", " ").trimEnd());
  return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}

/** Waits until the terminal shows a text somewhere. */
export async function untilShown(page: Page, text: string): Promise<void> {
  let rows: readonly string[] = [];
  try {
    await until(async () => {
      rows = await terminalRows(page);
      return rows.some((row) => row.includes(text));
    }, text);
  } catch (error) {
    const status = await page.locator(".terminal-status [role=status]").allTextContents();
    throw new Error(`the terminal does not show "${text}" (${status.join("; ")}):\n${rows.join("\n")}`, {
      cause: error,
    });
  }
}

/** Waits until two pages show the same, a text among it. Each of them draws in its own time. */
export async function untilSame(one: Page, other: Page, text: string): Promise<void> {
  await until(async () => {
    const rows = await terminalRows(one);
    return rows.some((row) => row.includes(text)) && rows.join("\n") === (await terminalRows(other)).join("\n");
  }, `both show the same, "${text}" among it`);
}

/** Puts the focus into the terminal and types. One that says that it is opening takes no keys. */
export async function typeInto(page: Page, text: string): Promise<void> {
  await page.locator(".terminal-status:not([data-phase=opening])").waitFor({ state: "attached" });
  await page.getByTestId("terminal").click();
  await page.keyboard.type(text);
}
