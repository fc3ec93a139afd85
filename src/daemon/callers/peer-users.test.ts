import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { test } from "node:test";
import { parseUsers, sourcesOf } from "./peer-users.ts";
import { platform } from "../../pty/platform.ts";

test("the tables of the kernel are read: connected ends with their users, mapped addresses as IPv4", () => {
  const text = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 0 100 0 0 10 0
   1: 0100007F:D431 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 12 1 0 20 4 30 10 -1
  12: 0000000000000000FFFF00000100007F:D432 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000 33 0 13 1
  13: 00000000000000000000000001000000:D433 00000000000000000000000001000000:1F90 01 00000000:00000000 00:00000000 00000000 65534 0 14 1
`;
  assert.deepEqual(
    [...parseUsers(text)],
    [
      ["0100007F:54321", "1000"],
      ["0100007F:54322", "33"],
      ["00000000000000000000000001000000:54323", "65534"],
    ],
  );
});

test("the user of a real connection is known, whatever address it comes from", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  for (const localAddress of ["127.0.0.1", "127.0.0.9"]) {
    const client = connect({ host: "127.0.0.1", port, localAddress });
    const [accepted] = (await once(server, "connection")) as [Socket];
    const expected = platform.hasProc ? `user ${process.getuid?.()}` : "address 127.0.0.1";
    assert.deepEqual(sourcesOf([accepted]), [expected]);
    client.destroy();
    accepted.destroy();
  }
  server.close();
});
