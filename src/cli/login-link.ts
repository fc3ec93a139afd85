/** One-time login links for browsers. */
import { errorOf, readText } from "../client/transport-errors.ts";
import { unixTransport } from "../client/unix-transport.ts";
import type { LecternPaths } from "../daemon/paths.ts";

export interface LoginLink {
  /** Undefined if the daemon does not listen on a TCP port. */
  readonly url: string | undefined;
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
  return { url: answer.urls[0], expiresInMs: answer.expiresInMs };
}
