/** A whole Chromium with a profile, a push service and a desktop, which take the place of those that a person's browser has. */
import { existsSync } from "node:fs";
import { chromium, type BrowserContext } from "playwright-core";
import { BrowserPushService } from "../support/browser-push-service.ts";
import { DesktopBus } from "../support/desktop-bus.ts";
import { rootArguments } from "./web-home.ts";

/** Not the one of the other tests, which refuses each notification. */
const CHROMIUM = process.env["CHROMIUM_WHOLE"] ?? "/usr/bin/chromium";
/** Only what never comes takes so long, also on a machine that has much else to do. */
const WAIT_MS_MAX = 60_000;

/** Why these tests cannot run here; false if they can. */
export const missingBrowser = !existsSync(CHROMIUM) && `needs ${CHROMIUM}, of the package "chromium" of Debian`;

export class WholeBrowser implements AsyncDisposable {
  readonly push: BrowserPushService;
  readonly desktop: DesktopBus;
  /** Has a profile: a private window has no push messages, and its notifications cannot be pressed. */
  readonly context: BrowserContext;

  private constructor(parts: Pick<WholeBrowser, "push" | "desktop" | "context">) {
    ({ push: this.push, desktop: this.desktop, context: this.context } = parts);
  }

  static async start(): Promise<WholeBrowser> {
    const push = await BrowserPushService.start();
    const desktop = await DesktopBus.start();
    const context = await chromium.launchPersistentContext("", {
      executablePath: CHROMIUM,
      args: ["--disable-3d-apis", ...push.arguments, ...rootArguments],
      // With it there are no push messages.
      ignoreDefaultArgs: ["--disable-background-networking"],
      env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: desktop.address },
      permissions: ["notifications"],
      reducedMotion: "reduce",
    });
    context.setDefaultTimeout(WAIT_MS_MAX);
    return new WholeBrowser({ push, desktop, context });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
    await this.desktop[Symbol.asyncDispose]();
    await this.push[Symbol.asyncDispose]();
  }
}
