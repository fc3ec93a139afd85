/** The terminal colours of the light and the dark scheme. */
import type { ITerminalOptions, ITheme } from "@xterm/xterm";

const light: ITheme = {
  background: "#fffefb",
  foreground: "#26231f",
  cursor: "#9a4a14",
  cursorAccent: "#fffefb",
  selectionBackground: "#f0d9c4",
  selectionInactiveBackground: "#ece5da",
  black: "#26231f",
  red: "#b3261e",
  green: "#2e6b2f",
  yellow: "#855f00",
  blue: "#25569c",
  magenta: "#86378a",
  cyan: "#0d6a70",
  white: "#6e675d",
  brightBlack: "#6f685f",
  brightRed: "#c9362c",
  brightGreen: "#3a7f3b",
  brightYellow: "#976c00",
  brightBlue: "#2f68b8",
  brightMagenta: "#9b45a0",
  brightCyan: "#127c83",
  brightWhite: "#26231f",
};

const dark: ITheme = {
  background: "#141311",
  foreground: "#e6e1d8",
  cursor: "#e8985a",
  cursorAccent: "#141311",
  selectionBackground: "#4a3a2b",
  selectionInactiveBackground: "#332d26",
  black: "#2a2723",
  red: "#ee7b70",
  green: "#8fc585",
  yellow: "#deb35f",
  blue: "#86b1ea",
  magenta: "#cf9bd6",
  cyan: "#74c3c1",
  white: "#d4cec3",
  brightBlack: "#8b847a",
  brightRed: "#ff9a8f",
  brightGreen: "#abdba1",
  brightYellow: "#f2cd84",
  brightBlue: "#a9c9f5",
  brightMagenta: "#e2b9e7",
  brightCyan: "#97dbd9",
  brightWhite: "#f8f5ef",
};

export const terminalTheme = (isDark: boolean): ITheme => (isDark ? dark : light);

export const TERMINAL_FONT_SIZE = 13;
export const TERMINAL_FONT =
  '"JetBrains Mono Variable", "Lectern Symbols", ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace';

/** The options of every terminal that is shown at full size. */
export const terminalOptions = (theme: ITheme): ITerminalOptions => ({
  allowProposedApi: true,
  fontFamily: TERMINAL_FONT,
  fontSize: TERMINAL_FONT_SIZE,
  lineHeight: 1.15,
  logLevel: "off",
  minimumContrastRatio: 4.5,
  theme,
});

const paletteNames = [
  "black",
  "red",
  "green",
  "yellow",
  "blue",
  "magenta",
  "cyan",
  "white",
  "brightBlack",
  "brightRed",
  "brightGreen",
  "brightYellow",
  "brightBlue",
  "brightMagenta",
  "brightCyan",
  "brightWhite",
] as const satisfies readonly (keyof ITheme)[];

/** The 16 colours in the order of their numbers. */
export const paletteOf = (theme: ITheme): readonly string[] => paletteNames.map((name) => theme[name] ?? "");
