/** What a shell or a service manager learns from the end of the program. */
export const exitCodes = {
  ok: 0,
  /** `call`: the call was refused. `run`: a fault of the agent itself. */
  refused: 1,
  /** Wrong usage or configuration, or the port is taken. */
  usage: 2,
  /** Spool or state are held by another agent. */
  held: 3,
} as const
