"use client";

import { useState } from "react";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { useSettled } from "#components/kit/use-settled.ts";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Combobox } from "#components/ui/form/combobox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { NativeSelect } from "#components/ui/form/native-select.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import type { flagContract } from "#lib/flags/feature_flags/contract.ts";
import type { ReplayRequest } from "#lib/flags/feature_flags/replay/replay-contract.ts";

const ReplayResult = later(async () => (await import("./replay-result.tsx")).ReplayResult);

const DAYS = [
  { value: "1", label: "Today" },
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
] as const;

type Days = (typeof DAYS)[number]["value"];

const NOW = "now";
const OTHER = "other";

type Props = {
  projectId: string;
  flagId: number;
  /** Stored versions to replay against, newest first; null where the key may not read them. */
  versions: readonly { version: number; label: string }[] | null;
};

/** Chooses the days and what recorded calls are replayed against. */
export function ReplayForm({ projectId, flagId, versions }: Props) {
  const [days, setDays] = useState<Days>("7");
  const [against, setAgainst] = useState(NOW);
  const [other, setOther] = useState("");
  const [request, setRequest] = useState<ReplayRequest>();
  const asked: ReplayRequest = {
    id: flagId,
    days: Number(days),
    ...(against === OTHER && { other_flag_id: Number(other) }),
    ...(against !== OTHER && against !== NOW && { version: Number(against) }),
  };
  const ready = against !== OTHER || other !== "";
  return (
    <div className="flex flex-col gap-5">
      <Card
        title="Replay recorded calls"
        description="How each call that SDKs reported would have been answered."
      >
        <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
          <Segmented label="Days to replay" value={days} onValueChange={setDays} options={DAYS} />
          <Field label="Against" className="w-full sm:w-64">
            <NativeSelect
              value={against}
              onChange={(event) => setAgainst(event.target.value)}
              options={[
                { value: NOW, label: "The flag as it is now" },
                ...(versions ?? []).map(({ version, label }) => ({ value: String(version), label })),
                { value: OTHER, label: "Another flag…" },
              ]}
            />
          </Field>
          {against === OTHER ? (
            <Field label="Other flag" className="w-full sm:w-64">
              <OtherFlag projectId={projectId} flagId={flagId} value={other} onValueChange={setOther} />
            </Field>
          ) : null}
          <Button
            variant="primary"
            aria-disabled={!ready || undefined}
            onClick={() => ready && setRequest(asked)}
          >
            Replay
          </Button>
        </div>
      </Card>
      {request ? (
        <Card>
          <ReplayResult projectId={projectId} request={request} />
        </Card>
      ) : null}
    </div>
  );
}

type OtherProps = Pick<Props, "projectId" | "flagId"> & {
  value: string;
  onValueChange: (id: string) => void;
};

function OtherFlag({ projectId, flagId, value, onValueChange }: OtherProps) {
  const [search, setSearch] = useState("");
  const { value: settled } = useSettled(search, search);
  const found = useEndpoint<typeof flagContract.list>(
    "/api/projects/{project_id}/feature_flags/",
    { params: { project_id: projectId }, query: { limit: "50", search: settled.trim() || undefined } },
    { retry: false },
  );
  const options = (found.data?.results ?? []).filter(({ id }) => id !== flagId);
  return (
    <Combobox
      value={value || null}
      onValueChange={onValueChange}
      options={options.map(({ id, key }) => ({ value: String(id), label: key }))}
      onSearch={setSearch}
      loading={found.isFetching && options.length === 0}
      placeholder="Flag…"
      empty={found.isError ? `Flags could not be loaded: ${found.error.message}` : "No other flag found"}
      mono
    />
  );
}
