"use client";

import {
  type CSSProperties,
  cloneElement,
  type FocusEvent,
  type HTMLAttributes,
  isValidElement,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { createPortal } from "react-dom";
import { Kbd } from "#components/ui/display/kbd.tsx";
import { useLayer } from "./layer.tsx";

type Side = "top" | "right" | "bottom" | "left";

type TooltipProps = {
  /** Short plain text. Never the only place where something is said. */
  content: ReactNode;
  /** A shortcut shown beside the text, for example `"g f"`. */
  keys?: string;
  side?: Side;
  /** The trigger: one focusable element. */
  children: ReactNode;
};

const DELAY_MS = 350;
/** Long enough to move the pointer onto the tip, and to the next button without another delay. */
const LINGER_MS = 150;
const GAP = 6;
const MARGIN = 8;

let lastHidden = Number.NEGATIVE_INFINITY;

type Box = { left: number; top: number; width: number; height: number };

/** Where a tip of this size goes beside its trigger: on the other side where there is no room, and in the window. */
function placeTip(
  side: Side,
  trigger: Box,
  tip: { width: number; height: number },
  space: { width: number; height: number },
) {
  const right = trigger.left + trigger.width;
  const bottom = trigger.top + trigger.height;
  const fits: Record<Side, boolean> = {
    top: trigger.top - GAP - tip.height >= MARGIN,
    bottom: bottom + GAP + tip.height <= space.height - MARGIN,
    left: trigger.left - GAP - tip.width >= MARGIN,
    right: right + GAP + tip.width <= space.width - MARGIN,
  };
  const opposite: Record<Side, Side> = { top: "bottom", bottom: "top", left: "right", right: "left" };
  const at = fits[side] || !fits[opposite[side]] ? side : opposite[side];
  const within = (value: number, size: number, room: number) =>
    Math.max(MARGIN, Math.min(value, room - MARGIN - size));
  const across = within(trigger.left + (trigger.width - tip.width) / 2, tip.width, space.width);
  const along = within(trigger.top + (trigger.height - tip.height) / 2, tip.height, space.height);
  if (at === "top") return { left: across, top: trigger.top - GAP - tip.height };
  if (at === "bottom") return { left: across, top: bottom + GAP };
  if (at === "left") return { left: trigger.left - GAP - tip.width, top: along };
  return { left: right + GAP, top: along };
}

type TriggerProps = HTMLAttributes<HTMLElement>;

/** Shows on hover and on keyboard focus; Escape hides it. The pointer may move onto it. */
export function Tooltip({ content, keys, side = "top", children }: TooltipProps): ReactNode {
  const [trigger, setTrigger] = useState<HTMLElement | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const id = useId();
  useEffect(() => () => clearTimeout(timer.current), []);
  if (!isValidElement<TriggerProps>(children)) throw new Error("A tooltip belongs to one element");
  const { props } = children;

  function change(next: HTMLElement | null, ms: number) {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setTrigger(next), ms);
  }
  function hide() {
    clearTimeout(timer.current);
    setTrigger(null);
  }
  const leave = () => change(null, LINGER_MS);
  return (
    <>
      {cloneElement(children, {
        "aria-describedby": [props["aria-describedby"], trigger && id].filter(Boolean).join(" ") || undefined,
        onPointerEnter: (event: PointerEvent<HTMLElement>) => {
          props.onPointerEnter?.(event);
          if (event.pointerType === "touch") return;
          change(event.currentTarget, event.timeStamp - lastHidden < LINGER_MS ? 0 : DELAY_MS);
        },
        onPointerLeave: (event: PointerEvent<HTMLElement>) => {
          props.onPointerLeave?.(event);
          leave();
        },
        onPointerDown: (event: PointerEvent<HTMLElement>) => {
          props.onPointerDown?.(event);
          hide();
        },
        onFocus: (event: FocusEvent<HTMLElement>) => {
          props.onFocus?.(event);
          if (event.currentTarget.matches(":focus-visible")) change(event.currentTarget, 0);
        },
        onBlur: (event: FocusEvent<HTMLElement>) => {
          props.onBlur?.(event);
          hide();
        },
      })}
      {trigger ? (
        <Tip
          id={id}
          trigger={trigger}
          side={side}
          onHide={hide}
          onPointerEnter={() => clearTimeout(timer.current)}
          onPointerLeave={leave}
        >
          {content}
          {keys ? <Kbd keys={keys} inverse /> : null}
        </Tip>
      ) : null}
    </>
  );
}

type TipProps = Pick<TriggerProps, "id" | "children" | "onPointerEnter" | "onPointerLeave"> & {
  trigger: HTMLElement;
  side: Side;
  onHide: () => void;
};

function Tip({ trigger, side, onHide, ...props }: TipProps) {
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<CSSProperties>({ visibility: "hidden" });
  const layer = useLayer();
  const latest = useRef(onHide);
  useLayoutEffect(() => {
    latest.current = onHide;
    const { offsetWidth: width, offsetHeight: height } = box.current ?? trigger;
    const { clientWidth, clientHeight } = document.documentElement;
    const space = { width: clientWidth, height: clientHeight };
    const next = placeTip(side, trigger.getBoundingClientRect(), { width, height }, space);
    setPlace((before) => (before.left === next.left && before.top === next.top ? before : next));
  });
  useEffect(() => {
    const hide = () => latest.current();
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Escape") hide();
    };
    document.addEventListener("keydown", onKeyDown, { capture: true });
    window.addEventListener("scroll", hide, { capture: true, passive: true });
    return () => {
      lastHidden = performance.now();
      document.removeEventListener("keydown", onKeyDown, { capture: true });
      window.removeEventListener("scroll", hide, { capture: true });
    };
  }, []);
  return createPortal(
    <div
      {...props}
      ref={box}
      role="tooltip"
      style={place}
      className="fixed z-50 flex w-max max-w-72 animate-fade-in items-center gap-2 rounded-sm bg-inverse px-2 py-1 text-on-inverse text-xs shadow-pop"
    />,
    layer ?? document.body,
  );
}
