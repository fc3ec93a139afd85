/** Commands of any bytes: each writes its text to a file, so what ran is known byte for byte. */
import { Random } from "./differential/random.ts";

interface AnyCommand {
  readonly command: Buffer;
  /** What the file `out` has afterwards, one character for each byte. */
  readonly text: string;
}

/** They are taken for keys, for history or for the end of something. */
const odd = "\t\r\n\u0003\u0004\u0016\u001a\u001b[A!^\u007f\\'\"$`";
const BYTES_MAX = 200_000;

/** Each ends with exit code 7. The lengths are spread evenly over the powers of ten, and the last text is the longest. */
export function* anyCommands(shell: "bash" | "zsh" | "fish", seed: number, count: number): Generator<AnyCommand> {
  const random = new Random(seed);
  // In single quotes fish has an escape.
  const escape = shell === "fish" ? (text: string) => text.replaceAll(/[\\']/g, "\\$&") : quote;
  for (let index = 1; index <= count; index++) {
    const length = index === count ? BYTES_MAX : Math.floor(BYTES_MAX ** random.next());
    let text = "";
    while (text.length < length) {
      text += random.chance(0.2) ? odd[random.below(odd.length)] : String.fromCodePoint(1 + random.below(255));
    }
    yield { command: Buffer.from(`printf %s '${escape(text)}' >out; sh -c 'exit 7'`, "latin1"), text };
  }
}

/** One line that a person may read, up to 500 characters of any writing, with what histories, globs and comments replace. */
export function* readableCommands(shell: "zsh" | "fish", seed: number, count: number): Generator<AnyCommand> {
  const random = new Random(seed);
  const characters = [...'!!^^#*?~$`"\\{}[]()<>|&;%=@ abc019-éß漢字🙂\u0301'];
  const escape = shell === "fish" ? (text: string) => text.replaceAll(/[\\']/g, "\\$&") : quote;
  for (let index = 0; index < count; index++) {
    const text = Array.from({ length: 1 + random.below(500) }, () => random.pick(characters)).join("");
    yield { command: Buffer.from(`printf %s '${escape(text)}' >out`), text: Buffer.from(text).toString("latin1") };
  }
}

const quote = (text: string): string => text.replaceAll("'", String.raw`'\''`);
