/**
 * Three-valued answers. Whether a shell word matches cannot always be known before the shell runs; a rule that may match
 * must not count as one that does not. The tables are Kleene's: `maybe` stays where it could still turn either way.
 */
export type Certainty = "yes" | "no" | "maybe";

/** `no` as soon as one is `no`, `yes` only where all are; `yes` for none. */
export function allOf(answers: Iterable<Certainty>): Certainty {
  let result: Certainty = "yes";
  for (const answer of answers) {
    if (answer === "no") return "no";
    if (answer === "maybe") result = "maybe";
  }
  return result;
}

/** `yes` as soon as one is `yes`, `no` only where all are; `no` for none. */
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
