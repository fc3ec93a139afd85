import assert from "node:assert/strict";
import { test } from "node:test";
import { networkProxyOf } from "./network-proxy.ts";

test("networkProxyOf reads the variables in small letters before those in capitals", () => {
  const environment = {
    HTTPS_PROXY: "http://capitals:1",
    https_proxy: "http://small:2",
    http_proxy: "plain:3",
    NO_PROXY: "intra.example",
  };
  assert.deepEqual(networkProxyOf(environment), {
    http: "http://plain:3",
    https: "http://small:2",
    except: "intra.example,127.0.0.1,localhost,::1",
  });
  assert.deepEqual(networkProxyOf({ ALL_PROXY: "socks5://all:4" }), {
    http: "socks5://all:4",
    https: "socks5://all:4",
    except: "127.0.0.1,localhost,::1",
  });
});

test("networkProxyOf gives null where there is no proxy", () => {
  assert.equal(networkProxyOf({}), null);
  assert.equal(networkProxyOf({ HTTPS_PROXY: "", NO_PROXY: "*" }), null);
});

test("networkProxyOf refuses what is no address, and does not repeat it", () => {
  for (const HTTPS_PROXY of ["ftp://me:secret@x", "http://me:secret@"]) {
    assert.throws(
      () => networkProxyOf({ HTTPS_PROXY }),
      (error: Error) => error.message.includes("HTTPS_PROXY") && !error.message.includes("secret"),
    );
  }
});
