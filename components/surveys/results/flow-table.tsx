import type { Links } from "#components/surveys/results/filters/results-query.ts";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { formatCount, formatPercent } from "#lib/platform/format.ts";
import type { QuestionFigures } from "#lib/surveys/results/schema.ts";
import { OpenLink } from "./open-link.tsx";

type Props = { questions: readonly QuestionFigures[]; links: Links };

/** Each question with its reached, answered, skipped and stopped counts. */
export function FlowTable({ questions, links }: Props) {
  return (
    <Table caption="Where people stop" framed={false} minWidth="sm:min-w-[40rem]">
      <TableHead>
        <Th>Question</Th>
        <Th align="right">Reached</Th>
        <Th align="right">Answered</Th>
        <Th align="right">Skipped</Th>
        <Th align="right">Stopped here</Th>
        <Th align="right">Stopping rate</Th>
      </TableHead>
      <TableBody>
        {questions.map((question) => (
          <Tr key={question.question_id}>
            <Td place="title" className="max-w-96">
              <span className="tabular mr-2 text-faint">{question.question_index + 1}</span>
              <span className="break-words">{question.question}</span>
            </Td>
            {(["reached", "answered", "skipped", "left"] as const).map((column) => (
              <Td key={column} align="right" label={NAMES[column]}>
                <OpenLink href={links.open(question[column].rows, `${NAMES[column]}: ${question.question}`)}>
                  {formatCount(question[column].count)}
                </OpenLink>
              </Td>
            ))}
            <Td align="right" label="Stopping rate" className="tabular">
              {question.reached.count > 0 ? formatPercent(question.left.count / question.reached.count) : "–"}
            </Td>
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}

const NAMES = { reached: "Reached", answered: "Answered", skipped: "Skipped", left: "Stopped here" } as const;
