import { ownFileOf } from '../../../../agent/spool/names.ts'

/** Whether a name in an outbox is that of the claim of a request. */
export function isClaimOf(id: string, name: string): boolean {
  const own = ownFileOf(name)
  return own?.kind === 'claim' && own.id === id
}
