/** The longest path of a unix socket: `sun_path` has 108 bytes with the final zero, on macOS 104 (`unix(7)`). */
export const SOCKET_PATH_BYTES_MAX = process.platform === "darwin" ? 103 : 107;
