import { filterText } from "#components/metrics/metric-words.ts";
import { isObject, type Json } from "#lib/engines/json.ts";

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
      ? `People who send ${String(config.event)}${where} while in a variant of ${flagKey}`
      : config?.kind === "ActionsNode"
        ? `People who perform action ${String(config.id)} while in a variant of ${flagKey}`
        : `People who evaluate ${flagKey} and get one of its variants`;
  const several =
    criteria?.multiple_variant_handling === "first_seen"
      ? "Those who got several count towards the first."
      : "Those who got several are excluded.";
  const test = criteria?.filterTestAccounts === true ? " Test accounts are excluded." : "";
  return `${begin}. ${several}${test}`;
}
