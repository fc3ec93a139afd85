/**
 * Three-valued logic (Kleene): whether a shell word matches can depend on running the shell, and a rule that may match must not count
 * as one that does not.
 */
export type Certainty = "yes" | "no" | "maybe";

/** `no` if any is `no`, `yes` if all are; `yes` for an empty list. */
export function allOf(answers: Iterable<Certainty>): Certainty {
  let result: Certainty = "yes";
  for (const answer of answers) {
    if (answer === "no") return "no";
    if (answer === "maybe") result = "maybe";
  }
  return result;
}

/** `yes` if any is `yes`, `no` if all are; `no` for an empty list. */
export function anyOf(answers: Iterable<Certainty>): Certainty {
  let result: Certainty = "no";
  for (const answer of answers) {
    if (answer === "yes") return "yes";
    if (answer === "maybe") result = "maybe";
  }
  return result;
}

export const negate = (answer: Certainty): Certainty =>
  answer === "maybe" ? "maybe" : answer === "yes" ? "no" : "yes";

export const certain = (answer: boolean): Certainty => (answer ? "yes" : "no");
