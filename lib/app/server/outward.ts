import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv6 } from "node:net";

/** How people reach this server, where that is not the address at which requests arrive. */
export type OutwardSettings = {
  /** The address that people open, without a trailing slash; it settles the matter. */
  publicUrl?: string | undefined;
  /** Addresses and networks of proxies whose X-Forwarded-Host and X-Forwarded-Proto are believed. */
  trustedProxies?: readonly string[];
};

const familyOf = (address: string) => (isIPv6(address) ? "ipv6" : "ipv4");

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}

const firstOf = (header: string | string[] | undefined) =>
  String(header ?? "")
    .split(",", 1)[0]
    ?.trim();

/**
 * What proxies are believed about. `outward` makes requests say the address that the client used: in Host,
 * X-Forwarded-Host and X-Forwarded-Proto, whatever the client sent in these. All code behind this can rely on them. It
 * returns whether the client speaks TLS.
 */
export function createOutward({ publicUrl, trustedProxies = [] }: OutwardSettings) {
  const fixed = publicUrl === undefined ? null : new URL(publicUrl);
  const trusted = trustedProxies.length > 0 ? listOf(trustedProxies) : null;
  const isTrusted = (address = "") => trusted?.check(address, familyOf(address)) === true;
  const outward = ({ headers, socket }: IncomingMessage): boolean => {
    let protocol = "http";
    if (fixed) {
      headers.host = fixed.host;
      protocol = fixed.protocol.slice(0, -1);
    } else if (isTrusted(socket.remoteAddress)) {
      headers.host = firstOf(headers["x-forwarded-host"]) || headers.host;
      if (firstOf(headers["x-forwarded-proto"]) === "https") protocol = "https";
    }
    headers["x-forwarded-host"] = headers.host ?? "";
    headers["x-forwarded-proto"] = protocol;
    return protocol === "https";
  };
  /** The address of the client: the last one in X-Forwarded-For that is not of a trusted proxy. */
  const clientOf = ({ headers, socket }: IncomingMessage): string | null => {
    const sender = socket.remoteAddress ?? null;
    if (!isTrusted(socket.remoteAddress)) return sender;
    const passed = String(headers["x-forwarded-for"] ?? "").split(",");
    const client = passed
      .map((address) => address.trim())
      .findLast((address) => isIP(address) === 0 || !isTrusted(address));
    return client !== undefined && isIP(client) !== 0 ? client : sender;
  };
  return { outward, clientOf };
}
