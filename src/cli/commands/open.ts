import { spawn } from "node:child_process";
import { defineCommand, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { LecternError } from "../../core/errors.ts";
import { unitMs } from "../../core/waits.ts";
import { commandName } from "../command-name.ts";
import { linkLines, makeLoginLink, type LoginLink } from "../login-link.ts";
import { startReachableDaemon } from "./up.ts";

const scopes = ["read", "write", "admin"] as const;

export const open = defineCommand({
  name: "open",
  summary: "Open the web page in a browser and log it in",
  details: [
    "The link logs one browser in, within ten minutes; it stays logged in for 30 days or until `lectern token revoke`.",
    "--qr prints the link as a QR code for a phone, with an address that other machines can reach; see docs/phone.md.",
    "If no browser can be started, the link is printed.",
  ],
  arguments: [],
  options: {
    print: { type: "flag", short: "p", summary: "Print the link instead of starting a browser" },
    qr: { type: "flag", summary: "Print the link, and as a QR code, instead of starting a browser" },
    scope: { type: "text", placeholder: "SCOPE", choices: scopes, summary: "What the browser may do; default: admin" },
    json: jsonOption,
  },
  examples: ["lectern open", "lectern open --qr", "lectern open --print --scope read"],
  async run({ options }, context) {
    const scope = scopes.find((name) => name === options.scope) ?? "admin";
    const link = await linkOfReachable(scope, context);
    if (options.json) return await context.print(JSON.stringify(link));
    if (options.qr) {
      const name = commandName(context.environment);
      await context.print((await linkLines(link, { name, wantsCode: true }, context)).join("\n"));
    } else if (options.print || !(await startBrowser(link.url, context))) {
      context.note(`Logs one browser in, within ${Math.round(link.expiresInMs / unitMs.m)} minutes:`);
      await context.print(link.url);
    }
  },
});

/** A daemon that was started by a client does not listen on a port, so it is replaced by one that does; sessions keep running. */
export async function linkOfReachable(
  scope: "read" | "write" | "admin",
  context: CliContext,
): Promise<LoginLink & { readonly url: string }> {
  const runs = (await context.runningClient()) !== undefined;
  const first = runs ? await makeLoginLink(context.paths, scope) : undefined;
  if (first?.url !== undefined) return { ...first, url: first.url };
  await startReachableDaemon(context);
  const next = await makeLoginLink(context.paths, scope);
  if (next.url !== undefined) return { ...next, url: next.url };
  throw new LecternError(
    "NOT_AVAILABLE",
    'Cannot open the page: the daemon was started with --no-tcp; end it with "lectern down" and run "lectern open" again',
  );
}

/** False if there is no browser to start. */
async function startBrowser(url: string, { environment }: CliContext): Promise<boolean> {
  const isMac = process.platform === "darwin";
  const hasDisplay = isMac || environment["DISPLAY"] !== undefined || environment["WAYLAND_DISPLAY"] !== undefined;
  if (!hasDisplay) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(environment["BROWSER"] ?? (isMac ? "open" : "xdg-open"), [url], {
    stdio: "ignore",
    detached: true,
  });
  child.once("error", () => resolve(false));
  child.once("spawn", () => resolve(true));
  child.unref();
  return promise;
}
