"use client";

import { FlagProblem } from "#components/feature_flags/detail/flag-problem.tsx";

export default function FlagsError({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  return <FlagProblem error={error} reset={reset} />;
}
