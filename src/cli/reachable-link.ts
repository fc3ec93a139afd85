/** A login link of a daemon that browsers reach. */
import { LecternError } from "../core/errors.ts";
import { startReachableDaemon } from "./commands/up.ts";
import type { CliContext } from "./context.ts";
import { makeLoginLink, type LoginLink } from "./login-link.ts";

/** A daemon that was started by a client does not listen on a port, so it is replaced by one that does; sessions keep running. */
export async function linkOfReachable(
  scope: "read" | "write" | "admin",
  context: CliContext,
): Promise<LoginLink & { readonly url: string }> {
  const runs = (await context.runningClient()) !== undefined;
  const first = runs ? await makeLoginLink(context.paths, scope) : undefined;
  if (first?.url !== undefined) return { ...first, url: first.url };
  await startReachableDaemon(context);
  const { url, expiresInMs } = await makeLoginLink(context.paths, scope);
  if (url !== undefined) return { url, expiresInMs };
  throw new LecternError(
    "NOT_AVAILABLE",
    'Cannot open the page: the daemon was started with --no-tcp; end it with "lectern down" and run "lectern open" again',
  );
}
