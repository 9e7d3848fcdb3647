import { type SearchParams, withQuery } from "#components/kit/list/search-params.ts";
import { Callout } from "#components/ui/display/callout.tsx";
import type { SavedView } from "#lib/flags/saved_views/schema.ts";
import { flagList } from "./list-query.ts";

const sorted = (query: string): string => {
  const params = new URLSearchParams(query);
  params.delete("offset");
  params.sort();
  return params.toString();
};

/** What of the saved view at this address the list does not know, such as a filter that it no longer has. */
export function IgnoredNote({ given, views }: { given: SearchParams; views: readonly SavedView[] }) {
  const ignored = flagList.ignored(given);
  if (ignored.length === 0) return null;
  const asked = sorted(withQuery("", given).slice(1));
  const view = views.find(({ query }) => sorted(query) === asked);
  if (!view) return null;
  return (
    <Callout tone="warning" className="mb-3" title={`“${view.name}” has filters that this list ignores`}>
      {`Not known here: ${ignored.join(", ")}. Overwrite the view to remove them.`}
    </Callout>
  );
}
