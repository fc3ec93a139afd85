/** Patterns of requests: a hostile one takes longer than any text is worth, and would hold up every session of the daemon. */
import { Script, createContext } from "node:vm";
import { LecternError } from "../../core/errors.ts";
import { YamlThread } from "../yaml/yaml-thread.ts";

/** A pattern that takes longer on one text is looked for beside the event loop from then on. */
const MATCH_MS_MAX = 20;
/** For all requests: one slow pattern at a time, with a deadline, and few that wait for their turn. */
const slowPatterns = new YamlThread();

export type MatchIn = (text: string) => string | Promise<string | undefined> | undefined;

/** The pattern as a function that gives up in time. Throws `INVALID_INPUT` for what is no pattern, or one that is too slow. */
export function compile(pattern: string): MatchIn {
  try {
    void new RegExp(pattern, "mu");
  } catch (cause) {
    throw new LecternError("INVALID_INPUT", `Cannot read pattern "${pattern}": ${(cause as Error).message}`, { cause });
  }
  const context = createContext({ pattern, text: "" });
  const script = new Script('new RegExp(pattern, "mu").exec(text)?.[0]');
  let isSlow = false;
  return (text) => {
    if (isSlow) return matchBeside(pattern, text);
    context["text"] = text;
    try {
      return script.runInContext(context, { timeout: MATCH_MS_MAX }) as string | undefined;
    } catch {
      isSlow = true;
      return matchBeside(pattern, text);
    }
  };
}

async function matchBeside(pattern: string, text: string): Promise<string | undefined> {
  try {
    return await slowPatterns.run("match", { pattern, text });
  } catch (cause) {
    const message = `Cannot match pattern "${pattern}": it takes too long; use a simpler one`;
    throw new LecternError("INVALID_INPUT", message, { cause });
  }
}
