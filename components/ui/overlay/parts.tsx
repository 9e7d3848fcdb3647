/** Everything that opens over a page, in one file that loads after it. */

export { ComboboxBox } from "./parts/combobox-box.tsx";
export { ConfirmBox } from "./parts/confirm-box.tsx";
export { DialogBox } from "./parts/dialog-box.tsx";
export { MenuBox } from "./parts/menu-box.tsx";
export { PopoverBox } from "./parts/popover-box.tsx";
export { SelectBox } from "./parts/select-box.tsx";
