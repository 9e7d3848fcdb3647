import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAddressCheck, createCheckedLookup, ForbiddenAddress } from "./addresses.ts";
import { addressIn, post } from "./post.ts";

const isAllowed = createAddressCheck([]);

describe("where notifications may be sent", () => {
  it.each([
    ["8.8.8.8", true],
    ["1.1.1.1", true],
    ["172.15.255.255", true],
    ["172.32.0.0", true],
    ["100.63.255.255", true],
    ["100.128.0.0", true],
    ["223.255.255.255", true],
    ["2606:4700:4700::1111", true],
    ["2a00:1450:4001::1", true],
    ["0.0.0.0", false],
    ["10.0.0.1", false],
    ["100.64.0.1", false],
    ["127.0.0.1", false],
    ["127.255.255.254", false],
    ["169.254.169.254", false],
    ["172.16.0.1", false],
    ["172.31.255.255", false],
    ["192.0.0.170", false],
    ["192.168.1.1", false],
    ["198.18.0.1", false],
    ["203.0.113.7", false],
    ["224.0.0.1", false],
    ["255.255.255.255", false],
    ["::", false],
    ["::1", false],
    ["::127.0.0.1", false],
    ["::ffff:127.0.0.1", false],
    ["::ffff:10.0.0.1", false],
    ["::ffff:8.8.8.8", false],
    ["64:ff9b::7f00:1", false],
    ["fc00::1", false],
    ["fd00:ec2::254", false],
    ["fe80::1", false],
    ["ff02::1", false],
    ["2001:db8::1", false],
    ["2001::1", false],
    ["2002:7f00:1::", false],
    ["localhost", false],
    ["", false],
  ])("%s: %s", (address, expected) => {
    expect(isAllowed(address)).toBe(expected);
  });

  it("private addresses never, in whatever form a URL writes them", () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const loopback = fc.tuple(fc.constant(127), byte, byte, byte);
    const forms = [
      (b: number[]) => b.join("."),
      (b: number[]) => b.map((n) => `0x${n.toString(16)}`).join("."),
      (b: number[]) => b.map((n) => `0${n.toString(8)}`).join("."),
      (b: number[]) => String(b.reduce((sum, n) => sum * 256 + n, 0)),
      (b: number[]) => `[::ffff:${b.join(".")}]`,
    ];
    fc.assert(
      fc.property(loopback, fc.constantFrom(...forms), (bytes, write) => {
        const address = addressIn(new URL(`http://${write(bytes)}/`));
        expect(address).not.toBeNull();
        expect(isAllowed(address ?? "")).toBe(false);
      }),
    );
  });

  it("networks that the operator allows, and no others beside them", () => {
    const check = createAddressCheck(["10.1.0.0/16", "127.0.0.1", "fd00::/8"]);
    expect(["10.1.2.3", "127.0.0.1", "fd00::1", "8.8.8.8"].every(check)).toBe(true);
    expect(["10.2.0.0", "127.0.0.2", "fe80::1", "192.168.0.1"].some(check)).toBe(false);
  });
});

describe("a request", () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    if (request.url === "/redirect") response.writeHead(302, { location: "/elsewhere" }).end();
    else if (request.url === "/endless") {
      const write = () => {
        while (response.write("x".repeat(1_000)));
        response.once("drain", write);
      };
      write();
    } else if (request.url === "/silent") return;
    else response.end("thanks");
  });
  let port: number;
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Names that resolve as told, one answer after another. */
  const resolving =
    (...answers: string[][]) =>
    (_: string, __: unknown, callback: (error: null, found: { address: string; family: number }[]) => void) =>
      callback(
        null,
        (answers.length > 1 ? (answers.shift() ?? []) : (answers[0] ?? [])).map((address) => ({
          address,
          family: address.includes(":") ? 6 : 4,
        })),
      );

  const send = (path: string, names: string[][], networks: string[], timeLimitMs?: number) => {
    const check = createAddressCheck(networks);
    const lookup = createCheckedLookup(check, resolving(...names) as never);
    const url = new URL(path, `http://hooks.example.com:${port}`);
    return post(url, {
      headers: {},
      body: "{}",
      isAllowed: check,
      lookup,
      ...(timeLimitMs && { timeLimitMs }),
    });
  };
  const LOCAL = [["127.0.0.1"]];

  it("goes to the address that was checked", async () => {
    expect(await send("/ok", LOCAL, ["127.0.0.1"])).toEqual({ status: 200, body: "thanks" });
  });

  it.each([
    ["a private address", [["127.0.0.1"]]],
    ["a private address among public ones", [["8.8.8.8", "127.0.0.1"]]],
    ["a mapped one", [["::ffff:127.0.0.1"]]],
    ["nothing", [[]]],
  ])("is refused where a name means %s", async (_, names) => {
    const before = asked.length;
    await expect(send("/secret", names, [])).rejects.toBeInstanceOf(ForbiddenAddress);
    expect(asked.length).toBe(before);
  });

  it("is looked up once, so that a name cannot mean something else after the check", async () => {
    expect(await send("/once", [["127.0.0.1"], ["10.0.0.1"]], ["127.0.0.1"])).toMatchObject({ status: 200 });
  });

  it("is refused for a private address in the URL", async () => {
    const url = new URL(`http://127.0.0.1:${port}/literal`);
    const lookup = createCheckedLookup(isAllowed);
    await expect(post(url, { headers: {}, body: "", isAllowed, lookup })).rejects.toBeInstanceOf(
      ForbiddenAddress,
    );
  });

  it("does not follow redirects", async () => {
    expect(await send("/redirect", LOCAL, ["127.0.0.1"])).toMatchObject({ status: 302 });
    expect(asked).not.toContain("/elsewhere");
  });

  it("reads the beginning of an answer without end", async () => {
    const { body } = await send("/endless", LOCAL, ["127.0.0.1"]);
    expect(body).toHaveLength(4_096);
  });

  it("gives up on a server that does not answer", async () => {
    await expect(send("/silent", LOCAL, ["127.0.0.1"], 100)).rejects.toThrow(/within 0.1 seconds/);
  });
});
