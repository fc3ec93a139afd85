/**
 * The set-up of a new worktree: a script of the user that runs in the session before its program. So its output is in the journal, its
 * questions are seen, it is held by the walls of the session, and `kill` ends it.
 */
import { SETUP_NAME } from "../../../core/acting/target.ts";
import { displayCommand } from "../../../core/text/command-line.ts";

interface WorktreeSetup {
  /** For POSIX `sh`. */
  readonly script: string;
  /** Its top directory, or the shared one of git if it is bare; the script has it in `LECTERN_REPOSITORY`. */
  readonly repository: string;
  readonly worktree: string;
  /** Of the session, as it was given. */
  readonly command: readonly string[];
  /** The protocol of the program is on its pipes, which the script leaves alone. */
  readonly isPiped: boolean;
}

/** The words before the words that start the program: a script of POSIX `sh` that becomes them. */
export function setupLauncher({ command, isPiped, repository, script, worktree }: WorktreeSetup): readonly string[] {
  const again = displayCommand(["lectern", "run", "-C", worktree, "--", ...command]);
  const lines = [
    "echo 'lectern: worktree.setup of lectern.yaml' >&2",
    `LECTERN_REPOSITORY="$2" sh -c "$1" sh ${isPiped ? "</dev/null " : ""}>&2 || {`,
    "  code=$?",
    '  printf \'lectern: worktree.setup failed with exit code %s, so "%s" was not started; mend it in this worktree, then run:\\n%s\\n\' "$code" "$4" "$3" >&2',
    '  exit "$code"',
    "}",
    'shift 3; exec "$@"',
  ];
  return ["sh", "-c", lines.join("\n"), SETUP_NAME, script, repository, again];
}
