/** Colours, only on a terminal, unless `NO_COLOR` is set (no-color.org) or `TERM` is `dumb`. */

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  red(text: string): string;
}

export function makeStyle(isTerminal: boolean, environment: Readonly<Record<string, string | undefined>>): Style {
  const colours = environment["FORCE_COLOR"]
    ? true
    : isTerminal && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
  const paint = (code: number) => (text: string) => (colours && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { bold: paint(1), dim: paint(2), green: paint(32), yellow: paint(33), red: paint(31) };
}
