"use client";

import { Kbd } from "#components/ui/display/kbd.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Switch } from "#components/ui/form/switch.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import { type Shortcut, useShortcuts } from "#components/ui/overlay/shortcuts.tsx";

const ORDER = ["Anywhere", "Go to", "Lists", "This page"];

type ShortcutsDialogProps = { open: boolean; onOpenChange: (open: boolean) => void };

/** Every key that works on the page behind it. */
export function ShortcutsDialog({ open, onOpenChange }: ShortcutsDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Keyboard shortcuts"
      description="Single-key shortcuts are off while you type or a dialog is open."
      aside={<SingleKeys />}
    >
      <ShortcutLists />
    </Dialog>
  );
}

function ShortcutLists() {
  const all = effective(useShortcuts().list());
  const groups = [...new Set([...ORDER, ...all.map((each) => each.group)])];
  return (
    <div className="columns-1 gap-8 sm:columns-2">
      {groups.map((group) => {
        const shortcuts = all.filter((each) => each.group === group);
        if (shortcuts.length === 0) return null;
        return (
          <section key={group} className="mb-5 break-inside-avoid">
            <h3 className="mb-1 font-medium text-faint text-xs">{group}</h3>
            <dl>
              {shortcuts.map((each) => (
                <div key={each.keys} className="flex items-center justify-between gap-4 py-1 text-sm">
                  <dt>{each.label}</dt>
                  <dd>
                    <Kbd keys={each.keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        );
      })}
    </div>
  );
}

/** Of several with the same keys the last works: a page's own replaces the global one. */
const effective = (shortcuts: Shortcut[]) => [
  ...new Map(shortcuts.map((each) => [each.keys, each])).values(),
];

function SingleKeys() {
  const { enabled, setEnabled } = useShortcuts();
  return (
    <Field label="Single-key shortcuts" className="flex-row items-center gap-3 [&_label]:text-xs">
      <Switch checked={enabled} onCheckedChange={setEnabled} />
    </Field>
  );
}
