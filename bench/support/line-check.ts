/** Reads numbered lines, as `seq` writes them to a terminal, and counts what is not as it should be. */
export class LineCheck {
  #rest = "";
  #expected = 1;
  #wrong = 0;

  feed(bytes: Uint8Array): void {
    const lines = (this.#rest + Buffer.from(bytes).toString("latin1")).split("\r\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== String(this.#expected)) {
        this.#wrong++;
        this.#expected = Number(line);
      }
      this.#expected++;
    }
  }

  result(lines: number): { readonly wrong: number; readonly missingAtEnd: number } {
    return { wrong: this.#wrong, missingAtEnd: lines - (this.#expected - 1) };
  }
}
