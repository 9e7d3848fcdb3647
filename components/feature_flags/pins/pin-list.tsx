import type { Route } from "next";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import { valueInWords } from "#components/conditions/outcome-words.ts";
import type { Access } from "#components/kit/access.tsx";
import { personName } from "#components/kit/person-name.ts";
import { Badge } from "#components/ui/display/badge.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { PinRecord } from "#lib/flags/feature_flags/pins/pins-contract.ts";
import { formatMomentIn } from "#lib/platform/format.ts";
import { RemovePin } from "./remove-pin.tsx";

type Props = {
  projectId: string;
  flag: { id: number; key: string };
  pins: readonly PinRecord[];
  timezone: string;
  access: Access;
  actions: FlagActions;
};

/** The people who get a certain value, whatever the targeting says. */
export function PinList({ pins, ...of }: Props) {
  if (pins.length === 0) return null;
  return (
    <Card title="Pinned people" description="They get this value whatever the targeting says." padded={false}>
      <ul id="pins" aria-label="Pinned people" className="divide-y border-t">
        {pins.map((pin) => (
          <PinRow key={pin.id} {...of} pin={pin} />
        ))}
      </ul>
    </Card>
  );
}

function PinRow({
  projectId,
  flag,
  pin,
  timezone,
  access,
  actions,
}: Omit<Props, "pins"> & { pin: PinRecord }) {
  const by = personName(pin.created_by);
  return (
    <li className="flex flex-col gap-1 px-4 py-3 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {pin.person ? (
          <TextLink
            href={`/project/${projectId}/persons/${pin.person.id}?tab=flags` as Route}
            className="min-w-0 break-words font-medium"
          >
            {pin.person.name}
          </TextLink>
        ) : (
          <span className="min-w-0 break-all font-medium">{pin.distinct_ids[0]}</span>
        )}
        <Badge tone={pin.value === false ? "neutral" : "success"}>{valueInWords(pin.value)}</Badge>
        {access.may_write ? (
          <RemovePin
            {...{ projectId, flag, actions }}
            pin={{ id: pin.id, name: pin.person?.name ?? pin.distinct_ids[0] ?? "" }}
          />
        ) : null}
      </div>
      {pin.reason ? <p className="min-w-0 break-words">{pin.reason}</p> : null}
      <p className="text-muted text-xs">
        {pin.until ? (
          <>
            until {formatMomentIn(Date.parse(pin.until), timezone)} (<RelativeTime date={pin.until} />)
          </>
        ) : (
          "until it is removed"
        )}
        {" · pinned "}
        <RelativeTime date={pin.created_at} />
        {by ? ` by ${by}` : ""}
      </p>
      {pin.problem ? <p className="text-warning-text text-xs">Without effect. {pin.problem}</p> : null}
    </li>
  );
}
