import { expect, it } from "vitest";
import { JOBS } from "#lib/app/api.ts";
import { jobText } from "./job-words.ts";

it("has words for every kind of background work", () => {
  expect(JOBS.filter(({ name }) => jobText(name) === name)).toEqual([]);
});
