import { CONCLUSION_TONES, conclusionWord } from "#components/experiments/status.ts";
import { splitOfExperiment } from "#components/experiments/variants.ts";
import { personName } from "#components/kit/person-name.ts";
import { Badge } from "#components/ui/display/badge.tsx";
import { Card, Facts } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { VariantDot } from "#components/ui/display/share-bar.tsx";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";

/** The conclusion: finding, reasons, shipped variant, author and date. */
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
  const index = variants.findIndex((variant) => variant.key === key);
  const name = variants[index]?.name;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5">
      <VariantDot index={Math.max(0, index)} />
      <span className="font-medium">{key}</span>
      {name ? <span className="text-muted">{name}</span> : null}
    </span>
  );
}
