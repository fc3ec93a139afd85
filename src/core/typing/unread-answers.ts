/** Answers of a terminal that no program has read stand in the line of the next line editor, without the characters that it took for keys. */

/** A single character may be the end of a prompt. */
const charsMin = 2;

/**
 * The end of a line that is the end of an answer; empty if it is none.
 * `answerAtEnd("bash$ 1;2c", ["[?1;2c"]); // "1;2c"`
 */
export function answerAtEnd(line: string, answers: readonly string[]): string {
  const ends = answers.map((answer) => {
    for (let chars = answer.length; chars >= charsMin; chars -= 1)
      if (line.endsWith(answer.slice(-chars))) return answer.slice(-chars);
    return "";
  });
  return ends.reduce((one, other) => (other.length > one.length ? other : one), "");
}
