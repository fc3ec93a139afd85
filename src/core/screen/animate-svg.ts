/**
 * Draws screens one after the other as one SVG image that moves by itself, in a browser and in the `<img>` of a README: no script. A row is drawn
 * once for each content that it has, and shown while it has it, by CSS animations with steps.
 * Source: CSS Animations Level 1; SVG 1.1. Where motion is not wanted (`prefers-reduced-motion`), and in what knows no CSS, it is the last screen.
 */
import { drawRow, openPicture, type PicturedScreen } from "./draw-svg.ts";
import { darkColours, type ScreenColours } from "./palette.ts";

/** How long the last screen stays before the animation begins again. */
export const LAST_SCREEN_MS = 3000;
/** Of all rows together: what a browser draws without stutter. */
export const DRAWN_ROWS_MAX = 5000;

/** From and until, in milliseconds since the first screen. */
type Span = readonly [fromMs: number, toMs: number];

/** Takes the screens in the order of their times, then draws them. */
export class SvgAnimation {
  readonly #colours: ScreenColours;
  #columns = 0;
  /** What each row shows now, and since when. */
  readonly #shown: { readonly drawn: string; readonly fromMs: number }[] = [];
  /** Each content of a row, which has its place in it, and when it is shown. */
  readonly #spans = new Map<string, Span[]>();
  #lastMs = 0;

  constructor(colours: ScreenColours = darkColours) {
    this.#colours = colours;
  }

  /** How many contents of rows were drawn; above `DRAWN_ROWS_MAX` the image is too large to be of use. */
  get drawnRows(): number {
    return this.#spans.size;
  }

  /** What the screen shows from `atMs` on, in milliseconds since the first one. */
  add(screen: PicturedScreen, atMs: number): void {
    this.#lastMs = atMs;
    this.#columns = Math.max(this.#columns, screen.columns);
    const rows = Math.max(this.#shown.length, screen.rows);
    for (let row = 0; row < rows; row++) {
      const drawn = row < screen.rows ? drawRow(screen, row, this.#colours) : "";
      if (this.#shown[row]?.drawn === drawn) continue;
      this.#end(row, atMs);
      this.#shown[row] = { drawn, fromMs: atMs };
    }
  }

  /** The image, as large as the largest screen. */
  draw(): string {
    const endMs = this.#lastMs + LAST_SCREEN_MS;
    for (let row = 0; row < this.#shown.length; row++) this.#end(row, endMs);
    const styles = new Map<string, string>();
    const groups = [...this.#spans].map(([drawn, spans]) => {
      const steps = stepsOf(spans, endMs);
      if (steps === "") return drawn;
      const known = styles.get(steps);
      const name = known ?? `s${styles.size}`;
      if (known === undefined) styles.set(steps, name);
      return `<g class="${name}"${spans.at(-1)?.[1] === endMs ? "" : ' visibility="hidden"'}>\n${drawn}\n</g>`;
    });
    const seconds = Number((endMs / 1000).toFixed(3));
    const rules = [...styles].map(
      ([steps, name]) => `@keyframes ${name}{${steps}}.${name}{animation:${name} ${seconds}s step-end infinite}`,
    );
    const style = `<style>@media (prefers-reduced-motion:no-preference){${rules.join("\n")}}</style>`;
    return (
      [
        openPicture({ columns: this.#columns, rows: this.#shown.length }, this.#colours),
        style,
        ...groups,
        "</svg>",
      ].join("\n") + "\n"
    );
  }

  #end(row: number, toMs: number): void {
    const { drawn, fromMs } = this.#shown[row] ?? { drawn: "", fromMs: 0 };
    if (drawn === "" || fromMs === toMs) return;
    const spans = this.#spans.get(drawn);
    if (spans === undefined) this.#spans.set(drawn, [[fromMs, toMs]]);
    else spans.push([fromMs, toMs]);
  }
}

/** The key frames of something that is visible in these spans; empty if it always is. */
function stepsOf(spans: readonly Span[], endMs: number): string {
  const percent = (ms: number): string => `${Number(((ms / endMs) * 100).toFixed(3))}%`;
  const steps = spans.flatMap(([fromMs, toMs]) => [
    { at: percent(fromMs), is: "visible" },
    { at: percent(toMs), is: "hidden" },
  ]);
  // The last span may reach the end, where nothing has to change; before the first, it is hidden.
  const wanted = steps.filter(({ at }) => at !== "100%");
  if (wanted.length === 1 && wanted[0]?.at === "0%") return "";
  const first = wanted[0]?.at === "0%" ? [] : [{ at: "0%", is: "hidden" }];
  return [...first, ...wanted].map(({ at, is }) => `${at}{visibility:${is}}`).join("");
}
