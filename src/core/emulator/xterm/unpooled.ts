/**
 * Makes the import of @xterm/addon-unicode-graphemes 0.4.0 safe in Node. The addon decodes its table at import with `Buffer.from` and
 * reads the memory behind the buffer from its start, which is wrong for a buffer from Node's pool: then widths are wrong or the import
 * throws "Data error" (xtermjs/xterm.js#6079). Without a pool each buffer has its own memory.
 *
 * Import it before the addon, and call `restorePool` afterwards. In a browser there is no pool and nothing happens.
 */
const holder = globalThis as { Buffer?: { poolSize: number } }; // a global of Node that the pure floors do not know
const poolSize = holder.Buffer?.poolSize;
if (holder.Buffer !== undefined) holder.Buffer.poolSize = 0;

/** Restores the size of the pool. */
export function restorePool(): void {
  if (holder.Buffer !== undefined && poolSize !== undefined) holder.Buffer.poolSize = poolSize;
}
