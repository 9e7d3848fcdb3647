import { lookup as systemLookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** Networks that are not on the public internet (IANA's registries of special-purpose addresses). */
const SPECIAL_IPV4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const;

/** Within the addresses that IPv6 has given out; those of 6to4 and Teredo lead to any IPv4 address. */
const SPECIAL_IPV6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;

const special = new BlockList();
for (const [network, bits] of SPECIAL_IPV4) special.addSubnet(network, bits, "ipv4");
for (const [network, bits] of SPECIAL_IPV6) special.addSubnet(network, bits, "ipv6");

const given = new BlockList();
given.addSubnet("2000::", 3, "ipv6");

const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");

/** Whether an address is on the public internet. An IPv6 address that stands for an IPv4 one never is. */
function isPublic(address: string): boolean {
  if (isIP(address) === 0) return false;
  if (isIP(address) === 4) return !special.check(address, "ipv4");
  return given.check(address, "ipv6") && !special.check(address, "ipv6");
}

/** Where notifications may be sent: the public internet, and networks that the operator allows. */
export function createAddressCheck(networks: readonly string[]): (address: string) => boolean {
  const allowed = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    if (bits === undefined) allowed.addAddress(address, familyOf(address));
    else allowed.addSubnet(address, Number(bits), familyOf(address));
  }
  return (address) => isPublic(address) || (isIP(address) !== 0 && allowed.check(address, familyOf(address)));
}

/** An address that nothing may be sent to. */
export class ForbiddenAddress extends Error {
  override name = "ForbiddenAddress";
}

export const forbidden = (host: string) =>
  new ForbiddenAddress(`${host} is not on the public internet, and its network is not allowed.`);

/**
 * Looks names up, and gives only addresses that were checked: the connection goes to what was checked, whatever the
 * name means a moment later. One forbidden address among several forbids the name.
 */
export const createCheckedLookup =
  (isAllowed: (address: string) => boolean, resolve: typeof systemLookup = systemLookup): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "", 0);
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isAllowed(address)))
        return callback(forbidden(hostname), "", 0);
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
