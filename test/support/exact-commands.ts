/** Commands of any characters for a shell, from a seed: each writes a text to the file `out`, so what ran is known byte for byte. */
import type { Random } from "../simulation/random.ts";

export type ExactShell = "bash" | "zsh" | "fish" | "dash";

export interface ExactCommand {
  readonly command: string;
  /** What is in `out` afterwards. */
  readonly expected: string;
  readonly exitCode: number;
}

const CHARS_MAX = 200_000;
/** Keys, signals, history, quotes, ends of pastes and strings, blanks of other scripts, characters of two to four bytes. */
const odd = [
  ..."\t\r\n\u0001\u0003\u0004\u0011\u0012\u0013\u0015\u0016\u001a\u001b\u001c\u007f!^'\"`$\\~#;&|(){}[]*?<>= \u0085\u009b\u00a0é\u2028\u202e中😀",
  "\u001b[201~",
  "\u001b[7501~",
  "!!",
  "\n^a^b\n",
  "$(touch no)",
  "\\\n",
];
const plain = [..."abcdefghij0123456789-_./ "];

/** The next one. The lengths are spread evenly over the powers of ten, up to 200,000 characters. */
export function exactCommand(shell: ExactShell, random: Random): ExactCommand {
  const text = anyText(random);
  const exitCode = random.chance(0.5) ? 0 : 3;
  const end = exitCode === 0 ? "true" : "sh -c 'exit 3'";
  const made = random.pick(shell === "fish" ? [single, double] : [single, double, hereDocument, lines])(text, shell);
  const separators = made.isLine === true ? ["; ", " && ", "\n"] : ["\n", "\n\n# it's\n"];
  return { ...made, command: made.command + random.pick(separators) + end, exitCode };
}

function anyText(random: Random): string {
  const length = Math.floor(10 ** (random.next() * Math.log10(CHARS_MAX)));
  const oddness = random.pick([0, 1, 30, 100]);
  const pick = (): string => {
    if (random.int(0, 99) >= oddness) return random.pick(plain);
    return random.chance(0.3) ? String.fromCharCode(random.int(1, 255)) : random.pick(odd);
  };
  const pieces: string[] = [];
  for (let chars = 0; chars < length; chars += pieces.at(-1)?.length ?? 1) pieces.push(pick());
  return pieces.join("").slice(0, length).toWellFormed();
}

type Made = Pick<ExactCommand, "command" | "expected"> & { readonly isLine?: true };

const single = (text: string, shell: ExactShell): Made => ({
  command: `printf %s ${singleQuoted(text, shell)} >out`,
  expected: text,
  isLine: true,
});

/** fish has an escape in single quotes. */
const singleQuoted = (text: string, shell: ExactShell): string =>
  shell === "fish" ? `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'` : `'${text.replaceAll("'", String.raw`'\''`)}'`;

const double = (text: string, shell: ExactShell): Made => ({
  // fish has no escape for a backtick.
  command: `printf %s "${text.replaceAll(shell === "fish" ? /[\\"$]/g : /[\\"$`]/g, String.raw`\$&`)}" >out`,
  expected: text,
  isLine: true,
});

/** Its end is a line that no text has. */
const hereDocument = (text: string): Made => ({
  command: `cat >out <<'END OF IT'\n${text}\nEND OF IT`,
  expected: `${text}\n`,
});

/** Several commands, each with a part of the text. */
function lines(text: string, shell: ExactShell): Made {
  const parts = [text.slice(0, text.length / 2), text.slice(text.length / 2)].map((part) => part.toWellFormed());
  const commands = parts.map((part, index) => `printf %s ${singleQuoted(part, shell)} ${index === 0 ? ">" : ">>"}out`);
  return { command: `  ${commands.join("\n\t")}`, expected: parts.join("") };
}
