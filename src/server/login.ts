/** Lets a browser in: a page takes the one-time code from behind the "#" of its address and exchanges it for a cookie. */
import * as z from "zod";
import { LecternError } from "../core/errors.ts";
import { unitMs } from "../core/waits.ts";
import type { Caller, DaemonService } from "../daemon/service.ts";
import type { LoginCodes } from "./login-codes.ts";
import { plainStyle, sourceOf } from "./plain-style.ts";

export interface Login {
  readonly service: DaemonService;
  readonly codes: LoginCodes;
  readonly cookieName: string | undefined;
  readonly now: () => number;
}

const LIFETIME_SECONDS = (unitMs.d / unitMs.s) * 30;
const wishSchema = z.strictObject({ scope: z.enum(["read", "write", "admin"]).default("admin") });
const bodySchema = z.strictObject({ code: z.string().min(1).max(256) });

/**
 * A code for a browser. It ends in a token that lives long, so only a caller who may make tokens gets one.
 * Throws `FORBIDDEN` and `INVALID_INPUT`.
 */
export function createCode(
  { codes, now, service }: Login,
  body: unknown,
  caller: Caller,
): { code: string; expiresInMs: number } {
  if (caller.scope !== "admin" || caller.session !== null) {
    throw new LecternError(
      "FORBIDDEN",
      'Cannot create a login code with this token: it needs "admin" for all sessions',
    );
  }
  // It becomes a token.
  service.permit(caller, { operation: "login-codes", scope: "admin", person: true, session: undefined });
  const wish = wishSchema.safeParse(body);
  if (!wish.success)
    throw new LecternError("INVALID_INPUT", 'Cannot create a login code: wanted {"scope": "read"}, "write" or "admin"');
  return codes.create({ scope: wish.data.scope, session: null }, now());
}

/** How a browser gets in. */
export interface LoggedIn {
  /** A `Set-Cookie` value; undefined if the browser is logged in already and may see more than the link shows. */
  readonly cookie: string | undefined;
  /** Where its page begins. */
  readonly path: string;
}

/**
 * For a code: a token of its own that can be listed and revoked. For the token of a share link, which reads one session: that token.
 * `cookies` is the header of the request. Throws `UNAUTHENTICATED`.
 */
export async function redeemCode(
  login: Login,
  {
    body,
    cookies,
    device,
    isSecure,
    signal,
  }: {
    readonly body: unknown;
    /** The label of its token: what a person finds a lost phone by. */
    readonly device: string;
    readonly cookies: string;
    /** The browser came over TLS. */
    readonly isSecure: boolean;
    readonly signal: AbortSignal;
  },
): Promise<LoggedIn> {
  const { service, codes, cookieName, now } = login;
  if (cookieName === undefined)
    throw new LecternError("NOT_AVAILABLE", "Cannot log in over a unix socket: browsers use the TCP listener");
  const parsed = bodySchema.safeParse(body);
  const shared = parsed.success ? service.authenticate(parsed.data.code) : undefined;
  if (parsed.success && shared?.scope === "read" && shared.session !== null) {
    const known = tokenIn(cookies, cookieName).map((token) => service.authenticate(token)?.session);
    const cookie = known.includes(null) ? undefined : cookieOf(cookieName, { token: parsed.data.code, isSecure });
    return { cookie, path: `/s/${shared.session}` };
  }
  const caller = parsed.success ? codes.redeem(parsed.data.code, now()) : undefined;
  if (caller === undefined) {
    throw new LecternError(
      "UNAUTHENTICATED",
      "Cannot log in with this code: it is unknown, used or older than ten minutes; request a new one",
    );
  }
  const wanted = { scope: caller.scope, label: device, expiresInSeconds: LIFETIME_SECONDS };
  const admin = { caller: { scope: "admin", session: null }, signal } as const;
  const { token } = await service.handlers["tokens.create"](wanted, admin);
  return { cookie: cookieOf(cookieName, { token, isSecure }), path: "/" };
}

const cookieOf = (name: string, { isSecure, token }: { readonly isSecure: boolean; readonly token: string }): string =>
  `${name}=${token}; Path=/; Max-Age=${LIFETIME_SECONDS}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;

const tokenIn = (cookies: string, name: string): string[] =>
  cookies
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));

const script = `
const say = (text) => { document.querySelector("p").textContent = text; };
const code = location.hash.slice(1);
history.replaceState(null, "", location.pathname);
const body = JSON.stringify({ code });
fetch("/login", { method: "POST", headers: { "content-type": "application/json" }, body }).then(
  async (answer) => {
    // Else perhaps a second visit with the browser that used the link.
    const isIn = answer.ok || (await fetch("/v1/daemon")).ok;
    if (isIn) location.replace(answer.ok ? (await answer.json()).path : "/");
    else say('This link was used or is too old. "lectern open" makes a new one; a shared link comes from whoever shared it.');
  },
  () => say("The daemon does not answer."),
);
`;

/** The page at `/login`. Its policy allows its own script and nothing else. */
export const loginPage = (): { html: string; contentSecurityPolicy: string } => ({
  html: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Lectern</title><style>${plainStyle}</style><p>Logging in</p><script type="module">${script}</script></html>\n`,
  contentSecurityPolicy: `default-src 'none'; script-src ${sourceOf(script)}; style-src ${sourceOf(plainStyle)}; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
});
