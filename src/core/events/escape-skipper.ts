/**
 * Tells the bytes of escape sequences from the characters between them, one byte at a time: for matchers that allow sequences
 * between any two characters.
 */
export class EscapeSkipper {
  #state: "none" | "escape" | "sequence" | "string" | "string-escape" = "none";

  reset(): void {
    this.#state = "none";
  }

  /** True where `byte` belongs to an escape sequence. */
  skips(byte: number): boolean {
    switch (this.#state) {
      case "none":
        if (byte === 0x1b) this.#state = "escape";
        return byte === 0x1b;
      case "escape":
        this.#afterEscape(byte);
        return true;
      case "sequence":
        if (byte >= 0x40 && byte <= 0x7e) this.#state = "none";
        return true;
      case "string":
        if (byte === 0x1b) this.#state = "string-escape";
        else if (byte === 0x07 || byte === 0x18 || byte === 0x1a) this.#state = "none";
        return true;
      case "string-escape":
        this.#afterEscape(byte);
        return true;
    }
  }

  #afterEscape(byte: number): void {
    const character = String.fromCharCode(byte);
    if (character === "[") this.#state = "sequence";
    else if ("]PX^_".includes(character)) this.#state = "string";
    else if (byte < 0x20 || byte > 0x2f) this.#state = byte === 0x1b ? "escape" : "none";
    else this.#state = "escape"; // An intermediate byte, as in ESC ( B.
  }
}

/**
 * True where `bytes` end within a control string (OSC, DCS, APC, PM, SOS): in a window title, for example.
 */
export function endsInControlString(bytes: Uint8Array): boolean {
  let isOpen = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0;
    if (byte === 0x1b) isOpen = "]PX^_".includes(String.fromCharCode(bytes[index + 1] ?? 0));
    else if (byte === 0x07 || byte === 0x18 || byte === 0x1a) isOpen = false;
  }
  return isOpen;
}
