import { expect, it } from "vitest";
import { demoPeople } from "./people.ts";

it.each(["2026-11-22T00:30:00Z", "2026-11-22T12:00:00Z", "2026-11-22T23:59:00Z"])(
  "nobody of the demo signs up after %s",
  (text) => {
    const now = Date.parse(text);
    const signedUp = demoPeople(now).map((person) => person.signed_up);
    expect(Math.max(...signedUp)).toBeLessThanOrEqual(now);
    expect(now - Math.max(...signedUp)).toBeLessThan(2 * 86_400_000);
  },
);
