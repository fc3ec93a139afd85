import { LecternError } from "../../core/errors.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { defineCommand, jsonOption } from "../command.ts";
import { problemLine } from "../problem-line.ts";

export const reload = defineCommand({
  name: "reload",
  summary: "Make the daemon read its configuration again",
  details: [
    "Reports which keys have changed, and which of them count when the daemon starts again.",
    "A file with errors changes nothing: each is reported, what was in force stays, and the exit code is 1.",
  ],
  arguments: [],
  options: { json: jsonOption },
  examples: ["lectern reload", "lectern reload --json"],
  async run({ options }, context) {
    if ((await context.runningClient()) === undefined) {
      throw new LecternError(
        "NOT_AVAILABLE",
        "No daemon is running: the next one reads the configuration when it starts",
      );
    }
    const result = await context.call("daemon.reload", {}, { signal: context.signal });
    const { changed, exists, failures, file, needRestart, notes, problems } = result;
    const code = problems.length + failures.length === 0 ? 0 : 1;
    if (options.json) {
      await context.print(JSON.stringify(result));
      return code;
    }
    for (const problem of problems) {
      context.note(problemLine(file ?? "", { ...problem, severity: "error" }, context.errorStyle));
    }
    if (problems.length > 0) {
      context.note("Nothing was changed: what was in force stays");
      return 1;
    }
    const where = exists ? `${file}` : `There is no ${file}`;
    await context.print(
      `${escapeForDisplay(where)}: ${changed.length === 0 ? "nothing has changed" : `changed ${changed.join(", ")}`}`,
    );
    for (const line of notes) await context.print(escapeForDisplay(line));
    for (const failure of failures) context.note(`${escapeForDisplay(failure)}; what was in force stays`);
    if (needRestart.length > 0) {
      await context.print(
        `In force after a restart of the daemon: ${needRestart.join(", ")}; "lectern down && lectern up", programs keep running`,
      );
    }
    return code;
  },
});
