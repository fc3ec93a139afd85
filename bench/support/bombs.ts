/**
 * Output that costs a terminal emulator far more than its length says, or that makes what reads it store or report too much. From reports about
 * xterm.js, kitty and iTerm2, and from what was found here.
 */
const repeat = (text: string, count: number): string => text.repeat(count);
const each = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join("");

/** The size of the terminal is 80x24 unless it is given. */
export interface Bomb {
  readonly output: string;
  readonly columns?: number;
  readonly rows?: number;
}

const large = { columns: 1000, rows: 500 };
const HUGE = "2147483647";

export const bombs: Readonly<Record<string, Bomb>> = {
  "RIS, 2 MB": { output: repeat("\u001Bc", 1_000_000) },
  "RIS with text between, 2 MB": { output: repeat("x\u001Bc", 700_000) },
  "RIS at 1000x500": { output: repeat("\u001Bc", 100_000), ...large },
  "REP 2^31": { output: `a\u001B[${HUGE}b` },
  "REP of a screen x 100,000": { output: repeat("a\u001B[9999b", 100_000) },
  "REP at 1000x500": { output: repeat("a\u001B[999999b", 20_000), ...large },
  "IL 2^31 x 1,000": { output: repeat(`\u001B[${HUGE}L`, 1000) },
  "DL 2^31 x 1,000": { output: repeat(`\u001B[${HUGE}M`, 1000) },
  "SU 9999 x 100,000": { output: repeat("\u001B[9999S", 100_000) },
  "SD 9999 x 100,000": { output: repeat("\u001B[9999T", 100_000) },
  "CHT and CBT 2^31": { output: repeat(`\u001B[${HUGE}I\u001B[${HUGE}Z`, 1000) },
  "ICH, DCH, ECH 2^31": { output: repeat(`\u001B[${HUGE}@\u001B[${HUGE}P\u001B[${HUGE}X`, 10_000) },
  "columns inserted": { output: repeat(`\u001B[${HUGE}'}\u001B[${HUGE}'~`, 10_000) },
  "scroll left and right": { output: repeat(`\u001B[${HUGE} @\u001B[${HUGE} A`, 10_000) },
  "CNL and CPL 2^31": { output: repeat(`\u001B[${HUGE}E\u001B[${HUGE}F`, 10_000) },
  "alternate screen to and fro": { output: repeat("\u001B[?1049h\u001B[?1049l", 120_000) },
  "alternate screen at 1000x500": { output: repeat("\u001B[?1049h\u001B[?1049l", 20_000), ...large },
  "erase all x 500,000": { output: repeat("\u001B[2J", 500_000) },
  "erase all at 1000x500": { output: repeat("\u001B[2J", 100_000), ...large },
  "DECALN x 500,000": { output: repeat("\u001B#8", 500_000) },
  "132 columns and back": { output: repeat("\u001B[?3h\u001B[?3l", 100_000) },
  "line feeds between margins": { output: `\u001B[2;23r\u001B[23H${repeat("\n", 2_000_000)}` },
  "line feeds between margins, 1000x500": { output: `\u001B[2;499r\u001B[499H${repeat("\n", 500_000)}`, ...large },
  "reverse line feeds": { output: repeat("\u001BM", 1_000_000) },
  "insert mode": { output: `\u001B[4h${repeat("x", 2_000_000)}` },
  "tab stops": { output: repeat("\u001BH\u001B[C", 300_000) + repeat("\t", 500_000) },
  "3 million accents": { output: `a${repeat("\u0301", 3_000_000)}` },
  "accents in every cell": { output: repeat(`a${repeat("\u0301", 200)}`, 8000) },
  "emoji families": { output: repeat("\u{1F468}\u200D\u{1F469}\u200D\u{1F467}\u200D", 100_000) },
  "200,000 links": { output: each(200_000, (i) => `\u001B]8;;http://l${i}\u0007x`) },
  "a title of 50 MB": { output: `\u001B]0;${repeat("t", 50_000_000)}` },
  "100,000 titles": { output: each(100_000, (i) => `\u001B]0;title ${i}\u0007`) },
  "title stack": { output: repeat("\u001B[22;0t\u001B]0;t\u0007", 100_000) },
  "a DCS of 20 MB": { output: `\u001BP0;1|${repeat("17/17;", 3_300_000)}` },
  "questions (DSR, DA)": { output: repeat("\u001B[6n\u001B[c", 250_000) },
  "colours in long parameters": { output: repeat(`\u001B[${repeat("38:2::1:2:3;", 20)}0mx`, 10_000) },
  "marks of shells": {
    output: repeat("\u001B]133;A\u0007\u001B]133;B\u0007\u001B]133;C\u0007\u001B]133;D;0\u0007", 50_000),
  },
  "program status": { output: each(50_000, (i) => `\u001B]7501;state=${i % 2 ? "idle" : "working"}:app=x\u0007`) },
  events: { output: each(50_000, (i) => `<FORGE_EVENT name="E${i}">{"n":${i}}</FORGE_EVENT>\r\n`) },
  "tags that never end": { output: each(50_000, (i) => `<FORGE_EVENT name="E${i}">{`) },
  "questions of programs": { output: each(50_000, (i) => `\u001B[2J\u001B[HDelete file ${i}? [y/N] `) },
  "synchronized updates": { output: repeat("\u001B[?2026h\u001B[Hx\u001B[?2026l", 100_000) },
};
