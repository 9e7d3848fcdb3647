import { Card } from "#components/ui/display/card.tsx";
import { Code, CodeBlock } from "#components/ui/display/code-block.tsx";

/** How to start a relay of this server. */
export function RelayCard({ publicKey, address }: { publicKey: string; address: string }) {
  const command = `RELAY_KEY=phx_… \\
RELAY_PUBLIC_KEY=${publicKey} \\
node lib/app/server/start.ts --relay ${address}`;
  return (
    <Card
      id="relay"
      title="Relays"
      description="A relay runs near your applications, answers their SDKs, and keeps answering while this server cannot be reached."
    >
      <div className="flex flex-col gap-4 text-sm">
        <p>
          To start one, use an administrator’s personal API key with the scope <Code>relay:read</Code>,
          restricted to the projects that the relay is to serve.
        </p>
        <CodeBlock title="Start a relay" code={command} />
        <p className="text-muted">
          The public key is not a secret: the relay uses it to check that its data comes from this server. It
          changes only with <Code>ENCRYPTION_KEY</Code>.
        </p>
      </div>
    </Card>
  );
}
