import type { LucideIcon } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { Spinner } from "#components/ui/display/spinner.tsx";
import { type ButtonSize, type ButtonVariant, buttonClass } from "./button-class.ts";
import { cn } from "./cn.ts";
import { Link } from "./link.tsx";

type Look = { variant?: ButtonVariant; size?: ButtonSize; icon?: LucideIcon };

export type ButtonProps = ComponentProps<"button"> &
  Look & {
    /** Shows a spinner in place of the label, keeps the width, and ignores presses. */
    loading?: boolean;
  };

/** A press that does something. What goes somewhere is a `ButtonLink`. */
export function Button({
  variant,
  size,
  icon: Icon,
  loading = false,
  className,
  children,
  type = "button",
  onClick,
  ...props
}: ButtonProps) {
  return (
    <button
      {...props}
      // A disabled button would drop the focus; a busy one keeps it.
      type={loading && type === "submit" ? "button" : type}
      aria-busy={loading || undefined}
      aria-disabled={loading || props["aria-disabled"]}
      onClick={loading ? undefined : onClick}
      className={cn(buttonClass(variant, size), loading && "aria-disabled:opacity-100", className)}
    >
      <Face icon={Icon} loading={loading}>
        {children}
      </Face>
    </button>
  );
}

function Face({
  icon: Icon,
  loading,
  children,
}: {
  icon?: LucideIcon;
  loading: boolean;
  children: ReactNode;
}) {
  if (!loading) {
    return (
      <>
        {Icon ? <Icon aria-hidden="true" /> : null}
        {children}
      </>
    );
  }
  return (
    <>
      <span className="contents [&>*]:opacity-0">
        {Icon ? <Icon aria-hidden="true" /> : null}
        <span className="inline-flex items-center gap-[inherit]">{children}</span>
      </span>
      <span className="absolute inset-0 grid place-items-center">
        <Spinner />
      </span>
    </>
  );
}

export type ButtonLinkProps = ComponentProps<typeof Link> & Look;

/** A link that looks like a button. */
export function ButtonLink({ variant, size, icon: Icon, className, children, ...props }: ButtonLinkProps) {
  return (
    <Link {...props} className={cn(buttonClass(variant, size), className)}>
      {Icon ? <Icon aria-hidden="true" /> : null}
      {children}
    </Link>
  );
}
