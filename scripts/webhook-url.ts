import { urlInLog } from './child-program.ts'

/**
 * Tells the stub where an agent receives the webhooks of a game server. The agent may have taken a free port, so its log
 * is asked. A real platform is given a fixed address.
 *
 * @param logFile The log of an agent that listens.
 */
export async function sendWebhooksToAgent(stubUrl: string, gameServerId: number, logFile: string): Promise<void> {
  return sendWebhooksTo(stubUrl, gameServerId, webhookUrlOf(logFile))
}

/** Where an agent that listens receives webhooks. */
export function webhookUrlOf(logFile: string): string | undefined {
  return urlInLog(logFile, 'listening for webhooks')
}

/** Tells the stub where to send the webhooks of a game server. */
export async function sendWebhooksTo(
  stubUrl: string,
  gameServerId: number,
  webhookUrl: string | undefined,
): Promise<void> {
  const response = await fetch(`${stubUrl}/stub/game-servers/${gameServerId}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ webhookUrl }),
  })
  if (!response.ok) throw new Error(`the stub refused ${webhookUrl}: ${await response.text()}`)
}
