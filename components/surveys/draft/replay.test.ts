import { describe, expect, it } from "vitest";
import { checkPaths } from "#lib/engines/branching/paths.ts";
import { draftOf, questionsOf } from "./draft.ts";
import { moveQuestion, setTarget } from "./edit-draft.ts";
import { replay, seenOf, shortestWayTo } from "./replay.ts";

const drafts = draftOf([
  {
    id: "nps",
    type: "rating",
    question: "How likely?",
    scale: 10,
    optional: true,
    branching: { type: "response_based", responseValues: { detractors: 2 } },
  },
  { id: "like", type: "open", question: "What do you like?", branching: { type: "end" } },
  { id: "why", type: "open", question: "Why?" },
]);

describe("answers given in the preview", () => {
  it.each([
    { name: "nothing yet", log: [], standing: { at: "question", uid: "nps" }, seen: ["nps"] },
    {
      name: "a detractor",
      log: [{ uid: "nps", response: 2 }],
      standing: { at: "question", uid: "why" },
      seen: ["nps", "why"],
    },
    {
      name: "a fan to the end",
      log: [
        { uid: "nps", response: 9 },
        { uid: "like", response: "all" },
      ],
      standing: { at: "end" },
      seen: ["nps", "like"],
    },
    {
      name: "an answer to a question that is not asked there",
      log: [
        { uid: "nps", response: 9 },
        { uid: "why", response: "?" },
      ],
      standing: { at: "question", uid: "like" },
      seen: ["nps", "like"],
    },
  ])("$name", ({ log, standing, seen }) => {
    const found = replay(drafts, log);
    expect(found.standing).toEqual(standing);
    expect(seenOf(found)).toEqual(seen);
  });

  it("say where the public SDKs would stop", () => {
    const { standing } = replay(drafts, [{ uid: "nps", response: null }]);
    expect(standing).toMatchObject({ at: "stuck" });
  });

  it("follow a survey that changes under them", () => {
    const log = [
      { uid: "nps", response: 2 },
      { uid: "why", response: "?" },
    ];
    expect(replay(drafts, log).standing).toEqual({ at: "end" });
    const led = setTarget(drafts, "nps", "detractors", { to: "question", uid: "like" });
    expect(replay(led, log)).toMatchObject({ given: [log[0]], standing: { uid: "like" } });
    expect(replay(moveQuestion(drafts, "why", 0), log)).toMatchObject({
      given: [],
      standing: { uid: "why" },
    });
  });

  it("of no questions are at the end", () => {
    expect(replay([], [])).toEqual({ given: [], standing: { at: "end" } });
  });
});

describe("the way to a question", () => {
  const wayTo = (list: typeof drafts, place: number) =>
    shortestWayTo(checkPaths(questionsOf(list)).outcomes, place)?.map((step) => step.question) ?? null;

  it.each([
    { place: 0, way: [] },
    { place: 1, way: [0] },
    { place: 2, way: [0] },
  ])("$place is $way", ({ place, way }) => expect(wayTo(drafts, place)).toEqual(way));

  it("is none where no answers lead there", () => {
    expect(wayTo(setTarget(drafts, "nps", null, { to: "question", uid: "why" }), 1)).toBeNull();
  });
});
