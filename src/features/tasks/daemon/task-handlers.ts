/** Worktrees of sessions. Loaded with the first use: most sessions have none. */
import type { Handlers } from "../../../daemon/service.ts";
import type { Tasks } from "./tasks.ts";
import type { SessionRegistry } from "../../../daemon/sessions/session-registry.ts";

export function taskHandlers(
  registry: SessionRegistry,
): Pick<
  Handlers,
  | "tasks.list"
  | "tasks.changes"
  | "tasks.ignored"
  | "tasks.diff"
  | "tasks.commit"
  | "tasks.discard"
  | "tasks.merge"
  | "tasks.push"
  | "tasks.remove"
> {
  let loading: Promise<Tasks> | undefined;
  const tasks = (): Promise<Tasks> => (loading ??= import("./tasks.ts").then((loaded) => new loaded.Tasks()));
  return {
    "tasks.list": async () => (await tasks()).list(registry.all),
    "tasks.changes": async ({ session }) => (await tasks()).changes(registry.resolve(session)),
    "tasks.ignored": async ({ session }) => (await tasks()).ignored(registry.resolve(session)),
    "tasks.diff": async (input) => (await tasks()).diff(registry.resolve(input.session), input),
    "tasks.commit": async (input) => (await tasks()).commit(registry.resolve(input.session), input),
    "tasks.discard": async (input) => (await tasks()).discard(registry.resolve(input.session), input),
    "tasks.merge": async (input) => (await tasks()).merge(registry.resolve(input.session), input),
    "tasks.push": async (input) => (await tasks()).push(registry.resolve(input.session), input),
    "tasks.remove": async (input) => (await tasks()).remove(registry.resolve(input.session), input, registry.all),
  };
}
