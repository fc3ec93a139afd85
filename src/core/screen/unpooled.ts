/**
 * Makes the import of @xterm/addon-unicode-graphemes 0.4.0 safe in Node. The addon decodes its table at import with `Buffer.from` and
 * reads it from the start of the memory behind it, which is not its own where Node took it from the pool of small buffers: then the
 * widths are wrong or the import throws "Data error" (xtermjs/xterm.js#6079). Without a pool each buffer has memory of its own.
 *
 * To be imported before the addon; `restorePool` is to be called after it. In a browser there is no pool and nothing happens.
 */
const holder = globalThis as { Buffer?: { poolSize: number } }; // a global of Node that the pure floors do not know
const poolSize = holder.Buffer?.poolSize;
if (holder.Buffer !== undefined) holder.Buffer.poolSize = 0;

/** Gives the pool back its size. */
export function restorePool(): void {
  if (holder.Buffer !== undefined && poolSize !== undefined) holder.Buffer.poolSize = poolSize;
}
