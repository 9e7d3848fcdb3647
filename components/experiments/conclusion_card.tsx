import { personName } from "#components/feature_flags/list_item.ts";
import { Badge } from "#components/ui/badge.tsx";
import { Card, Facts } from "#components/ui/card.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { VariantDot } from "#components/ui/share-bar.tsx";
import type { ExperimentRecord } from "#lib/experiments/schema.ts";
import { CONCLUSION_TONES, conclusionWord } from "./status.ts";
import { splitOfExperiment } from "./variants.ts";

/** What an experiment was concluded with: the finding, why, what everybody got, who said so and when. */
export function ConclusionCard({ experiment }: { experiment: ExperimentRecord }) {
  const { conclusion, conclusion_comment: comment, concluded_at: at } = experiment;
  if (!conclusion) return null;
  const by = personName(experiment.concluded_by);
  return (
    <Card
      title="Conclusion"
      actions={<Badge tone={CONCLUSION_TONES[conclusion]}>{conclusionWord(conclusion)}</Badge>}
    >
      <div className="flex flex-col gap-3">
        {comment ? <p className="max-w-prose whitespace-pre-wrap break-words text-sm">{comment}</p> : null}
        <Facts
          items={[
            { term: "Shipped to everybody", value: <Shipped experiment={experiment} /> },
            {
              term: "Concluded",
              value: at ? (
                <>
                  <RelativeTime date={at} />
                  {by ? ` by ${by}` : ""}
                </>
              ) : (
                <span className="text-faint">Date not recorded</span>
              ),
            },
          ]}
        />
      </div>
    </Card>
  );
}

function Shipped({ experiment }: { experiment: ExperimentRecord }) {
  const { shipped_variant: key } = experiment;
  if (key === null) return <span className="text-muted">No variant</span>;
  const variants = splitOfExperiment(experiment);
  const place = variants.findIndex((variant) => variant.key === key);
  const name = variants[place]?.name;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5">
      <VariantDot index={Math.max(0, place)} />
      <span className="font-medium">{key}</span>
      {name ? <span className="text-muted">{name}</span> : null}
    </span>
  );
}
