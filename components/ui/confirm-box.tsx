import * as Radix from "@radix-ui/react-alert-dialog";
import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { buttonClass } from "#components/ui/button-class.ts";
import { cn } from "#components/ui/cn.ts";
import { Field, FieldError } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { modalClass, scrimClass } from "#components/ui/overlay/boxes.ts";
import { LayerContext } from "#components/ui/overlay/layer.tsx";
import { useFocusBack } from "./overlay/parts/use-focus-back.ts";

export type ConfirmBoxProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  /** What it affects, in full: lists, diffs, counts. */
  children?: ReactNode;
  /** Names the action: "Delete flag", never "OK". */
  confirmLabel: string;
  cancelLabel?: string;
  danger?: boolean;
  /** The person has to type this (a flag's key) before the button works. */
  typeToConfirm?: string | undefined;
  /** Whether it cannot be confirmed at all: it is impossible, or its effects are not known yet. */
  blocked?: boolean;
  /** Opens a proposal of the action, for others to decide. */
  onPropose?: () => void;
  /** Runs the action. The dialog waits for it, closes when it resolves to nothing, shows a returned problem. */
  onConfirm: () => Promise<string | undefined> | string | undefined;
};

/** The dialog itself. */
export function ConfirmBox(props: ConfirmBoxProps) {
  const [layer, setLayer] = useState<HTMLElement | null>(null);
  const focusBack = useFocusBack();
  return (
    <Radix.Root open={props.open} onOpenChange={props.onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={scrimClass} />
        <Radix.Content
          ref={setLayer}
          {...focusBack}
          {...(props.description ? {} : { "aria-describedby": undefined })}
          className={cn(modalClass, "sm:max-w-md")}
        >
          <LayerContext value={layer}>
            <ConfirmForm {...props} close={() => props.onOpenChange(false)} />
          </LayerContext>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function ConfirmForm(props: ConfirmBoxProps & { close: () => void }) {
  const { typeToConfirm, danger = false, children } = props;
  const [typed, setTyped] = useState("");
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const blocked = props.blocked === true || (typeToConfirm !== undefined && typed.trim() !== typeToConfirm);

  async function submit(event: FormEvent) {
    event.preventDefault();
    // A dialog inside a form must not submit that form as well.
    event.stopPropagation();
    if (blocked || pending) return;
    setPending(true);
    setProblem(undefined);
    try {
      const trouble = await props.onConfirm();
      if (trouble === undefined) props.close();
      setProblem(trouble);
    } catch {
      setProblem("That did not work. Nothing was changed; please try again.");
    } finally {
      setPending(false);
    }
  }

  return (
    <form onSubmit={submit} className="contents">
      <div className="flex min-h-0 flex-col gap-3 overflow-y-auto px-5 pt-4 pb-5">
        <div>
          <Radix.Title className="text-balance font-semibold text-lg">{props.title}</Radix.Title>
          {props.description ? (
            <Radix.Description className="mt-1 text-muted text-sm">{props.description}</Radix.Description>
          ) : null}
        </div>
        {children}
        {typeToConfirm === undefined ? null : (
          <Field
            label={
              <>
                Type <code className="rounded-xs bg-hover px-1 font-mono text-xs">{typeToConfirm}</code> to
                confirm
              </>
            }
          >
            <Input
              mono
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          </Field>
        )}
        <FieldError>{problem}</FieldError>
      </div>
      <footer className="flex flex-wrap justify-end gap-2 border-t bg-sunken px-5 py-3">
        {props.onPropose ? (
          <Button variant="ghost" className="mr-auto" onClick={props.onPropose}>
            Propose…
          </Button>
        ) : null}
        <Radix.Cancel className={buttonClass("secondary")}>{props.cancelLabel ?? "Cancel"}</Radix.Cancel>
        <Button type="submit" variant={danger ? "danger" : "primary"} loading={pending} disabled={blocked}>
          {props.confirmLabel}
        </Button>
      </footer>
    </form>
  );
}
