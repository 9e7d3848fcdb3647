import { describe, expect, it } from "vitest";
import { attempt, findProblem, isConflict, NO_ANSWER } from "./action.ts";

const refusal = {
  ok: false,
  error: { type: "validation_error", code: "unique", detail: "Taken.", attr: "key", status: 400 },
} as const;

const disconnected = () => Promise.reject(new TypeError("fetch failed"));

describe("the result of an action", () => {
  it("is what the server answered", async () => {
    expect(await attempt(async () => ({ ok: true, data: 7 }))).toEqual({ ok: true, data: 7 });
    expect(await attempt(async () => refusal)).toEqual(refusal);
  });

  it("is an error of its own if the server did not answer", async () => {
    expect(await attempt(disconnected)).toMatchObject({ ok: false, error: { detail: NO_ANSWER, status: 0 } });
  });

  it("can be asked for its problem alone", async () => {
    expect(await findProblem(async () => ({ ok: true, data: 7 }))).toBeUndefined();
    expect(await findProblem(async () => refusal)).toBe("Taken.");
    expect(await findProblem(disconnected)).toBe(NO_ANSWER);
  });
});

it("only a refused change of an older version is a conflict", async () => {
  expect(isConflict(refusal)).toBe(false);
  expect(isConflict({ ...refusal, error: { ...refusal.error, status: 409 } })).toBe(true);
  expect(isConflict({ ok: true, data: 409 })).toBe(false);
});
