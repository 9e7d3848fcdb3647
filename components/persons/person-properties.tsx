import type { Route } from "next";
import { Card } from "#components/ui/display/card.tsx";
import { Copyable } from "#components/ui/display/copyable.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { Link } from "#components/ui/link.tsx";
import { ValueText } from "./value-text.tsx";

type Props = {
  projectId: string;
  properties: Readonly<Record<string, unknown>>;
  distinctIds: readonly string[];
  id: string;
  /** Null: the key cannot read cohorts. */
  cohorts: readonly { id: number; name: string; is_static: boolean }[] | null;
};

/** What is known of a person, the cohorts that they are in, and the ids that they are known by. */
export function PersonProperties({ projectId, properties, distinctIds, id, cohorts }: Props) {
  const names = Object.keys(properties).sort((a, b) => a.localeCompare(b));
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
      {names.length > 0 ? (
        <Table caption="Properties" minWidth="">
          <TableHead>
            <Th>Property</Th>
            <Th>Value</Th>
          </TableHead>
          <TableBody>
            {names.map((name) => (
              <Tr key={name}>
                <Td className="break-all font-mono text-xs sm:w-56">{name}</Td>
                <Td>
                  <ValueText value={properties[name]} wide />
                </Td>
              </Tr>
            ))}
          </TableBody>
        </Table>
      ) : (
        <Card title="Properties">
          <p className="text-muted text-sm">
            No properties yet. SDKs send them with <code>$set</code>, or when they identify the person.
          </p>
        </Card>
      )}
      <div className="flex flex-col gap-5">
        <Card title="Cohorts" description="Those that this person is in now.">
          {cohorts === null ? (
            <p className="text-muted text-sm">Your API key cannot read cohorts (cohort:read).</p>
          ) : cohorts.length === 0 ? (
            <p className="text-muted text-sm">None.</p>
          ) : (
            <ul className="flex flex-col gap-1 text-sm">
              {cohorts.map((cohort) => (
                <li key={cohort.id}>
                  <Link
                    href={`/project/${projectId}/cohorts/${cohort.id}` as Route}
                    className="break-words hover:underline"
                  >
                    {cohort.name}
                  </Link>
                  {cohort.is_static ? <span className="text-faint text-xs"> list</span> : null}
                </li>
              ))}
            </ul>
          )}
        </Card>
        <Card
          title="Distinct ids"
          description="Events and flags under any of these belong to this person. Up to 100 are listed."
        >
          <ul className="flex flex-col gap-1">
            {distinctIds.map((each) => (
              <li key={each} className="min-w-0">
                <Copyable text={each} label="distinct id" />
              </li>
            ))}
          </ul>
          <p className="mt-3 mb-1 text-faint text-xs">UUID of the person</p>
          <Copyable text={id} label="UUID" />
        </Card>
      </div>
    </div>
  );
}
