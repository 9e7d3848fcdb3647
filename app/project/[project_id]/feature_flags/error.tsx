"use client";

import { FlagProblem } from "#components/feature_flags/flag_problem.tsx";

export default function FlagsError({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  return <FlagProblem error={error} reset={reset} />;
}
