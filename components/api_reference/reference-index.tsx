import type { Operation } from "#lib/app/api_reference/document.ts";
import { Method } from "./method.tsx";

type Props = {
  groups: readonly { tag: string; operations: readonly Operation[] }[];
  /** Id of the endpoint in the URL. */
  here: string;
};

/** The endpoints as links, under their tags; on small screens the list itself does for an index. */
export function ReferenceIndex({ groups, here }: Props) {
  return (
    <nav aria-label="Endpoints" className="min-h-0 overflow-y-auto pr-1 pb-2 scroll-thin max-lg:hidden">
      {groups.map((group) => (
        <div key={group.tag} className="mb-3">
          <p className="px-1.5 pb-0.5 font-medium text-2xs text-faint">{group.tag}</p>
          <ul>
            {group.operations.map((operation) => (
              <li key={operation.id}>
                <a
                  href={`#${operation.id}`}
                  aria-current={here === operation.id ? "location" : undefined}
                  className="focus-inset flex items-baseline gap-1.5 rounded-sm px-1.5 py-1 text-muted text-xs hover:bg-hover hover:text-ink aria-[current]:bg-pressed aria-[current]:text-ink"
                >
                  <Method method={operation.method} className="w-10 text-[0.5625rem]" />
                  <span className="min-w-0 flex-1">{operation.summary}</span>
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
