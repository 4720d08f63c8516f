import type { StubClock } from '../../clock/clock.ts'
import type { Schedule } from '../../clock/schedule.ts'
import type { Faults } from '../../faults/faults.ts'
import type { AgentNote } from '../../marketplace/game-servers/agent-beside.ts'
import type { Directory } from '../../marketplace/game-servers/directory.ts'
import type { Platform } from '../../marketplace/platform.ts'
import type { Journal } from '../../partner-api/request-journal.ts'
import type { PlatformKeyRow } from '../../store/platform-row.ts'
import type { OneOffSender } from '../../webhooks/one-off.ts'
import type { PostWebhook } from '../../webhooks/webhook-post.ts'

/** What the control routes reach into beyond the platform's use cases. */
export interface ControlParts {
  readonly platform: Platform
  readonly directory: Directory
  readonly journal: Journal
  readonly agentNote: AgentNote
  readonly faults: Faults
  readonly clock: StubClock
  readonly schedule: Schedule
  readonly oneOffs: OneOffSender
  readonly post: PostWebhook
  readonly platformKey: () => Promise<PlatformKeyRow>
  /** The address that the control routes and the console listen on; known once they listen. */
  readonly developerUrl: () => string
  /** The address that the partner routes listen on, from this machine. */
  readonly partnerUrl: () => string
  /** Empties the database except game servers and keys. Inside a transaction. */
  readonly emptyTables: () => void
}
