import type { IncomingMessage } from 'node:http'
import { controlObstacle } from '../../developer/control/guard.ts'
import { type Refusal, refuse } from '../../marketplace/refusal.ts'

/**
 * The reason why a request may not see the console; undefined if it may. The rules are those of the control routes, except
 * that a link on another page may lead here: the person then sees the console, and that page sees nothing.
 *
 * @param developerUrl The address that the console listens on.
 */
export function consoleObstacle(incoming: IncomingMessage, developerUrl: string): Refusal | undefined {
  const obstacle = controlObstacle(incoming, developerUrl)
  if (!obstacle) return undefined
  const isFollowedLink =
    incoming.headers['sec-fetch-mode'] === 'navigate' &&
    incoming.headers['sec-fetch-dest'] === 'document' &&
    incoming.headers.origin === undefined
  return obstacle === 'CONTROL_FOREIGN_ORIGIN' && isFollowedLink ? undefined : refuse(obstacle)
}
