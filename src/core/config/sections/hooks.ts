/** Commands at changes of sessions. */
import { hookProblems, hooksSchema, readHooks } from "../../notify/read-settings.ts";
import type { HookSettings } from "../../notify/settings.ts";
import { configKey } from "../config-key.ts";

export const hooks = configKey<readonly HookSettings[]>({
  type: "list of hooks",
  default: [],
  schema: hooksSchema,
  read: readHooks,
  problems: hookProblems,
  summary: "Commands that run at each change of a session, with it as JSON on their standard input.",
});
