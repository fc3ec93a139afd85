/** Tools that read and write files. Where they may is the policy's business; it sees where links lead. */
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { homedir } from "node:os";
import type { JsonObject } from "../core/wire/shape.ts";
import { failed, succeeded, type Tool, type ToolOutcome } from "./tool.ts";

/** A longer file is not read into memory. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;

const path = { type: "string", minLength: 1, description: "Absolute, or from the working directory" };

const objectOf = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** `read_file`, `write_file` and `edit_file`. */
export function fileTools(workingDirectory: string): readonly Tool[] {
  const place = (given: JsonObject): string => absolute(String(given["path"]), workingDirectory);
  return [
    {
      name: "read_file",
      description: "Reads a text file, or some lines of it.",
      schema: objectOf(
        {
          path,
          from_line: { type: "integer", minimum: 1, description: "Default 1" },
          lines: { type: "integer", minimum: 1, description: "Default all" },
        },
        ["path"],
      ),
      async run({ arguments: given, output }) {
        const read = await readText(place(given));
        if (typeof read !== "string") return read;
        output.feedText(someLines(read, Number(given["from_line"] ?? 1), Number(given["lines"] ?? Infinity)));
        return succeeded();
      },
    },
    {
      name: "write_file",
      description: "Writes a text file, with the folders above it. An existing file is replaced.",
      schema: objectOf({ path, content: { type: "string" } }, ["path", "content"]),
      async run({ arguments: given }) {
        const content = String(given["content"]);
        await mkdir(dirname(place(given)), { recursive: true });
        await writeFile(place(given), content);
        return succeeded(`Wrote ${Buffer.byteLength(content)} bytes`);
      },
    },
    {
      name: "edit_file",
      description: "Replaces a piece of text in a file. It must stand there exactly once, unless all is true.",
      schema: objectOf(
        { path, old_text: { type: "string", minLength: 1 }, new_text: { type: "string" }, all: { type: "boolean" } },
        ["path", "old_text", "new_text"],
      ),
      async run({ arguments: given }) {
        const read = await readText(place(given));
        if (typeof read !== "string") return read;
        const pieces = read.split(String(given["old_text"]));
        const found = pieces.length - 1;
        if (found === 0) return failed("The text to replace is not in the file: read it again");
        if (found > 1 && given["all"] !== true) {
          return failed(
            `The text to replace is there ${found} times: give more of what stands around it, or all: true`,
          );
        }
        await writeFile(place(given), pieces.join(String(given["new_text"])));
        return succeeded(`Replaced ${found}`);
      },
    },
  ];
}

function absolute(given: string, workingDirectory: string): string {
  if (given === "~" || given.startsWith("~/")) return join(homedir(), given.slice(1));
  return isAbsolute(given) ? resolve(given) : resolve(workingDirectory, given);
}

async function readText(place: string): Promise<string | ToolOutcome> {
  const facts = await stat(place).catch((error: NodeJS.ErrnoException) => error);
  if (facts instanceof Error) return failed(facts.code === "ENOENT" ? "There is no such file" : facts.message);
  if (!facts.isFile()) return failed(facts.isDirectory() ? "It is a folder" : "It is no regular file");
  if (facts.size > FILE_BYTES_MAX) return failed(`It has ${facts.size} bytes: read parts of it with the shell`);
  const bytes = await readFile(place);
  return bytes.includes(0) ? failed("It is no text: it holds NUL bytes") : bytes.toString("utf8");
}

function someLines(text: string, from: number, count: number): string {
  if (from === 1 && count === Infinity) return text;
  const lines = text.split("\n");
  return lines.slice(from - 1, count === Infinity ? undefined : from - 1 + count).join("\n");
}
