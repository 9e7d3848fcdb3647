import type { Metadata, Route } from "next";
import { ReadOnlyNote } from "#components/feature_flags/read_only_note.tsx";
import { KeyList } from "#components/personal_api_keys/key_list.tsx";
import { Callout } from "#components/ui/callout.tsx";
import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { TabLinks } from "#components/ui/tabs.tsx";
import { accessTo, permitted } from "#lib/dashboard/permitted.ts";
import { requireWho } from "#lib/dashboard/who.ts";
import { personalApiKeyContract } from "#lib/personal_api_keys/contract.ts";
import { createKey, revokeKey, rollKey, updateKey } from "./actions.ts";
import { grantsOf, keysOf, PAGE_SIZE } from "./reads.ts";

export const metadata: Metadata = { title: "API keys" };

type Props = {
  params: Promise<{ project_id: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

const hrefFor = (projectId: string, everyone: boolean, offset = 0): Route => {
  const query = new URLSearchParams();
  if (everyone) query.set("of", "everyone");
  if (offset > 0) query.set("offset", String(offset));
  return `/project/${projectId}/settings/api_keys${query.size > 0 ? `?${query}` : ""}` as Route;
};

export default async function ApiKeysPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const query = await searchParams;
  const everyone = query.of === "everyone";
  const offset = Math.max(0, Math.trunc(Number(query.offset)) || 0);
  const { who, api } = await requireWho();
  const [current, access] = await Promise.all([
    permitted(api.call(personalApiKeyContract.current)),
    accessTo("personal_api_key:write", "make, change or revoke keys"),
  ]);
  const [grants, found] = await Promise.all([
    grantsOf(api, who, current),
    keysOf(api, current, everyone, offset),
  ]);
  return (
    <Page>
      <PageHeader
        title="API keys"
        description="What scripts, servers and people sign in with. Each does what its scopes say, and no more."
      />
      <ReadOnlyNote access={access} />
      {found.listed ? null : (
        <Callout className="mb-4" title="Only the key you are signed in with is shown">
          To see the others, sign in with a key that has the scope personal_api_key:read
          {everyone ? ", of somebody who administers the organization." : "."}
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
        actions={{ create: createKey, update: updateKey, roll: rollKey, revoke: revokeKey }}
        filters={
          grants.members.length > 0 ? (
            <TabLinks
              label="Whose keys"
              className="border-b-0"
              tabs={[
                { label: "Mine", href: hrefFor(project_id, false), current: !everyone },
                { label: "Everyone’s", href: hrefFor(project_id, true), current: everyone },
              ]}
            />
          ) : null
        }
      />
      <Pagination
        offset={offset}
        limit={PAGE_SIZE}
        count={found.count}
        noun={found.count === 1 ? "key" : "keys"}
        hrefFor={(next) => hrefFor(project_id, everyone, next)}
      />
    </Page>
  );
}
