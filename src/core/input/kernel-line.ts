/** The line that the kernel gathers for a program in canonical mode. It keeps `LINE_BYTES_MAX` bytes of one, and drops the rest without a word. */

/** With its end. */
export const LINE_BYTES_MAX = 4095;

/** Ctrl-C, Ctrl-U, Ctrl-Z and Ctrl-\. */
const drops = new Set([0x03, 0x15, 0x1a, 0x1c]);
/** Line feed and carriage return end a line, and Ctrl-D gives it to the program. */
const ends = new Set([0x0a, 0x0d, 0x04, ...drops]);

/** Whether this key drops the line that is open. */
export const dropsLine = (byte: number | undefined): boolean => byte !== undefined && drops.has(byte);

/**
 * Counts the bytes of the line that is open. Erased characters count, too: what it says is too long may fit, and never the other way.
 */
export class KernelLine {
  #bytes = 0;

  /** How many bytes of `data` the kernel keeps: all, or those before the first line that it would cut. */
  fits(data: Uint8Array): number {
    let bytes = this.#bytes;
    if (bytes + data.length < LINE_BYTES_MAX) return data.length;
    for (const [index, byte] of data.entries()) {
      bytes = ends.has(byte) ? 0 : bytes + 1;
      // The last byte is for the end.
      if (bytes === LINE_BYTES_MAX) return index;
    }
    return data.length;
  }

  /** These were written, while the kernel gathers lines or not: then nothing is open. */
  wrote(data: Uint8Array, { isCanonical }: { readonly isCanonical: boolean }): void {
    const last = data.findLastIndex((byte) => ends.has(byte));
    this.#bytes = !isCanonical ? 0 : last === -1 ? this.#bytes + data.length : data.length - 1 - last;
  }
}
