/** The sandbox that a session is started in. */
import * as z from "zod";

export const sandboxInputSchema = z.strictObject({
  /** A built-in profile: `look`, `work` or `offline`. Default: that of `settings` or of the policy, else "work". */
  profile: z.string().max(64).optional(),
  /** The text of a YAML file with `profile`, `write`, `hide`, `readOnly` and `network`. Default: the `sandbox` of the policy. */
  settings: z.string().max(65_536).optional(),
  /** Starts without a sandbox where there is none; the session then shows it. Default: such a start is refused. */
  optional: z.boolean().default(false),
});
export type SandboxInput = Readonly<z.output<typeof sandboxInputSchema>>;
