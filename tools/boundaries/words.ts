/** Words that this project does not use in the sense given, and what to write instead. */
export const WORDS: readonly { word: RegExp; better: string }[] = [
  { word: /\bdeeds?\b/i, better: "action" },
  { word: /\bhappenings?\b/i, better: "event" },
  { word: /\banew\b/i, better: "again" },
  { word: /\bmend(s|ed|ing)?\b/i, better: "fix" },
  { word: /\b(put|puts|putting) away\b/i, better: "archive" },
  { word: /\bears?\b/i, better: "subscription" },
  { word: /\b(is|are|was|were) told\b|\btold (of|by|as|apart)\b/i, better: "reported, recorded" },
  { word: /\bstands? (on|above|at|there|beside|behind)\b/i, better: "is" },
  { word: /\b(brought|bring) back\b/i, better: "restore" },
  { word: /\bnews\b|[a-z]News\b/, better: "delta, or change by somebody else" },
  { word: /\bkept[A-Z]|\bkept-(store|members|note)/, better: "stored, or rollup, in names" },
  { word: /\btogether-|[a-z]Together\b/, better: "acrossSurveys, in names" },
  { word: /\bDeeds?[A-Z]|[a-z]Deeds?\b/, better: "action, in names" },
  { word: /\b(tally|record)Happening|[a-z]Happenings?\b/, better: "event, in names" },
];
