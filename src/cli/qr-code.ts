/** A text as a QR code of half blocks, dark on light whatever the colours of the terminal are. */

/** The full block stands for light modules. */
const WHITE_ON_BLACK = "\u001b[97;40m";
const RESET = "\u001b[0m";

/** The lines; loaded on demand. */
export async function qrLines(text: string): Promise<string[]> {
  const { renderUnicodeCompact } = await import("uqr");
  return renderUnicodeCompact(text, { border: 2, ecc: "L" })
    .split("\n")
    .map((line) => `${WHITE_ON_BLACK}${line}${RESET}`);
}
