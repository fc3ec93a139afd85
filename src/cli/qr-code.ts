/** A text as a QR code of half blocks, dark on light whatever the colours of the terminal are. */

const BLACK_ON_WHITE = "\u001b[30;107m";
const RESET = "\u001b[0m";

/** The lines; loaded on demand. */
export async function qrLines(text: string): Promise<string[]> {
  const { renderUnicodeCompact } = await import("uqr");
  return renderUnicodeCompact(text, { border: 2, ecc: "L" })
    .split("\n")
    .map((line) => `${BLACK_ON_WHITE}${line}${RESET}`);
}
