/**
 * What the daemon uses of `node:http`. Not `import`: an import reads every export, which loads the `WebSocket` of the platform, and that takes
 * 80 ms of processor time at each start, ten times as long as the rest of `node:http`.
 */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule("node:http");
