import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { defineCommand, jsonOption, sessionArgument } from "../command.ts";
import type { CliContext } from "../context.ts";
import { formatSize } from "../quantities.ts";

export const put = defineCommand({
  name: "put",
  summary: "Give files to the program of a session, and print their paths",
  details: [
    "A file lies with the session, on its machine, and is removed with it. 50 MiB a file, 500 MiB and 200 files a session.",
    "--paste types the path into the input box or line if it is empty; Enter is not pressed.",
  ],
  arguments: [
    sessionArgument,
    { name: "files", summary: "Files of this machine; - for standard input", count: "any", completes: "file" },
  ],
  options: {
    paste: { type: "flag", summary: "Type the paths where the program reads" },
    name: { type: "text", short: "n", placeholder: "NAME", summary: "Name of the file; needed for -" },
    list: { type: "flag", short: "l", summary: "List the files of the session" },
    remove: { type: "text", placeholder: "NAME", summary: "Remove this file of the session" },
    json: jsonOption,
  },
  examples: [
    "lectern put claude screenshot.png --paste",
    "git diff | lectern put box/claude - --name changes.diff",
    "lectern put claude --list",
  ],
  async run({ arguments: { session, files }, options }, context) {
    const { json, list, name, paste, remove } = options;
    if (list) return await printFiles(session, json, context);
    if (remove !== undefined) {
      const removed = await context.call("files.remove", { session, file: remove });
      await context.print(json ? JSON.stringify(removed) : escapeForDisplay(removed.name));
      return;
    }
    if (files.length === 0) throw new LecternError("USAGE", "Missing argument: name a file, or - for standard input");
    if (name !== undefined && files.length > 1)
      throw new LecternError("USAGE", "Cannot give one --name to several files: put them one by one");
    const client = await context.client();
    for (const file of files) {
      const { body, fileName } = await opened(file, name, context);
      const done = await client.putFile(session, body, { name: fileName, paste, signal: context.signal });
      await context.print(json ? JSON.stringify(done) : done.path);
      if (name !== undefined && done.name !== name)
        context.note(
          `lectern: stored as "${done.name}": the name "${escapeForDisplay(name)}" is taken or cannot be one`,
        );
      if (done.notPasted !== null) context.note(`lectern: not typed: ${escapeForDisplay(done.notPasted)}`);
    }
  },
});

async function opened(
  file: string,
  name: string | undefined,
  context: CliContext,
): Promise<{ readonly body: AsyncIterable<Uint8Array>; readonly fileName: string }> {
  if (file === "-") {
    if (name === undefined) throw new LecternError("USAGE", "Missing --name NAME for standard input");
    return { body: context.stdin as AsyncIterable<Uint8Array>, fileName: name };
  }
  const path = resolve(context.workingDirectory, file);
  const stats = await stat(path).catch((cause: unknown) => {
    throw new LecternError("NOT_FOUND", `Cannot read "${file}": it does not exist or cannot be opened`, { cause });
  });
  if (!stats.isFile()) throw new LecternError("INVALID_INPUT", `Cannot put "${file}": it is not a file`);
  return { body: createReadStream(path), fileName: name ?? basename(path) };
}

async function printFiles(session: string, json: boolean, context: CliContext): Promise<void> {
  const found = await context.call("files.list", { session });
  if (json) await context.print(JSON.stringify(found));
  else
    for (const { bytes, path } of found.files) await context.print(`${formatSize(bytes)}\t${escapeForDisplay(path)}`);
}
