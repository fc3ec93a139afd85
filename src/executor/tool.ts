/** What a tool of the executor is. */
import type { JsonObject } from "../core/wire/shape.ts";
import type { ResultText } from "./result-text.ts";

/** How a call ended. `message` stands behind the output: an exit code, an error. */
export interface ToolOutcome {
  readonly result: "succeeded" | "failed" | "timed-out" | "cancelled";
  readonly message: string;
}

export interface ToolRun {
  /** Valid against the tool's schema. */
  readonly arguments: JsonObject;
  /** Takes what the tool puts out. */
  readonly output: ResultText;
  /** Aborted when a person or a time limit stops the call. */
  readonly signal: AbortSignal;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
  /** Expected failures are outcomes; what it throws is one, too. */
  readonly run: (run: ToolRun) => Promise<ToolOutcome>;
}

export const succeeded = (message = ""): ToolOutcome => ({ result: "succeeded", message });
export const failed = (message: string): ToolOutcome => ({ result: "failed", message });
