"use client";

import { RadioCards } from "#components/ui/form/radio-cards.tsx";

/** A part that two editors have changed differently, in words. */
export type PartConflict = { part: string; what: string; mine: string; theirs: string };

type Props = {
  conflicts: readonly PartConflict[];
  /** The parts in which the other's version is kept. */
  theirs: ReadonlySet<string>;
  onTheirs: (theirs: ReadonlySet<string>) => void;
};

/** Which version to keep, for each part that two editors have changed; one's own unless chosen otherwise. */
export function PartChoices({ conflicts, theirs, onTheirs }: Props) {
  const others = (part: string) => [...theirs].filter((each) => each !== part);
  return conflicts.map(({ part, what, ...texts }) => (
    <section key={part} className="flex flex-col gap-1.5">
      <h4 className="text-muted text-xs">{what}: you both changed this</h4>
      <RadioCards
        label={`${what}: which version to keep`}
        columns={2}
        value={theirs.has(part) ? "theirs" : "mine"}
        onValueChange={(side) => onTheirs(new Set(side === "theirs" ? [...theirs, part] : others(part)))}
        options={[
          { value: "mine", label: "Yours", description: <Text>{texts.mine}</Text> },
          { value: "theirs", label: "Theirs", description: <Text>{texts.theirs}</Text> },
        ]}
      />
    </section>
  ));
}

const Text = ({ children }: { children: string }) => (
  <span className="line-clamp-6 whitespace-pre-line break-words">{children}</span>
);
