import { describe, expect, it } from "vitest";
import { draftOf, questionsOf } from "#components/surveys/draft/draft.ts";
import { checkPaths } from "#lib/engines/branching/paths.ts";
import type { SentQuestion } from "#lib/engines/branching/question.ts";
import { flowOf } from "./flow.ts";
import { layoutOf } from "./layout.ts";
import { heightOf } from "./sizes.ts";

const survey: SentQuestion[] = [
  {
    id: "nps",
    type: "rating",
    question: "How likely?",
    scale: 10,
    branching: { type: "response_based", responseValues: { detractors: 2, promoters: "end" } },
  },
  { id: "like", type: "open", question: "Like?", branching: { type: "end" } },
  { id: "why", type: "open", question: "Why?", branching: { type: "specific_question", index: 0 } },
];
const drafts = draftOf(survey);
const report = checkPaths(questionsOf(drafts));
const waysOf = (flow: ReturnType<typeof flowOf>) =>
  flow.nodes.map((node) => node.ports.map(({ label, to }) => `${label} → ${to}`));

describe("a survey as a graph", () => {
  it("has a way for each answer that rules tell apart, and where it leads", () => {
    expect(waysOf(flowOf(drafts))).toEqual([
      ["Detractors, 0–6 → why", "Passives, 7–8 → like", "Promoters, 9–10 → end"],
      [" → end"],
      [" → nps"],
    ]);
  });

  it.each([
    { branching: { type: "specific_question", index: 9 }, to: "end" },
    { branching: { type: "specific_question", index: -1 }, to: null },
    { branching: { type: "specific_question", index: "2" }, to: "b" },
    { branching: { type: "unknown" }, to: "b" },
    { branching: null, to: "b" },
  ])("leads $branching to $to", ({ branching, to }) => {
    const flow = flowOf(
      draftOf([
        { id: "a", question: "a", branching },
        { id: "b", question: "b" },
      ]),
    );
    expect(flow.nodes[0]?.ports.map((port) => port.to)).toEqual([to]);
  });

  it("draws answers with the same target as one edge unless editing", () => {
    const [nps, ...rest] = survey;
    const same = draftOf([
      {
        ...nps,
        question: "?",
        branching: { type: "response_based", responseValues: { detractors: 2, passives: 2 } },
      },
      ...rest,
    ]);
    expect(waysOf(flowOf(same, { merge: true }))[0]).toEqual([
      "Detractors, Passives → why",
      "Promoters → like",
    ]);
  });

  it("marks what the prover says", () => {
    const flow = flowOf(drafts, { report });
    expect(flow.nodes[0]?.ports.map((port) => port.severity)).toEqual(["error", null, null]);
    expect(flow.nodes.map((node) => node.unreachable)).toEqual([false, false, false]);
  });

  it("marks the way that the preview took", () => {
    const taken = flowOf(drafts, { taken: ["nps", "why", "nps", "end"] });
    const marked = taken.nodes.map((node) => node.ports.map((port) => port.taken));
    expect(marked).toEqual([[true, false, true], [false], [true]]);
  });

  it("carries traffic, also of ways that are no more", () => {
    const figures = {
      nodes: { "0": { count: 90, left: 4 }, end: { count: 80 } },
      edges: { "0>2": { count: 30, share: 0.4 }, "1>2": { count: 3 } },
    };
    const flow = flowOf(drafts, { figures, merge: true });
    expect(flow.end).toEqual({ count: 80 });
    expect(flow.nodes[0]?.figure).toEqual({ count: 90, left: 4 });
    expect(flow.nodes[0]?.ports.map((port) => port.figure?.count)).toEqual([30, 0, 0]);
    expect(flow.nodes[1]?.ports).toMatchObject([
      { to: "end", former: false, figure: { count: 0 } },
      { to: "why", former: true, figure: { count: 3 } },
    ]);
  });
});

describe("its layout", () => {
  it("goes from left to right, whatever leads back", () => {
    const { places } = layoutOf(flowOf(drafts));
    const x = (id: string) => places.get(id)?.x ?? Number.NaN;
    expect(x("nps")).toBeLessThan(x("like"));
    expect(x("nps")).toBeLessThan(x("why"));
    expect(x("like")).toBeLessThan(x("end"));
  });

  it("lists the questions of one column from the top", () => {
    const fan = draftOf([
      {
        id: "nps",
        type: "rating",
        question: "?",
        scale: 10,
        branching: { type: "response_based", responseValues: { detractors: 1, passives: 2, promoters: 3 } },
      },
      ...["a", "b", "c"].map((id) => ({ id, question: id, branching: { type: "end" } })),
    ]);
    const { places } = layoutOf(flowOf(fan));
    const [a, b, c] = ["a", "b", "c"].map((id) => places.get(id)?.y ?? Number.NaN);
    expect([a, b, c]).toEqual([a, b, c].toSorted((one, other) => (one ?? 0) - (other ?? 0)));
  });

  it("leads a way that skips a question around it", () => {
    const skipping = draftOf([
      {
        id: "a",
        type: "rating",
        scale: 3,
        question: "?",
        branching: { type: "response_based", responseValues: { negative: 2 } },
      },
      { id: "b", question: "?" },
      { id: "c", question: "?" },
    ]);
    const { bends } = layoutOf(flowOf(skipping));
    expect(bends.get("a>b")).toEqual([]);
    expect(bends.get("a>c")?.length).toBeGreaterThan(0);
  });

  it("leads ways back below all boxes that they pass, each on a line of its own", () => {
    const looping = draftOf([
      { id: "a", question: "?" },
      { id: "b", question: "?" },
      {
        id: "c",
        type: "rating",
        scale: 3,
        question: "?",
        branching: { type: "response_based", responseValues: { negative: 0 } },
      },
      { id: "d", question: "?", branching: { type: "specific_question", index: 1 } },
    ]);
    const flow = flowOf(looping);
    const { places, floors } = layoutOf(flow);
    const lowest = (ids: readonly string[]) =>
      Math.max(
        ...flow.nodes
          .filter(({ id }) => ids.includes(id))
          .map((node) => (places.get(node.id)?.y ?? 0) + heightOf(node)),
      );
    expect([...floors.keys()].sort()).toEqual(["c>a", "d>b"]);
    expect(floors.get("c>a")).toBeGreaterThan(lowest(["a", "b", "c"]));
    expect(floors.get("d>b")).toBeGreaterThan(lowest(["b", "c", "d"]));
    expect(floors.get("c>a")).not.toBe(floors.get("d>b"));
  });

  it("puts no two questions in one place", () => {
    const many = draftOf(Array.from({ length: 30 }, (_, place) => ({ id: `q${place}`, question: "?" })));
    const places = [...layoutOf(flowOf(many)).places.values()].map(({ x, y }) => `${x},${y}`);
    expect(new Set(places).size).toBe(31);
  });
});
