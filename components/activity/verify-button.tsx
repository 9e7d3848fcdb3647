"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState, useTransition } from "react";
import type { verifyLog } from "#app/project/[project_id]/activity/actions.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { attempt } from "#components/kit/action.ts";
import { Button } from "#components/ui/button.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";

type Props = { projectId: string; access: Access; verify: typeof verifyLog; isVerifying: boolean };

const LOOK_AGAIN_MS = 1_500;

/** Verifies the audit log; the page is read again until the result is there. */
export function VerifyButton({ projectId, access, verify, isVerifying }: Props) {
  const router = useRouter();
  const [busy, setBusy] = useState(false);
  const [isReading, startReading] = useTransition();
  useEffect(() => {
    // One reading at a time: a slow one is not cut off by the next.
    if (!isVerifying || isReading) return;
    const timer = setTimeout(() => startReading(() => router.refresh()), LOOK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isVerifying, isReading, router]);
  async function press() {
    if (!access.may_write) return;
    setBusy(true);
    const result = await attempt(() => verify(projectId));
    setBusy(false);
    if (!result.ok) toast.error(result.error.detail);
  }
  return (
    <Permit access={access}>
      <Button size="sm" loading={busy || isVerifying} onClick={press} {...refused(access)}>
        Verify now
      </Button>
    </Permit>
  );
}
