/** Bytes with a meaning of their own in terminal output, ECMA-48 section 5. */
export const BEL = 0x07;
export const BACKSPACE = 0x08;
export const TAB = 0x09;
export const LINE_FEED = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
export const SHIFT_OUT = 0x0e;
export const SHIFT_IN = 0x0f;
export const CANCEL = 0x18;
export const SUBSTITUTE = 0x1a;
export const ESCAPE = 0x1b;
export const DELETE = 0x7f;
/** First byte of U+0080 to U+00BF in UTF-8; with a second byte of 0x80 to 0x9F it is a C1 control. */
export const C1_LEAD = 0xc2;

/** The second byte of 7-bit openers. The C1 control of the same meaning is that byte plus 0x40. */
export const CSI_OPENER = 0x5b;
export const OSC_OPENER = 0x5d;
export const DCS_OPENER = 0x50;
export const SOS_OPENER = 0x58;
export const PM_OPENER = 0x5e;
export const APC_OPENER = 0x5f;
/** `ESC \` and U+009C, the string terminator. */
export const ST_FINAL = 0x5c;

/** True for the second byte of a C1 control, U+0080 to U+009F, behind `C1_LEAD`. */
export const isC1Second = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x80 && byte <= 0x9f;
