/**
 * Lines with which bash and zsh report that a job in the background has ended. They print them behind any program in the foreground, within the
 * output of the command that runs then. A job that was running before the command, and is gone after it, is known by its number and its text.
 */

interface ShellJob {
  readonly number: string;
  readonly text: string;
}

/** `[1]+  Running                 sleep 9 &`: a number, a state, blanks, the text. */
const JOB = /^\[(\d+)\][ +-]+\S.*?\s{2,}(\S.*?)(?: &)?(?:  \((?:wd|pwd): .*\))?$/;
/** What bash adds where the job was started in another directory. */
const NOW_IN = /^\((?:wd|pwd) now: .*\)$/;

const jobsIn = (list: string): ShellJob[] =>
  list.split("\n").flatMap((line) => {
    const [, number = "", text = ""] = JOB.exec(line) ?? [];
    return number === "" ? [] : [{ number, text }];
  });

/**
 * The output without the notices on jobs that are in the list from before the command and not in that from after it.
 */
export function withoutJobNotices(output: string, lists: { readonly before: string; readonly after: string }): string {
  const left = jobsIn(lists.after);
  const isLeft = ({ number, text }: ShellJob): boolean =>
    left.some((each) => each.number === number && each.text === text);
  const ended = jobsIn(lists.before).filter((job) => !isLeft(job));
  if (ended.length === 0) return output;
  const lines = output.split("\n");
  for (const { number, text } of ended) {
    const at = lines.findIndex((line) => {
      const [, its, what] = JOB.exec(line.trimEnd()) ?? [];
      return its === number && what === text;
    });
    if (at !== -1) lines.splice(at, NOW_IN.test((lines[at + 1] ?? "").trimEnd()) ? 2 : 1);
  }
  return lines.join("\n");
}

/** Lectern's own prompt command of bash, or the line of the user's that it stands in front of. */
const HOOK = /\{ __lectern_(?:look; \} 2>&-|done; \} 2>&-;.*)\r?\n$/;

/** The output without its last line, or the end of it, that `set -v` of bash prints as it reads the prompt command. */
export function withoutEchoedHook(output: string): string {
  const start = output.lastIndexOf("\n", output.length - 2) + 1;
  const at = output.slice(start).search(HOOK);
  return at === -1 ? output : output.slice(0, start + at);
}
