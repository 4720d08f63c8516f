import { isUnfinished } from '../durable-files/replace-file.ts'

/**
 * The names in a spool's outbox and what they say of a request. A file is a request when its name is `<id>.json`; every
 * other name is somebody else's, or one of the agent's own.
 */
const requestName = /^([A-Za-z0-9][A-Za-z0-9._-]{0,127})\.json$/
const claimName = /^([A-Za-z0-9][A-Za-z0-9._-]{0,127})\.json\.claim-([A-Za-z0-9-]{1,64})$/
const doneName = /^([A-Za-z0-9][A-Za-z0-9._-]{0,127})\.json\.done$/
const rejectedName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}\.json\.rejected$/
const unreadName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}\.json\.unread(?:\.\d+)?$/

/** Names that Windows keeps for devices, with any extension, on whatever drive. */
const deviceName = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i

/** The id of a request file; undefined for any other name. */
export function idOfRequest(name: string): string | undefined {
  return requestName.exec(name)?.[1]
}

/** Whether an id names a device on Windows: a file called so would open it. */
export function isDeviceName(id: string): boolean {
  return deviceName.test(id)
}

/** A request that was refused as a file, and is kept for a while. */
export function isRejected(name: string): boolean {
  return rejectedName.test(name)
}

/** An answer that nobody read before its id was claimed again. */
export function isUnread(name: string): boolean {
  return unreadName.test(name)
}

/** What the agent itself left: a claim, an answer that is written and not shown, a file that it was writing. */
export type Leftover =
  | { readonly kind: 'claim'; readonly id: string; readonly owner: string }
  | { readonly kind: 'done'; readonly id: string }
  | { readonly kind: 'temporary' }

/** What a name says that the agent itself left; undefined for any other name. */
export function leftoverOf(name: string): Leftover | undefined {
  const claim = claimName.exec(name)
  if (claim?.[1] !== undefined && claim[2] !== undefined) return { kind: 'claim', id: claim[1], owner: claim[2] }
  const done = doneName.exec(name)
  if (done?.[1] !== undefined) return { kind: 'done', id: done[1] }
  return isUnfinished(name) ? { kind: 'temporary' } : undefined
}
