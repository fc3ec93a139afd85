/**
 * The states of a terminal's parser, and the only table of its transitions: https://vt100.net/emu/dec_ansi_parser, with what
 * xterm adds (BEL ends an OSC) and with C1 controls in their UTF-8 form (0xC2 0x80 to 0xC2 0x9F).
 *
 * CAN and SUB end every sequence without an effect. ESC and C1 controls end one too, and begin the next. A letter beyond ASCII
 * ends an escape or control sequence and is text; in a string it is data. Other controls within a sequence are executed, and the
 * sequence goes on.
 */
import {
  APC_OPENER,
  BEL,
  C1_LEAD,
  CANCEL,
  CSI_OPENER,
  DCS_OPENER,
  ESCAPE,
  OSC_OPENER,
  PM_OPENER,
  SOS_OPENER,
  ST_FINAL,
  SUBSTITUTE,
  isC1Second,
} from "./control-bytes.ts";

/** Control strings; `string` stands for SOS, PM and APC, which no terminal here has a use for. */
export type StringType = "osc" | "dcs" | "string";

/** A string may also stand behind an ESC or an 0xC2 within it: the next byte decides whether that ends it. */
export type ParserState =
  | "ground"
  | "ground-lead"
  | "escape"
  | "escape-intermediate"
  | "csi"
  | StringType
  | `${StringType}-escape`
  | `${StringType}-lead`;

export function nextState(state: ParserState, byte: number): ParserState {
  switch (state) {
    case "ground":
      return outside(byte);
    case "ground-lead":
      return isC1Second(byte) ? opened(byte - 0x40) : outside(byte);
    case "escape":
      if (byte >= 0x20 && byte <= 0x2f) return "escape-intermediate";
      return byte >= 0x30 && byte <= 0x7e ? opened(byte) : within(state, byte);
    case "escape-intermediate":
      return byte >= 0x30 && byte <= 0x7e ? "ground" : within(state, byte);
    case "csi":
      return byte >= 0x40 && byte <= 0x7e ? "ground" : within(state, byte);
    case "osc":
    case "dcs":
    case "string":
      return inString(state, byte);
    case "osc-escape":
    case "dcs-escape":
    case "string-escape":
      return byte === ST_FINAL ? "ground" : nextState("escape", byte);
    case "osc-lead":
      return isC1Second(byte) ? opened(byte - 0x40) : inString("osc", byte);
    case "dcs-lead":
      return isC1Second(byte) ? opened(byte - 0x40) : inString("dcs", byte);
    case "string-lead":
      return isC1Second(byte) ? opened(byte - 0x40) : inString("string", byte);
  }
}

/** What ESC and the byte of an opener begin; `ground` for an escape that is complete with it. */
export function opened(opener: number): "csi" | StringType | "ground" {
  if (opener === CSI_OPENER) return "csi";
  if (opener === OSC_OPENER) return "osc";
  if (opener === DCS_OPENER) return "dcs";
  return opener === SOS_OPENER || opener === PM_OPENER || opener === APC_OPENER ? "string" : "ground";
}

function outside(byte: number): ParserState {
  if (byte === ESCAPE) return "escape";
  return byte === C1_LEAD ? "ground-lead" : "ground";
}

/** Within an escape or control sequence: a byte that does not end it as it should. */
function within(state: "escape" | "escape-intermediate" | "csi", byte: number): ParserState {
  const endsIt = byte === CANCEL || byte === SUBSTITUTE || byte === ESCAPE || byte >= 0x80;
  return endsIt ? outside(byte) : state;
}

function inString(type: StringType, byte: number): ParserState {
  if (byte === ESCAPE) return `${type}-escape`;
  if (byte === C1_LEAD) return `${type}-lead`;
  const endsIt = byte === CANCEL || byte === SUBSTITUTE || (byte === BEL && type === "osc");
  return endsIt ? "ground" : type;
}
