import { filterText } from "./metric_words.ts";

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Who counts as exposed, in words. */
export function exposureText(criteria: Json | null, flagKey: string): string {
  const config = isObject(criteria?.exposure_config) ? criteria.exposure_config : null;
  const filters = Array.isArray(config?.properties) ? config.properties.filter(isObject) : [];
  const where =
    filters.length > 0
      ? ` where ${filters.map((filter) => filterText(filter as { key: string })).join(" and ")}`
      : "";
  const begin =
    config?.kind === "ExperimentEventExposureConfig"
      ? `Whoever sends ${String(config.event)}${where} while having a variant of ${flagKey}`
      : config?.kind === "ActionsNode"
        ? `Whoever performs action ${String(config.id)} while having a variant of ${flagKey}`
        : `Whoever was asked for ${flagKey} and got one of its variants`;
  const several =
    criteria?.multiple_variant_handling === "first_seen"
      ? "Those who got several count with the first."
      : "Those who got several are left out.";
  const test = criteria?.filterTestAccounts === true ? " Test accounts are left out." : "";
  return `${begin}. ${several}${test}`;
}
