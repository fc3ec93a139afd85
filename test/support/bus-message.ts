/** Messages of D-Bus as bytes (https://dbus.freedesktop.org/doc/dbus-specification.html#message-protocol-messages), in little endian only. */

const TYPES = ["", "call", "return", "error", "signal"] as const;
const FIXED_BYTES = 16;
/** Codes of the header fields. */
const FIELDS = {
  path: [1, "o"],
  interface: [2, "s"],
  member: [3, "s"],
  errorName: [4, "s"],
  replySerial: [5, "u"],
  destination: [6, "s"],
  sender: [7, "s"],
  signature: [8, "g"],
} as const;

export interface BusMessage {
  readonly type: (typeof TYPES)[number];
  readonly serial: number;
  readonly path?: string;
  readonly interface?: string;
  readonly member?: string;
  readonly errorName?: string;
  readonly replySerial?: number;
  readonly destination?: string;
  readonly sender?: string;
  readonly signature?: string;
  readonly body: readonly unknown[];
}

/** Of the first message in these bytes; infinite while its head is not whole. */
export function messageLength(bytes: Buffer): number {
  if (bytes.length < FIXED_BYTES) return Infinity;
  if (bytes[0] !== 0x6c) throw new Error("a message that is not little endian");
  return aligned(FIXED_BYTES + bytes.readUInt32LE(12), 8) + bytes.readUInt32LE(4);
}

export function parseMessage(bytes: Buffer): BusMessage {
  const reader = new Reader(bytes, 12);
  const fields = new Map(reader.value("a(yv)") as [number, unknown][]);
  const named = Object.entries(FIELDS).flatMap(([name, [code]]) =>
    fields.has(code) ? [[name, fields.get(code)] as const] : [],
  );
  reader.align(8);
  const signature = (fields.get(FIELDS.signature[0]) ?? "") as string;
  const body = splitSignature(signature).map((type) => reader.value(type));
  return { type: TYPES[bytes[1] ?? 0] ?? "", serial: bytes.readUInt32LE(8), ...Object.fromEntries(named), body };
}

export function encodeMessage({ type, serial, body, ...fields }: BusMessage): Buffer {
  const types = splitSignature(fields.signature ?? "");
  const content = new Writer();
  for (const [index, value] of body.entries()) content.value(types[index] ?? "", value);
  const head = new Writer();
  for (const byte of [0x6c, TYPES.indexOf(type), 0, 1]) head.value("y", byte);
  head.value("u", content.bytes.length);
  head.value("u", serial);
  const given = Object.entries(FIELDS).flatMap(([name, [code, fieldType]]) => {
    const value = fields[name as keyof typeof FIELDS];
    return value === undefined || value === "" ? [] : [[code, [fieldType, value]]];
  });
  head.value("a(yv)", given);
  head.align(8);
  return Buffer.concat([head.bytes, content.bytes]);
}

const aligned = (offset: number, to: number): number => Math.ceil(offset / to) * to;

const ALIGNMENT: Readonly<Record<string, number>> = { n: 2, q: 2, b: 4, i: 4, u: 4, s: 4, o: 4, a: 4 };
/** Of a type; structs, dictionary entries and numbers of 64 bits start at multiples of 8. */
const alignmentOf = (type: string): number => ("xtd({".includes(type.charAt(0)) ? 8 : (ALIGNMENT[type.charAt(0)] ?? 1));

/** `sa{sv}i` has three types. */
function splitSignature(signature: string): string[] {
  const types: string[] = [];
  let depth = 0;
  let current = "";
  for (const character of signature) {
    current += character;
    if ("({".includes(character)) depth++;
    if (")}".includes(character)) depth--;
    if (depth > 0 || character === "a") continue;
    types.push(current);
    current = "";
  }
  return types;
}

class Reader {
  readonly #bytes: Buffer;
  #offset: number;

  constructor(bytes: Buffer, offset: number) {
    this.#bytes = bytes;
    this.#offset = offset;
  }

  align(to: number): void {
    this.#offset = aligned(this.#offset, to);
  }

  value(type: string): unknown {
    this.align(alignmentOf(type));
    switch (type.charAt(0)) {
      case "y":
        return this.#bytes.readUInt8(this.#skip(1));
      case "b":
        return this.#bytes.readUInt32LE(this.#skip(4)) !== 0;
      case "n":
      case "q":
        return this.#bytes.readUInt16LE(this.#skip(2));
      case "i":
        return this.#bytes.readInt32LE(this.#skip(4));
      case "u":
        return this.#bytes.readUInt32LE(this.#skip(4));
      case "x":
      case "t":
        return this.#bytes.readBigUInt64LE(this.#skip(8));
      case "d":
        return this.#bytes.readDoubleLE(this.#skip(8));
      case "s":
      case "o":
        return this.#text(this.#bytes.readUInt32LE(this.#skip(4)));
      case "g":
        return this.#text(this.#bytes.readUInt8(this.#skip(1)));
      case "v":
        return this.value(String(this.value("g")));
      case "a":
        return this.#array(type.slice(1));
      default:
        return splitSignature(type.slice(1, -1)).map((part) => this.value(part));
    }
  }

  /** Where what is read begins. */
  #skip(bytes: number): number {
    const from = this.#offset;
    this.#offset += bytes;
    return from;
  }

  /** With the zero after it. */
  #text(length: number): string {
    const from = this.#skip(length + 1);
    return this.#bytes.toString("utf8", from, from + length);
  }

  #array(type: string): unknown {
    const bytes = this.#bytes.readUInt32LE(this.#skip(4));
    this.align(alignmentOf(type));
    const end = this.#offset + bytes;
    if (type === "y") return this.#bytes.subarray(this.#skip(bytes), end);
    const items: unknown[] = [];
    while (this.#offset < end) items.push(this.value(type));
    return items;
  }
}

/** Of the types that this bus sends. */
class Writer {
  bytes = Buffer.alloc(0);

  align(to: number): void {
    this.#add(Buffer.alloc(aligned(this.bytes.length, to) - this.bytes.length));
  }

  value(type: string, value: unknown): void {
    this.align(alignmentOf(type));
    switch (type.charAt(0)) {
      case "y":
        return this.#add(Buffer.from([Number(value)]));
      case "b":
      case "u":
        return this.#add(Buffer.from(Uint32Array.of(Number(value)).buffer));
      case "s":
      case "o":
        this.value("u", Buffer.byteLength(String(value)));
        return this.#add(Buffer.from(`${String(value)}\0`));
      case "g":
        return this.#add(Buffer.from([String(value).length, ...Buffer.from(`${String(value)}\0`)]));
      case "v": {
        const [inner, content] = value as [string, unknown];
        this.value("g", inner);
        return this.value(inner, content);
      }
      case "a":
        return this.#array(type.slice(1), value as readonly unknown[]);
      case "(":
        for (const [index, part] of splitSignature(type.slice(1, -1)).entries()) {
          this.value(part, (value as readonly unknown[])[index]);
        }
        return;
      default:
        throw new Error(`cannot write a value of type "${type}"`);
    }
  }

  #array(type: string, items: readonly unknown[]): void {
    const lengthAt = this.bytes.length;
    this.value("u", 0);
    this.align(alignmentOf(type));
    const start = this.bytes.length;
    for (const item of items) this.value(type, item);
    this.bytes.writeUInt32LE(this.bytes.length - start, lengthAt);
  }

  #add(bytes: Uint8Array): void {
    this.bytes = Buffer.concat([this.bytes, bytes]);
  }
}
