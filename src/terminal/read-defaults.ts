/** Times in milliseconds, and the bytes at which a read ends. */
export const readDefaults = { timeoutMs: 20_000, maxOutputBytes: 2 * 1024 * 1024, settleMs: 200, quietMs: 80 } as const;
