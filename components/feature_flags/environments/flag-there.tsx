import type { Route } from "next";
import { Status } from "#components/ui/display/badge.tsx";
import { ShareBar } from "#components/ui/display/share-bar.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { FlagThere } from "#lib/flags/environments/contract.ts";

type Props = { projectId: number; flagKey: string; flag: FlagThere };

/** Whether a flag is on in an environment, which leads to it there, and who gets it. */
export function FlagThereFacts({ projectId, flagKey, flag }: Props) {
  return (
    <span className="flex min-w-0 flex-col gap-1">
      <TextLink
        href={`/project/${projectId}/feature_flags/${flag.id}` as Route}
        aria-label={`${flagKey} is ${flag.active ? "on" : "off"}`}
        className="w-fit no-underline"
      >
        <Status status={flag.active ? "active" : "inactive"}>{flag.active ? "On" : "Off"}</Status>
      </TextLink>
      <span className="break-words text-muted text-xs">{flag.rollout}</span>
      {flag.variants.length > 0 ? (
        <ShareBar
          label={`Variants of ${flagKey}`}
          shares={flag.variants.map(({ key, rollout_percentage }) => ({
            name: key,
            percent: rollout_percentage,
          }))}
          className="max-w-40"
        />
      ) : null}
    </span>
  );
}
