// The few globals that the pure floors may use: they exist in Node and in browsers and do no I/O.

declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(input?: Uint8Array, options?: { stream?: boolean }): string;
}

declare class TextEncoder {
  encode(input?: string): Uint8Array<ArrayBuffer>;
  encodeInto(source: string, destination: Uint8Array): { read: number; written: number };
}

declare class URL {
  constructor(url: string, base?: string);
  readonly href: string;
  readonly protocol: string;
  readonly host: string;
  readonly pathname: string;
}

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
}

declare function structuredClone<T>(value: T): T;
