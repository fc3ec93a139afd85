/** Escape sequences for readers that go byte by byte. */
import { C1_LEAD, ESCAPE } from "./control-bytes.ts";
import { nextState, type ParserState } from "./parser-state.ts";

/** Separates the bytes of escape sequences from the characters between them: for matchers that allow sequences between any two characters. */
export class SequenceSkipper {
  #state: ParserState = "ground";

  reset(): void {
    this.#state = "ground";
  }

  /** True where `byte` belongs to a sequence that an ESC began. A letter beyond ASCII that cuts one off does not. */
  skips(byte: number): boolean {
    const before = this.#state;
    if (before === "ground" && byte !== ESCAPE) return false;
    const next = nextState(before, byte);
    this.#state = next === "ground-lead" ? "ground" : next;
    return this.#state !== "ground" || byte < 0x80 || isInString(before);
  }
}

const isInString = (state: ParserState): boolean => /^(?:osc|dcs|string)/.test(state);

/** True where `bytes` end within a control string (OSC, DCS, SOS, PM, APC): in a window title, for example. */
export function endsInString(bytes: Uint8Array): boolean {
  // The last ESC ends whatever stood in front of it.
  const lastEscape = bytes.lastIndexOf(ESCAPE);
  const opener = lastEscape === -1 ? bytes.indexOf(C1_LEAD) : lastEscape;
  if (opener === -1) return false;
  let state: ParserState = "ground";
  for (let index = opener; index < bytes.length; index++) state = nextState(state, bytes[index] ?? 0);
  return isInString(state);
}
