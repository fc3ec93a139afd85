import { textKernelModule } from "./text-kernel-module.ts";

/** Bytes that `TextKernel.input` takes at a time. */
export const KERNEL_BLOCK_BYTES = 65_528;
const OUTPUT_ADDRESS = 69_632;
const SETS_ADDRESS = 66_048;
/** Each read-ahead of the kernel ends at a zero byte; this is more than the longest one. */
const SENTINEL_BYTES = 144;

/** How far a copy came: `read` bytes of the input gave `written` bytes of the output. */
export interface CopyProgress {
  readonly read: number;
  readonly written: number;
}

/** The exports of the module; text-kernel.wat is its source. */
interface KernelExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly scanText: () => number;
  readonly copyText: (start: number, end: number, out: number) => number;
}

/** The part of the global that is used here; neither the language's library nor Node's types declare it. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: KernelExports };
}

/**
 * The fast path of `Sanitizer`, in WebAssembly with SIMD: a loop over bytes in JavaScript is slower by a factor of five to ten.
 *
 * One instance serves all sanitizers: it has no state between calls, and no call is interrupted by another.
 */
export class TextKernel {
  readonly #memory: Uint8Array;
  readonly #scanText: () => number;
  readonly #copyText: (start: number, end: number, out: number) => number;
  /** Output buffer with room for two blocks. */
  readonly output: Uint8Array;

  /** Undefined if WebAssembly with SIMD is missing or forbidden by a content security policy. */
  static create(): TextKernel | undefined {
    // The page's own types of it are wider.
    const { WebAssembly } = globalThis as unknown as { readonly WebAssembly?: WebAssemblyApi };
    if (WebAssembly === undefined) return undefined;
    try {
      return new TextKernel(new WebAssembly.Instance(new WebAssembly.Module(fromHex(textKernelModule))).exports);
    } catch {
      return undefined; // The caller has the same loop in JavaScript.
    }
  }

  private constructor({ memory, scanText, copyText }: KernelExports) {
    this.#memory = new Uint8Array(memory.buffer);
    for (let set = 0; set < 256; set++) this.#memory.set(placesWithout(set), SETS_ADDRESS + set * 8);
    this.#scanText = scanText;
    this.#copyText = copyText;
    this.output = this.#memory.subarray(OUTPUT_ADDRESS);
  }

  /** Takes a block of at most `KERNEL_BLOCK_BYTES` as the input of `plainLength` and `copy`. */
  load(block: Uint8Array): void {
    this.#memory.set(block);
    this.#memory.fill(0, block.length, block.length + SENTINEL_BYTES);
  }

  /** The view on the input, whose length is that of the block that was loaded. */
  input(length: number): Uint8Array {
    return this.#memory.subarray(0, length);
  }

  /** How many bytes of the input, from its start on, are plain ASCII: printable, line feed or tab. */
  plainLength(): number {
    return this.#scanText();
  }

  /**
   * Copies text from `start` of the input to `to` of the output, without CR before LF and without control sequences that
   * neither move nor erase. Stops at the end, at every other control, and before whatever it leaves out within a letter.
   */
  copy(start: number, end: number, to: number): CopyProgress {
    const packed = this.#copyText(start, end, OUTPUT_ADDRESS + to);
    return { read: packed >>> 16, written: packed & 0xffff };
  }
}

/** Which of the places 0 to 7 are not in `set` (bit 0 is place 0), in order. */
const placesWithout = (set: number): number[] => [0, 1, 2, 3, 4, 5, 6, 7].filter((place) => ((set >> place) & 1) === 0);

const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, index) => Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16));
