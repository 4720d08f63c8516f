/** What a caller must show to an agent. The staff may change it. */
export interface CallAccess {
  /** Undefined for an agent that asks for none. */
  token: string | undefined
}

/** Until it is changed. */
export const firstCallToken = 'call-token'

/** Where an agent takes calls. */
export interface CallDoor {
  readonly address: string
  readonly access: Readonly<CallAccess>
}

/** The header that shows its token; none for an agent that has none. */
export function authorization({ access: { token } }: Pick<CallDoor, 'access'>): readonly string[] {
  const shown = bearer(token)
  return shown === undefined ? [] : ['authorization', shown]
}

/** How a token is shown. */
export function bearer(token: string | undefined): string | undefined {
  return token && `Bearer ${token}`
}
