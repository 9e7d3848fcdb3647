import { GitPullRequest } from "lucide-react";
import { Button } from "#components/ui/button.tsx";

type Props = { onClick: () => void; size?: "sm" | "md"; disabled?: boolean };

/** Opens the proposal of what the button beside it would do. */
export const ProposeButton = ({ onClick, size = "md", disabled = false }: Props) => (
  <Button icon={GitPullRequest} size={size} disabled={disabled} onClick={onClick}>
    Propose…
  </Button>
);
