import type { FlowFigures } from "#components/surveys/graph/types.ts";
import type { Links } from "#components/surveys/results/filters/results-query.ts";
import type { SurveyResults } from "#lib/surveys/results/schema.ts";

const nameOf = (place: number | "start" | "end" | "left") =>
  place === "start"
    ? "the start"
    : place === "end"
      ? "the end"
      : place === "left"
        ? "stopping"
        : `question ${place + 1}`;

/** Traffic along each edge for the graph: each figure opens its responses. */
export function flowFigures(
  { questions, edges }: Pick<SurveyResults, "questions" | "edges">,
  links: Links,
): FlowFigures {
  const began = edges.filter((edge) => edge.from === "start").reduce((sum, edge) => sum + edge.count, 0);
  const nodes: FlowFigures["nodes"] = {};
  for (const { question_index, reached, left } of questions) {
    const name = nameOf(question_index);
    nodes[String(question_index)] = {
      count: reached.count,
      ...(began > 0 ? { share: reached.count / began } : {}),
      left: left.count,
      href: links.open(reached.rows, `Reached ${name}`),
      leftHref: links.open(left.rows, `Stopped at ${name}`),
    };
  }
  const ended = edges.filter((edge) => edge.to === "end").reduce((sum, edge) => sum + edge.count, 0);
  nodes.end = {
    count: ended,
    ...(began > 0 ? { share: ended / began } : {}),
    href: links.open({ event: "completed" }, "Completed"),
  };
  const ways: FlowFigures["edges"] = {};
  for (const edge of edges) {
    if (edge.from === "start" || edge.to === "left") continue;
    ways[`${edge.from}>${edge.to}`] = {
      count: edge.count,
      ...(edge.share === null ? {} : { share: edge.share }),
      href: links.open(edge.rows, `From ${nameOf(edge.from)} to ${nameOf(edge.to)}`),
    };
  }
  return { nodes, edges: ways };
}
