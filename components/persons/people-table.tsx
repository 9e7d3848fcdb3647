import type { Route } from "next";
import { Avatar } from "#components/ui/display/avatar.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { Link } from "#components/ui/link.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";
import { ValueText } from "./value-text.tsx";

export type ListedPerson = {
  id: string;
  name?: string;
  distinct_ids: readonly string[];
  properties: Readonly<Record<string, unknown>>;
  created_at: string;
};

type Props = {
  projectId: string;
  people: readonly ListedPerson[];
  columns: readonly string[];
  caption: string;
  /** A last cell for each person, such as a button. */
  action?: (person: ListedPerson) => React.ReactNode;
};

/** Display name of a person, as in the API: email address, else name, else an id. */
export const nameOf = (person: ListedPerson): string => {
  const { email, name } = person.properties;
  if (person.name) return person.name;
  const label = [email, name].find((each) => typeof each === "string" && each !== "");
  return String(label ?? person.distinct_ids[0] ?? person.id);
};

/** People with some of their properties. */
export function PeopleTable({ projectId, people, columns, caption, action }: Props) {
  return (
    <RowKeys noun="person">
      <Table caption={caption} minWidth="sm:min-w-[44rem]">
        <TableHead>
          <Th>Person</Th>
          {columns.map((column) => (
            <Th key={column}>{column}</Th>
          ))}
          <Th>First seen</Th>
          {action ? (
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          ) : null}
        </TableHead>
        <TableBody>
          {people.map((person) => (
            <Tr key={person.id}>
              <Td place="title" className={action ? undefined : "max-sm:pr-0"}>
                <span className="flex min-w-0 items-center gap-2.5">
                  <Avatar name={nameOf(person)} />
                  <span className="flex min-w-0 flex-col">
                    <Link
                      href={`/project/${projectId}/persons/${person.id}` as Route}
                      data-row-link=""
                      className="break-all font-medium hover:underline"
                    >
                      {nameOf(person)}
                    </Link>
                    <IdsText person={person} />
                  </span>
                </span>
              </Td>
              {columns.map((column) => (
                <Td key={column} label={column} className="text-xs">
                  <ValueText value={person.properties[column]} />
                </Td>
              ))}
              <Td label="First seen" className="whitespace-nowrap text-muted text-xs">
                <RelativeTime date={person.created_at} />
              </Td>
              {action ? (
                <Td place="corner" align="right">
                  {action(person)}
                </Td>
              ) : null}
            </Tr>
          ))}
        </TableBody>
      </Table>
    </RowKeys>
  );
}

function IdsText({ person }: { person: ListedPerson }) {
  const others = person.distinct_ids.filter((id) => id !== nameOf(person));
  if (others.length === 0) return null;
  return (
    <span className="truncate font-mono text-2xs text-faint" title={others.join(", ")}>
      {others[0]}
      {others.length > 1 ? ` and ${others.length - 1} more` : ""}
    </span>
  );
}
