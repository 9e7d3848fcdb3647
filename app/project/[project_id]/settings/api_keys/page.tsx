import type { Metadata } from "next";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { KeyList } from "#components/personal_api_keys/key-list.tsx";
import { keyPages } from "#components/personal_api_keys/key-query.ts";
import { Callout } from "#components/ui/display/callout.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { TabLinks } from "#components/ui/tab-links.tsx";
import { accessTo, permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { personalApiKeyContract } from "#lib/identity/personal_api_keys/contract.ts";
import { keyActions } from "./key-actions.ts";
import { keysOf, readGrants } from "./reads.ts";

export const metadata: Metadata = { title: "API keys" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

export default async function ApiKeysPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const query = keyPages.read(await searchParams);
  const everyone = query.of === "everyone";
  const { who, api } = await requireWho();
  const [current, access] = await Promise.all([
    permitted(api.call(personalApiKeyContract.current)),
    accessTo("personal_api_key:write", "create, change or revoke keys"),
  ]);
  const [grants, found] = await Promise.all([readGrants(api, who, current), keysOf(api, current, query)]);
  return (
    <Page>
      <PageHeader
        title="API keys"
        description="For scripts, servers and people. Each key can do only what its scopes allow."
      />
      <ReadOnlyNote access={access} />
      {found.listed ? null : (
        <Callout className="mb-4" title="Only the key you are signed in with is shown">
          To see the others, sign in with a key that has the scope personal_api_key:read
          {everyone ? ", owned by an organization administrator." : "."}
        </Callout>
      )}
      <KeyList
        projectId={project_id}
        keys={found.results}
        current={current?.id ?? null}
        showOwner={everyone}
        now={Date.now()}
        grants={grants}
        access={access}
        actions={keyActions}
        filters={
          grants.members.length > 0 ? (
            <TabLinks
              label="Whose keys"
              className="border-b-0"
              tabs={keyPages.params.of.options.map(({ value, label }) => ({
                label,
                href: keyPages.href(project_id, query, { of: value }),
                current: query.of === value,
              }))}
            />
          ) : null
        }
      />
      <Pagination
        offset={query.offset}
        limit={keyPages.pageSize}
        count={found.count}
        noun={found.count === 1 ? "key" : "keys"}
        hrefFor={(offset) => keyPages.href(project_id, query, { offset })}
      />
    </Page>
  );
}
