/** Output as text without escape sequences, as `logs` prints it. */

/** Stands in for the sanitizer of core/text. */
export class TextView {
  readonly #decoder = new TextDecoder();

  feed(bytes: Uint8Array): string {
    return clean(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): string {
    return clean(this.#decoder.decode());
  }
}

const clean = (text: string): string =>
  text
    .replaceAll(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-~])/g, "")
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
