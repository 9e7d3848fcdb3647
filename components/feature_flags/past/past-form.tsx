import type { Route } from "next";
import Form from "next/form";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { clockText, type PastQuery, pastList, SPANS } from "./past-query.ts";

type Props = {
  projectId: string;
  query: PastQuery;
  zone: string;
  to: number;
  from: number;
  problem: string | null;
};

/** Which moments, and which person, the page is about; all of it is in the URL. */
export function PastForm({ projectId, query, zone, to, from, problem }: Props) {
  const [at, since] = [clockText(to, zone), clockText(from, zone)];
  return (
    <Card>
      <Form
        key={`${at} ${since} ${query.person} ${query.search}`}
        action={`/project/${projectId}/feature_flags/past` as Route}
        className="flex flex-col gap-3"
      >
        <div className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
          <Field label="Date and time" hint={`In the time zone ${zone}`}>
            <Input type="datetime-local" name="at" step={1} required defaultValue={at} />
          </Field>
          <Field label="Compared with" error={problem ?? undefined}>
            <Input type="datetime-local" name="since" step={1} required defaultValue={since} />
          </Field>
          <Field label="Values of a person" optional>
            <Input name="person" placeholder="Distinct id" defaultValue={query.person} maxLength={400} />
          </Field>
          <Field label="Flags" optional>
            <Input name="search" placeholder="Part of the key or description" defaultValue={query.search} />
          </Field>
        </div>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Button type="submit" variant="primary">
            Show
          </Button>
          <p className="flex flex-wrap gap-x-3 gap-y-1 text-muted text-xs">
            Compare with
            {SPANS.map(({ words, ms }) => (
              <TextLink
                key={words}
                href={pastList.href(projectId, query, { at, since: clockText(to - ms, zone) })}
              >
                {words}
              </TextLink>
            ))}
          </p>
        </div>
      </Form>
    </Card>
  );
}
