/** Commands at changes of sessions. */
import { hookProblems, hooksSchema, readHooks } from "./read-settings.ts";
import type { HookSettings } from "./settings.ts";
import { configKey } from "../../../core/config/config-key.ts";

export const hooks = configKey<readonly HookSettings[]>({
  type: "list of hooks",
  default: [],
  schema: hooksSchema,
  read: readHooks,
  problems: hookProblems,
  summary: "Commands that run at each change of a session, with it as JSON on their standard input.",
});
