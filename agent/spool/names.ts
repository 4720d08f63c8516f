import { isUnfinished } from '../durable-files/replace-file.ts'

/**
 * The names in a spool. A file is a request when its name is `<id>.json`. Other names are the agent's own, or belong to
 * other programs.
 */
const requestName = /^([A-Za-z0-9][A-Za-z0-9._-]{0,127})\.json$/
const claimName = /^([A-Za-z0-9][A-Za-z0-9._-]{0,127})\.json\.claim-([A-Za-z0-9-]{1,64})$/
const doneName = /^([A-Za-z0-9][A-Za-z0-9._-]{0,127})\.json\.done$/
const rejectedName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}\.json\.rejected$/
const unreadName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}\.json\.unread(?:\.\d+)?$/
/** Windows reserves these names for devices, with any extension, on every drive. */
const deviceName = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i
const nameLikeRequest = /^[^.].*\.(?:json|txt)$/i

/** The id of a request file; undefined for any other name. */
export function idOfRequest(name: string): string | undefined {
  return requestName.exec(name)?.[1]
}

/** Whether a name was probably meant for a request: `my request.json`, `x.JSON`, `x.txt`. */
export function isLikeRequest(name: string): boolean {
  return nameLikeRequest.test(name)
}

/** Whether an id is the name of a device on Windows. */
export function isDeviceName(id: string): boolean {
  return deviceName.test(id)
}

/** Whether the file is a request that was refused as a file. It is kept for a while. */
export function isRejected(name: string): boolean {
  return rejectedName.test(name)
}

/** Whether the file is an answer that was still unread when its id was claimed again. */
export function isUnread(name: string): boolean {
  return unreadName.test(name)
}

/** A file that only the agent makes: a claim, an answer that is written and not published, or a temporary file. */
export type OwnFile =
  | { readonly kind: 'claim'; readonly id: string; readonly owner: string }
  | { readonly kind: 'done'; readonly id: string }
  | { readonly kind: 'temporary' }

/** The agent's own file with this name; undefined for any other name. */
export function ownFileOf(name: string): OwnFile | undefined {
  const claim = claimName.exec(name)
  if (claim?.[1] !== undefined && claim[2] !== undefined) return { kind: 'claim', id: claim[1], owner: claim[2] }
  const done = doneName.exec(name)
  if (done?.[1] !== undefined) return { kind: 'done', id: done[1] }
  return isUnfinished(name) ? { kind: 'temporary' } : undefined
}
