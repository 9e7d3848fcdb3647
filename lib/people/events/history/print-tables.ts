/**
 * `npm run clickhouse:tables [-- --replicated | --cluster NAME]`: prints the statements that make the tables of the event
 * history, for servers on which the service must not make them itself.
 */
import { parseArgs } from "node:util";
import { createTables, type Layout } from "./ddl.ts";

const { values } = parseArgs({ options: { replicated: { type: "boolean" }, cluster: { type: "string" } } });
if (values.cluster !== undefined && !/^\w+$/.test(values.cluster))
  throw new Error("The name of a cluster has letters, digits and _ only.");
const layout: Layout =
  values.cluster !== undefined
    ? { kind: "sharded", cluster: values.cluster }
    : { kind: values.replicated ? "replicated" : "single" };
console.info(
  createTables(layout)
    .map((statement) => `${statement};`)
    .join("\n\n"),
);
