/** The examples that rules give in `test`: a rule that does not fit its own is reported. */
import type { AgentFile } from "./agent-file.ts";
import { nativePattern, type CompilePattern } from "./pattern.ts";

/** A rule and an example of it that it does not fit. */
export interface UnfittedExample {
  readonly path: readonly string[];
  readonly example: string;
}

interface TestedRule {
  readonly pattern?: string;
  readonly text?: string;
  readonly not?: string;
  readonly test?: string | readonly string[];
}

/** Only texts are compared: an example has no colours. */
export function unfittedExamples(file: AgentFile, compile: CompilePattern = nativePattern): UnfittedExample[] {
  const places: readonly (readonly [readonly string[], Readonly<Record<string, TestedRule | null>> | undefined])[] = [
    [["titles"], file.titles],
    [["screen"], file.screen],
    [["limits"], file.limits],
    [["chat", "rows"], file.chat?.rows],
  ];
  return places.flatMap(([path, rules = {}]) =>
    // Null takes a rule away.
    Object.entries(rules).flatMap(([name, rule]) =>
      examplesOf(rule ?? {})
        .filter((example) => !fits(rule ?? {}, example, compile))
        .map((example) => ({ path: [...path, name, "test"], example })),
    ),
  );
}

const examplesOf = ({ test = [] }: TestedRule): readonly string[] => (typeof test === "string" ? [test] : test);

function fits({ pattern, text = pattern, not }: TestedRule, example: string, compile: CompilePattern): boolean {
  return (text === undefined || compile(text).test(example)) && (not === undefined || !compile(not).test(example));
}
