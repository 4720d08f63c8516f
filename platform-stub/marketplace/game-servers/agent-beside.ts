/** The agent that runs next to this stub, as the commands of the first sale name it. */
export interface AgentBeside {
  /** Where it takes calls, without a path. */
  readonly url: string
  /** Absolute; null where it takes no files. */
  readonly spoolDir: string | null
  /** Where it posts orders to; null where the game server asks for them or reads files. */
  readonly forwardUrl: string | null
}

/** Remembers which agent runs next to this stub, for as long as the stub runs. */
export interface AgentNote {
  /** Null until `PUT /stub/agent`. */
  read(): AgentBeside | null
  write(agent: AgentBeside): void
}

/** A note that says nothing yet. */
export function agentNote(): AgentNote {
  let noted: AgentBeside | null = null
  return {
    read: () => noted,
    write(agent) {
      noted = agent
    },
  }
}
