/** One-time login links for browsers. */
import { errorOf, readText } from "../client/transport-errors.ts";
import { unixTransport } from "../client/unix-transport.ts";
import { unitMs } from "../core/waits.ts";
import type { LecternPaths } from "../daemon/paths.ts";
import type { CliContext } from "./context.ts";

const LOOPBACK = /^https?:\/\/(?:127\.[0-9.]+|\[::1\]|localhost)(?::|\/)/;
const ADDRESS = /^https?:\/\/(?:[0-9.]+|\[)/;

export interface LoginLink {
  /** Undefined if the daemon does not listen on a TCP port. */
  readonly url: string | undefined;
  /** A link that other machines can use: by name, else by address. Undefined if the daemon listens on this machine only. */
  readonly outsideUrl: string | undefined;
  readonly expiresInMs: number;
}

/** Requests a link over the daemon's own unix socket. Rejects with the error of the daemon. */
export async function makeLoginLink(paths: LecternPaths, scope: "read" | "write" | "admin"): Promise<LoginLink> {
  const response = await unixTransport(paths.daemonSocket).request({
    method: "POST",
    path: "/login-codes",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ scope }),
  });
  if (response.status !== 200) throw await errorOf(response);
  // The response of `src/server/http.ts`.
  const answer = JSON.parse(await readText(response.chunks, 65_536)) as {
    readonly urls: readonly string[];
    readonly expiresInMs: number;
  };
  const outside = answer.urls.filter((url) => !LOOPBACK.test(url));
  // A phone trusts the certificate of a name, if any.
  const outsideUrl = outside.find((url) => url.startsWith("https:") && !ADDRESS.test(url)) ?? outside[0];
  return { url: answer.urls[0], outsideUrl, expiresInMs: answer.expiresInMs };
}

/** The link for people, with a QR code where a phone can use it. `wantsCode`: undefined for one if standard output is a terminal. */
export async function linkLines(
  { expiresInMs, outsideUrl, url }: LoginLink,
  { name, wantsCode }: { readonly name: string; readonly wantsCode: boolean | undefined },
  { stdout }: Pick<CliContext, "stdout">,
): Promise<string[]> {
  const minutes = Math.round(expiresInMs / unitMs.m);
  const once = `logs one browser in, within ${minutes} minutes; \`${name} open\` makes another`;
  const head = [
    "",
    `In a browser (${once}):`,
    ...[url, outsideUrl].flatMap((each) => (each === undefined ? [] : [`  ${each}`])),
  ];
  if (outsideUrl === undefined) {
    return wantsCode === true
      ? [
          ...head,
          "",
          "No QR code: the daemon listens on this machine only, so a phone cannot reach it; see docs/phone.md",
        ]
      : [...new Set(head)];
  }
  if (wantsCode ?? stdout.isTTY) {
    return [...new Set(head), "", ...(await qrLines(outsideUrl))];
  }
  return [...new Set(head)];
}

/** The full block stands for light modules. */
const WHITE_ON_BLACK = "\u001b[97;40m";
const RESET = "\u001b[0m";

/** A text as the lines of a QR code of half blocks, dark on light whatever the colours of the terminal are. */
export async function qrLines(text: string): Promise<string[]> {
  const { renderUnicodeCompact } = await import("uqr");
  return renderUnicodeCompact(text, { border: 2, ecc: "L" })
    .split("\n")
    .map((line) => `${WHITE_ON_BLACK}${line}${RESET}`);
}
