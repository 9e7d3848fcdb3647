import { expect, test } from "vitest";
import { nameOf } from "./service.ts";

const BROWSER = "0195a4f0-1c1b-7d3e-9a55-0123456789ab";
const UUID = "c0ffee00-0000-4000-8000-000000000001";
const name = (properties: Record<string, unknown>, ...distinct_ids: string[]) =>
  nameOf({ properties, distinct_ids, uuid: UUID });

test.each([
  [
    "the e-mail address before all else",
    { name: "Ann", username: "ann1", email: "ann@x.test" },
    "ann@x.test",
  ],
  ["the name before the user name", { username: "ann1", name: "Ann" }, "Ann"],
  ["the user name", { username: "ann1" }, "ann1"],
  ["no blank e-mail address", { email: "  ", name: "Ann" }, "Ann"],
  ["no e-mail address that is not text", { email: 7, name: { first: "A" }, username: "ann1" }, "ann1"],
  ["a distinct id where no property tells", { email: "", plan: "pro" }, "ann-id"],
])("a person is called by %s", (_, properties, expected) => {
  expect(name(properties, "ann-id", BROWSER)).toBe(expected);
});

test.each([
  ["an id that somebody chose before a browser's", [BROWSER, "ann-id", "zoe"], "ann-id"],
  ["an id that only contains a UUID", [BROWSER, `user-${BROWSER}`], `user-${BROWSER}`],
  ["an id that only begins with a UUID", [BROWSER, `${BROWSER}-user`], `${BROWSER}-user`],
  ["a browser's id where there is no other", [BROWSER, BROWSER.toUpperCase()], BROWSER],
  ["the UUID where there is no distinct id", [], UUID],
])("a person without a name is called by %s", (_, ids, expected) => {
  expect(name({}, ...ids)).toBe(expected);
});
