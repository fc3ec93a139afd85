/** A reporter of `node:test` that writes the results of one process as JSON lines, for `results.ts`. */
import { inspect } from "node:util";

/** Its tests stand for files. */
const SEVERAL_FILES = "/several-files.ts";

interface ReportedTest {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  readonly skip?: boolean | string;
  readonly todo?: boolean | string;
  readonly details: { readonly type?: string; readonly duration_ms: number; readonly error?: Error };
}

type ReportedEvent =
  | { readonly type: "test:pass" | "test:fail"; readonly data: ReportedTest }
  | { readonly type: "test:diagnostic"; readonly data: { readonly message: string } };

/** One line of the results. */
export type ResultLine =
  | {
      readonly type: "pass" | "fail" | "skip";
      readonly name: string;
      readonly place: string;
      readonly ms: number;
      /** Of a failed test: its error. Of a skipped one: why. */
      readonly text: string;
      readonly isSuite: boolean;
    }
  | { readonly type: "note"; readonly text: string }
  /** Every test has ended; missing if the process ended before. */
  | { readonly type: "end" };

// The reporter interface of node:test wants a default export.
// oxlint-disable-next-line import/no-default-export
export default async function* report(events: AsyncIterable<ReportedEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    const line = lineOf(event);
    if (line !== undefined) yield `${JSON.stringify(line)}\n`;
  }
  yield `${JSON.stringify({ type: "end" } satisfies ResultLine)}\n`;
}

function lineOf(event: ReportedEvent): ResultLine | undefined {
  if (event.type === "test:diagnostic") return { type: "note", text: event.data.message };
  if (event.type !== "test:pass" && event.type !== "test:fail") return undefined;
  const { details, file = "", line = 0, name, skip, todo } = event.data;
  const left = [skip, todo].find((reason) => reason !== undefined && reason !== false);
  const type = left === undefined ? (event.type === "test:fail" ? "fail" : "pass") : "skip";
  const text = type === "skip" ? reasonText(left) : type === "fail" ? errorText(details.error) : "";
  const isSuite = details.type === "suite" || file.endsWith(SEVERAL_FILES);
  return { type, name, place: `${file}:${line}`, ms: details.duration_ms, text, isSuite };
}

const reasonText = (reason: boolean | string | undefined): string =>
  typeof reason === "string" ? reason : "no reason is given";

/** The runner wraps what a test has thrown. Empty if only parts of a suite have failed, which are reported themselves. */
const errorText = (error: (Error & { readonly failureType?: string }) | undefined): string =>
  error?.failureType === "subtestsFailed"
    ? ""
    : inspect(error?.cause instanceof Error ? error.cause : error, { depth: 8, breakLength: 120 });
