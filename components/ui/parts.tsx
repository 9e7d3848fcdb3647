import { ConfirmBox } from "./confirm-box.tsx";
import { ComboboxBox } from "./form/combobox-box.tsx";
import { SelectBox } from "./form/select-box.tsx";
import { DialogBox } from "./overlay/parts/dialog-box.tsx";
import { MenuBox } from "./overlay/parts/menu-box.tsx";
import { PopoverBox } from "./overlay/parts/popover-box.tsx";

/** Everything that opens over a page, in one file that loads after it. */
export const PARTS = { ComboboxBox, ConfirmBox, DialogBox, MenuBox, PopoverBox, SelectBox };
