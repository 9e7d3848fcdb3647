/** Who is signed in, as the frame shows it. */
export type SignedIn = { name: string; email: string };

/** A project to switch to. */
export type ProjectChoice = { id: number; name: string };
