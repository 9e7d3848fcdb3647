import { expect, it } from "vitest";
import { apiDocument } from "./document.ts";
import { lazyDocument } from "./lazy.ts";

it("is the document, made once, while the process goes on with other things", async () => {
  const document = lazyDocument("1.2.3");
  let turns = 0;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const [json, again] = await Promise.all([document(), document()]);
  clearImmediate(next);
  expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(apiDocument("1.2.3"))));
  expect(again).toBe(json);
  expect(turns).toBeGreaterThan(100);
});

it("is tried again after it could not be made", async () => {
  // A function cannot be passed to a thread.
  const version = (() => "1.2.3") as unknown as string;
  const document = lazyDocument(version);
  const first = document();
  await expect(first).rejects.toThrow();
  expect(document()).not.toBe(first);
  await expect(document()).rejects.toThrow();
});
