import { Card } from "#components/ui/display/card.tsx";
import { Copyable } from "#components/ui/display/copyable.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { ValueText } from "./value-text.tsx";

type Props = { properties: Readonly<Record<string, unknown>>; distinctIds: readonly string[]; id: string };

/** What is known of a person, and the ids that they are known by. */
export function PersonProperties({ properties, distinctIds, id }: Props) {
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
  );
}
