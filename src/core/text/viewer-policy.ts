import { decMode } from "../vt/dec-modes.ts";
import {
  ANSI_MODES,
  COLOUR_COMMANDS,
  COLOUR_RESET,
  KEYBOARD_SEQUENCES,
  lastingControlSequences,
  lastingEscapes,
  type LastingSequence,
} from "../vt/lasting-sequences.ts";
import { removeActing } from "./escape.ts";

/**
 * - `live`: for viewers that type; modes of keyboard and mouse pass. Questions do not: the session's own emulator answers them once.
 * - `replay`: for replays and read-only viewers; nothing that changes what the viewer's terminal sends passes. Nor does what a stranger's
 *   recording has no business with: links to the viewer's files, controls that reorder text, and a reset that erases what the terminal
 *   kept of earlier commands.
 */
export type ViewerMode = "live" | "replay";

/** Characters of a window title; more are cut off. */
const TITLE_CHARS_MAX = 256;
/** Larger parameters only hang terminals: `CSI 2147483647 b` asks for two billion letters. */
const PARAMETER_MAX = 65_535;

const numbers = (text: string): ReadonlySet<number> => new Set(text.split(" ").map(Number));

/** Window operations: push and pop the title. Never reports of sizes and titles. */
const TITLE_STACK = numbers("22 23");

/**
 * Control sequences that draw and leave nothing on, by prefix, intermediate bytes and final byte (xterm's "Control Sequences", section CSI).
 * Rectangles may be filled and copied, but not read (`*y`); the level of the terminal stays (`"p`).
 */
export const DRAWING_ONCE: readonly string[] =
  "@ A B C D E F G H I J K L M P S T X Z ` a b d e f j k m s u ?J ?K ' '~ '} !p $r $t $v $x $z ${ #{ #} #p #q #P #Q".split(
    " ",
  );

const DRAWING = new Set([...DRAWING_ONCE, ...namesOf("drawing")]);

/** Control sequences that change what the viewer's terminal sends: kitty's and xterm's keyboard protocols. */
const INPUT = new Set([...KEYBOARD_SEQUENCES, ...namesOf("input")]);

/** The text after ESC in escapes that draw; `%@` is missing because it would leave UTF-8. */
const DRAWING_ESCAPE = /^(?:[6789DEMNOc]|#[34568]|%G| F)$/;

/** Instead of RIS: the same for what follows, but the lines above the screen, tab stops and the keyboard stay as they are. */
const SOFT_RESET = "\u001B[?1049l\u001B[!p\u001B[H\u001B[2J";

function namesOf(affected: LastingSequence["affects"]): readonly string[] {
  return lastingControlSequences.filter(({ affects }) => affects === affected).map(({ name }) => name);
}

const CONTROL_SEQUENCE = /^([<=>?]?)([0-9:;]*)([ -/]*)([@-~])$/;
const COLOUR_VALUE = /^[A-Za-z0-9#:;/.,_ -]*$/;
const LINK: Readonly<Record<ViewerMode, RegExp>> = {
  live: /^(?:https?|file|mailto):/i,
  replay: /^(?:https?|mailto):/i,
};
const LINK_PARAMETERS = /^[\w:=.-]*$/;

/** The part of the escape `ESC body` that may reach the viewer: all of it, nothing (""), or for a reset in a replay `SOFT_RESET`. */
export function allowedEscape(body: string, mode: ViewerMode): string {
  if (body === "c" && mode === "replay") return SOFT_RESET;
  const affects = DRAWING_ESCAPE.test(body) ? "drawing" : lastingEscapes.find(({ form }) => form.test(body))?.affects;
  const passes = affects === "drawing" || (mode === "live" && affects === "input");
  return passes ? `\u001B${body}` : "";
}

/** The part of the control sequence `CSI body` that may reach the viewer: of a list of modes the allowed ones. */
export function allowedControlSequence(body: string, mode: ViewerMode): string {
  const match = CONTROL_SEQUENCE.exec(body);
  if (match === null) return "";
  const [, prefix = "", parameters = "", intermediates = "", final = ""] = match;
  const values = parameters === "" ? [] : parameters.split(/[:;]/).map(Number);
  if (values.some((value) => value > PARAMETER_MAX)) return "";
  if (/[hlsr]/.test(final) && prefix === "?" && intermediates === "") {
    return withModes(
      "?",
      values.filter((value) => isAllowedMode(value, mode)),
      final,
    );
  }
  if (/[hl]/.test(final) && prefix + intermediates === "") {
    return withModes(
      "",
      values.filter((value) => ANSI_MODES.includes(value)),
      final,
    );
  }
  return isAllowed(prefix + intermediates + final, values, mode) ? `\u001B[${body}` : "";
}

/** `name`: prefix, intermediate bytes and final byte. */
function isAllowed(name: string, values: readonly number[], mode: ViewerMode): boolean {
  if (name === "T") return values.length <= 1; // With more it is highlight tracking of the mouse.
  if (name === "t") return TITLE_STACK.has(values[0] ?? 0);
  return DRAWING.has(name) || (mode === "live" && INPUT.has(name));
}

function isAllowedMode(value: number, mode: ViewerMode): boolean {
  const affects = decMode(value)?.affects;
  return affects === "drawing" || (mode === "live" && affects === "input");
}

const withModes = (prefix: string, values: readonly number[], final: string): string =>
  values.length === 0 ? "" : `\u001B[${prefix}${values.join(";")}${final}`;

/**
 * The part of the operating system command `OSC body`, ended by `terminator`, that may reach the viewer: titles, links, colours, prompt marks and
 * progress. Not among them: clipboard (52, 5522), notifications (9, 99, 777), files (1337), fonts (50), directories (7).
 */
export function allowedOperatingSystemCommand(body: string, terminator: string, mode: ViewerMode): string {
  const separator = body.indexOf(";");
  const command = separator === -1 ? body : body.slice(0, separator);
  if (!/^\d{1,4}$/.test(command)) return "";
  const rest = separator === -1 ? undefined : body.slice(separator + 1);
  const allowed = allowedCommand(Number(command), rest, mode);
  if (allowed === undefined) return "";
  return `\u001B]${command}${allowed === "" && rest === undefined ? "" : `;${allowed}`}${terminator}`;
}

function allowedCommand(command: number, rest: string | undefined, mode: ViewerMode): string | undefined {
  if (COLOUR_COMMANDS.includes(command - COLOUR_RESET)) return /^[0-9;]*$/.test(rest ?? "") ? (rest ?? "") : undefined;
  if (rest === undefined) return undefined;
  if (command <= 2) return Array.from(removeActing(rest)).slice(0, TITLE_CHARS_MAX).join("");
  if (command === 8) return allowedLink(rest, mode);
  if (command === 9) return /^4;[0-4](?:;\d{0,3})?;*$/.test(rest) ? rest : undefined;
  if (command === 133) return /^[ABCDNP](?:;[\w=;-]{0,64})?$/.test(rest) ? rest : undefined;
  if (COLOUR_COMMANDS.includes(command)) return COLOUR_VALUE.test(rest) ? rest : undefined;
  return undefined;
}

/** `parameters;uri`. An empty URI ends a link. One that may not pass becomes an empty one: its text stays, without a link. */
function allowedLink(rest: string, mode: ViewerMode): string {
  const separator = rest.indexOf(";");
  const parameters = rest.slice(0, Math.max(0, separator));
  const uri = rest.slice(separator + 1);
  const isAllowedUri = LINK[mode].test(uri) && removeActing(uri) === uri && LINK_PARAMETERS.test(parameters);
  return isAllowedUri ? rest : ";";
}
