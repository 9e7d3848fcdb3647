"use client";

import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import type { ProjectActions } from "#app/project/[project_id]/settings/project/project-actions.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { attempt } from "#components/kit/action.ts";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Field, FieldError } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";

type Props = {
  project: { id: number; name: string; api_token: string };
  /** To replace tokens; for administrators. */
  access: Access;
  /** To see the secret key. */
  secretAccess: Access;
  actions: ProjectActions;
};

const HIDDEN = "phs_••••••••••••••••••••••••";

/** What SDKs name the project by, and what servers prove themselves with. */
export function TokensCard({ project, access, secretAccess, actions }: Props) {
  const [dialog, setDialog] = useState<"token" | "secret">();
  const [secret, setSecret] = useState<string | null>(null);
  const id = String(project.id);
  return (
    <Card title="Tokens">
      <div className="flex flex-col gap-5">
        <Field
          label="Project token"
          description="Safe to ship in websites and apps: it can only evaluate flags and send events."
        >
          <span className="flex gap-2">
            <Input readOnly mono value={project.api_token} className="min-w-0 flex-1" />
            <CopyButton text={project.api_token} label="Copy project token" size="md" />
            <ReplaceButton access={access} onClick={() => setDialog("token")} label="Reset…" />
          </span>
        </Field>
        <Secret
          {...{ id, secret, setSecret, actions }}
          access={secretAccess}
          replace={<ReplaceButton access={access} onClick={() => setDialog("secret")} label="Rotate…" />}
        />
      </div>
      {dialog === "token" ? (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && setDialog(undefined)}
          title="Reset the project token?"
          description="Websites and apps with the old token immediately stop getting flags and sending events, until you release them with the new one. Mobile apps can take weeks."
          confirmLabel="Reset token"
          danger
          typeToConfirm={project.name}
          onConfirm={async () => {
            const result = await attempt(() => actions.resetToken(id));
            if (!result.ok) return result.error.detail;
            toast.success("The project has a new token");
            return undefined;
          }}
        />
      ) : null}
      {dialog === "secret" ? (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && setDialog(undefined)}
          title="Rotate the secret key?"
          description="The old key stops working immediately. Servers that use it for local evaluation keep their current flags and get no updates until they have the new one."
          confirmLabel="Rotate key"
          danger
          typeToConfirm={project.name}
          onConfirm={async () => {
            const result = await attempt(() => actions.rotateSecret(id));
            if (!result.ok) return result.error.detail;
            setSecret(result.data);
            toast.success("The project has a new secret key");
            return undefined;
          }}
        />
      ) : null}
    </Card>
  );
}

function ReplaceButton({ access, onClick, label }: { access: Access; onClick: () => void; label: string }) {
  return (
    <Permit access={access}>
      <Button {...refused(access)} onClick={() => access.may_write && onClick()}>
        {label}
      </Button>
    </Permit>
  );
}

type SecretProps = Pick<Props, "access" | "actions"> & {
  id: string;
  secret: string | null;
  setSecret: (secret: string | null) => void;
  replace: React.ReactNode;
};

function Secret({ id, secret, setSecret, access, actions, replace }: SecretProps) {
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  async function toggle() {
    if (!access.may_write) return;
    if (secret !== null) return setSecret(null);
    setPending(true);
    const result = await attempt(() => actions.revealSecret(id));
    setPending(false);
    if (!result.ok) return setProblem(result.error.detail);
    setProblem(result.data === null ? "Your API key cannot see it." : undefined);
    setSecret(result.data);
  }
  return (
    <div className="flex flex-col gap-1">
      <Field
        label="Secret key"
        description="For servers that evaluate flags locally. It exposes all definitions: never ship it in code that leaves your servers."
      >
        <span className="flex flex-wrap gap-2">
          <Input readOnly mono value={secret ?? HIDDEN} className="min-w-48 flex-1" />
          {secret === null ? null : <CopyButton text={secret} label="Copy secret key" size="md" />}
          <Permit access={access}>
            <Button
              icon={secret === null ? Eye : EyeOff}
              loading={pending}
              onClick={toggle}
              {...refused(access)}
            >
              {secret === null ? "Reveal" : "Hide"}
            </Button>
          </Permit>
          {replace}
        </span>
      </Field>
      <FieldError>{problem}</FieldError>
    </div>
  );
}
