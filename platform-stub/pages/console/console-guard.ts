import type { IncomingMessage } from 'node:http'
import { controlObstacle } from '../../developer/control/guard.ts'
import { type Refusal, refuse } from '../../marketplace/refusal.ts'

/**
 * Why somebody may not see the console; undefined when he may. As for the control routes, except that a link on
 * another page may lead to it: following one shows the console to the person and nothing to that page.
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
