/** Reads `--sandbox[=PROFILE]`: the name of a profile, or a file with the settings of one. */
import { LecternError } from "../core/errors.ts";
import { SANDBOX_PROFILES } from "../core/sandbox/profile.ts";
import { nearestWord } from "../core/text/nearest.ts";
import type { InputOf } from "../protocol/operations.ts";
import type { CliContext } from "./context.ts";

interface SandboxOptions {
  readonly sandbox: string | undefined;
  readonly "sandbox-optional": boolean;
}

const FILE = /\/|\.(?:ya?ml|json)$/;

/** Throws `INVALID_INPUT` and `NOT_FOUND`. */
export async function sandboxOf(
  { sandbox, "sandbox-optional": optional }: SandboxOptions,
  context: Pick<CliContext, "workingDirectory">,
): Promise<InputOf<"sessions.create">["sandbox"]> {
  if (sandbox === undefined) return optional ? { optional } : undefined;
  if (SANDBOX_PROFILES.some((name) => name === sandbox)) return { profile: sandbox, optional };
  if (!FILE.test(sandbox)) {
    const nearest = nearestWord(sandbox, SANDBOX_PROFILES);
    const hint = nearest === undefined ? "" : ` did you mean "${nearest}"? Else`;
    throw new LecternError(
      "INVALID_INPUT",
      `Unknown sandbox profile "${sandbox}":${hint} name one of ${SANDBOX_PROFILES.join(", ")}, or a file such as ./sandbox.yaml`,
    );
  }
  const [{ readTextFile }, { checkSandbox }] = await Promise.all([
    import("./policy-file.ts"),
    import("../core/gate/sandbox-file.ts"),
  ]);
  const settings = await readTextFile(sandbox, context);
  const checked = checkSandbox(settings);
  if (checked.ok) return { settings, optional };
  const [problem] = checked.problems;
  throw new LecternError(
    "INVALID_INPUT",
    `Cannot use the sandbox: ${sandbox}:${problem?.line}:${problem?.column}: ${problem?.message}`,
  );
}
