/** Where an agent takes calls. */
export interface CallDoor {
  readonly address: string
  /** Undefined for an agent that has none. */
  readonly token: string | undefined
}

/** The header that shows its token; none for an agent that has none. */
export function authorization({ token }: Pick<CallDoor, 'token'>): readonly string[] {
  return token === undefined ? [] : ['authorization', `Bearer ${token}`]
}
