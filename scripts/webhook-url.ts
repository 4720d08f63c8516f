import { readFileSync } from 'node:fs'

/**
 * Tells the stub where an agent receives the webhooks of a game server. The agent may have taken a free port, so its log
 * is asked. A real platform is given a fixed address.
 *
 * @param logFile The log of an agent that listens.
 */
export async function sendWebhooksToAgent(stubUrl: string, gameServerId: number, logFile: string): Promise<void> {
  const webhookUrl = /"url":"([^"]+)","msg":"listening for webhooks"/.exec(readFileSync(logFile, 'utf8'))?.[1]
  const response = await fetch(`${stubUrl}/stub/game-servers/${gameServerId}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ webhookUrl }),
  })
  if (!response.ok) throw new Error(`the stub refused ${webhookUrl}: ${await response.text()}`)
}
