"use client";

import { UserPlus } from "lucide-react";
import { useState } from "react";
import type { ProjectActions } from "#app/project/[project_id]/settings/project/project-actions.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { findProblem } from "#components/kit/action.ts";
import { LEVELS, levelInWords } from "#components/projects/levels.ts";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Avatar } from "#components/ui/display/avatar.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { MemberRecord } from "#lib/identity/organizations/schema.ts";
import { AddMemberDialog } from "./add-member-dialog.tsx";

type Props = {
  organization: { id: string; name: string; level: number };
  members: readonly MemberRecord[];
  /** How many there are in all. */
  count: number;
  /** Address of the person who is signed in. */
  me: string | null;
  access: Access;
  actions: ProjectActions;
};

const nameOf = ({ user }: MemberRecord) => `${user.first_name} ${user.last_name}`.trim() || user.email;

/** Who works here, at which level. */
export function MembersCard({ organization, members, count, me, access, actions }: Props) {
  const [adding, setAdding] = useState(false);
  const [deactivating, setDeactivating] = useState<MemberRecord>();

  async function change(member: MemberRecord, body: { level?: 1 | 8 | 15; is_active?: boolean }) {
    return findProblem(() => actions.updateMember(organization.id, member.user.uuid, body));
  }
  async function changeLevel(member: MemberRecord, text: string) {
    const level = Number(text) as 1 | 8 | 15;
    const problem = await change(member, { level });
    if (problem) return toast.error(problem);
    toast.withUndo(`${nameOf(member)} is ${levelInWords(level).toLowerCase()} now`, () =>
      change(member, { level: member.level as 1 | 8 | 15 }),
    );
  }
  async function activate(member: MemberRecord) {
    const problem = await change(member, { is_active: true });
    if (problem) toast.error(problem);
    else toast.success(`${nameOf(member)} is active again`);
  }
  return (
    <Card
      id="members"
      className="scroll-mt-16"
      title="Members"
      description={`Members of ${organization.name} can use all of its projects.`}
      padded={false}
      actions={
        <Permit access={access}>
          <Button
            size="sm"
            icon={UserPlus}
            {...refused(access)}
            onClick={() => access.may_write && setAdding(true)}
          >
            Add a member
          </Button>
        </Permit>
      }
    >
      <div className="border-t max-sm:p-3">
        <Table caption="Members" framed={false} minWidth="sm:min-w-[36rem]">
          <TableHead>
            <Th className="first:rounded-none">Member</Th>
            <Th>Level</Th>
            <Th className="last:rounded-none">
              <span className="sr-only">Actions</span>
            </Th>
          </TableHead>
          <TableBody>
            {members.map((member) => (
              <Tr key={member.user.uuid} dimmed={!member.is_active}>
                <Td place="title">
                  <span className="flex min-w-0 items-center gap-2.5">
                    <Avatar name={nameOf(member)} />
                    <span className="flex min-w-0 flex-col">
                      <span className="flex flex-wrap items-center gap-1.5 font-medium">
                        {nameOf(member)}
                        {member.user.email === me ? <Badge tone="accent">You</Badge> : null}
                        {member.is_active ? null : <Badge tone="warning">Deactivated</Badge>}
                      </span>
                      <span className="break-all text-faint text-xs">{member.user.email}</span>
                    </span>
                  </span>
                </Td>
                <Td label="Level" className="sm:w-44">
                  <Level
                    member={member}
                    own={organization.level}
                    fixed={!access.may_write || member.user.email === me || member.level > organization.level}
                    onLevel={(level) => changeLevel(member, level)}
                  />
                </Td>
                <Td align="right" className="sm:w-28">
                  {access.may_write && member.user.email !== me && member.level <= organization.level ? (
                    <Button
                      size="sm"
                      variant={member.is_active ? "danger-ghost" : "secondary"}
                      onClick={() => (member.is_active ? setDeactivating(member) : activate(member))}
                    >
                      {member.is_active ? "Deactivate" : "Activate"}
                      <span className="sr-only"> {nameOf(member)}</span>
                    </Button>
                  ) : null}
                </Td>
              </Tr>
            ))}
          </TableBody>
        </Table>
        {count > members.length ? (
          <p className="px-4 py-2 text-muted text-xs">{`${members.length} of ${count} members are shown.`}</p>
        ) : null}
      </div>
      {adding ? (
        <AddMemberDialog organization={organization} actions={actions} onClose={() => setAdding(false)} />
      ) : null}
      {deactivating ? (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && setDeactivating(undefined)}
          title={`Deactivate ${nameOf(deactivating)}?`}
          description="This person’s API keys stop working from the next call on, until the person is activated again. What they created stays."
          confirmLabel="Deactivate"
          danger
          onConfirm={async () => {
            const problem = await change(deactivating, { is_active: false });
            if (problem) return problem;
            toast.withUndo(`${nameOf(deactivating)} was deactivated`, () =>
              change(deactivating, { is_active: true }),
            );
            return undefined;
          }}
        />
      ) : null}
    </Card>
  );
}

type LevelProps = { member: MemberRecord; own: number; fixed: boolean; onLevel: (level: string) => void };

function Level({ member, own, fixed, onLevel }: LevelProps) {
  if (fixed) return <span className="text-muted text-sm">{levelInWords(member.level)}</span>;
  return (
    <Select
      size="sm"
      label={`Level of ${nameOf(member)}`}
      value={String(member.level)}
      onValueChange={onLevel}
      options={LEVELS.map((level) => ({ ...level, disabled: Number(level.value) > own }))}
    />
  );
}
