/**
 * Calls that are a program of another language than the shell. Codex has most of its models write JavaScript for one tool, `exec`, which calls its
 * other tools, the shell among them, without a word to the model's server: the gate sees the program, and none of these calls.
 */
import type { JudgedCall } from "./tool-call.ts";

/** Tools of known agents that take a program as free text; others with these names take arguments. */
const programTools: ReadonlySet<string> = new Set(["exec"]);

/** The text of the program; undefined for other calls. */
export function calledProgram(call: Pick<JudgedCall, "name" | "arguments">): string | undefined {
  return programTools.has(call.name) && typeof call.arguments === "string" ? call.arguments : undefined;
}
