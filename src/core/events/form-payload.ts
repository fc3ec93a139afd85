/**
 * Payloads that a model writes itself, without a tool: as a form of a web page, `files=3&summary=All+tests+pass`. Models know the form by
 * heart, it has no blanks and no characters that Markdown changes, and it needs no checksum: the payload is written twice.
 */

const PERCENT = /%(?![0-9A-Fa-f]{2})/;
const LITERAL = /^(?:true|false|null|"[^]*"|\[[^]*\]|\{[^]*\})$/;

/**
 * The JSON of a form: an object of its fields, or one value if there is no `=`. Numbers, `true`, `false`, `null` and JSON texts are read
 * as such, everything else is text. Undefined if it is not a form, or has an underscore: renderers of Markdown remove these in pairs, from
 * both copies of the payload alike. `isExact`: no screen has changed it.
 * `readForm("files=3&summary=All+tests+pass"); // { files: 3, summary: "All tests pass" }`
 */
export function readForm(form: string, { isExact = false } = {}): unknown {
  if (PERCENT.test(form) || (!isExact && form.includes("_"))) return undefined;
  try {
    if (form === "") return null;
    if (!form.includes("=")) return form.includes("&") ? undefined : valueOf(form);
    const fields = form.split("&").map((field) => {
      const [name = "", ...rest] = field.split("=");
      return rest.length === 1 && name !== "" ? ([decoded(name), valueOf(rest[0] ?? "")] as const) : undefined;
    });
    const names = new Set(fields.map((field) => field?.[0]));
    if (names.has(undefined) || names.size < fields.length) return undefined;
    return Object.fromEntries(fields.filter((field) => field !== undefined));
  } catch {
    return undefined; // Percent signs that are not UTF-8.
  }
}

/** The form of a JSON value. `writeForm({ files: 3, path: "src/a_b.ts" }); // "files=3&path=src%2Fa%5Fb.ts"` */
export function writeForm(value: unknown): string {
  if (value === null) return "";
  if (typeof value !== "object" || Array.isArray(value) || Object.keys(value).length === 0) return encodedValue(value);
  return Object.entries(value)
    .map(([name, field]) => `${encoded(name)}=${field === null ? "null" : encodedValue(field)}`)
    .join("&");
}

/** A text that would be read as something else is written as JSON. */
function encodedValue(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const isText = typeof value === "string" && (valueOf(encoded(value)) !== value || value === "");
  return encoded(isText ? JSON.stringify(value) : text);
}

const encoded = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll("%20", "+")
    .replaceAll(/[!'()*~_]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

const decoded = (text: string): string => decodeURIComponent(text.replaceAll("+", " "));

function valueOf(form: string): unknown {
  const text = decoded(form);
  if (String(Number(text)) === text && Number.isFinite(Number(text))) return Number(text);
  if (!LITERAL.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
