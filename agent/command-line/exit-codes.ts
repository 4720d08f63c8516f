/** The exit codes, for shells and service managers. */
export const exitCodes = {
  ok: 0,
  /** `call`: the call was refused. `run`: the disk failed, or a bug of the agent. */
  refused: 1,
  /** Wrong usage or configuration, or the port is taken. */
  usage: 2,
  /** Another agent uses the spool or the state. */
  locked: 3,
} as const
