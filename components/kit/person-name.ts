/** The display name of a person. */
export const personName = (person: { first_name: string; email: string | null } | null): string | null =>
  person ? person.first_name || person.email : null;
