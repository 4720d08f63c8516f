import { StoreFullError, StoreUnreachableError } from '../database/store-errors.ts'

/** Another agent took over what this one had, because its lease had run out. This agent must end. */
export class LeaseLostError extends StoreUnreachableError {}

/** Of our own SQL functions: the epoch of this agent is over. */
const leaseLost = 'MA001'
/** Of our own SQL functions: the agent has another connection. */
const connectionGivenUp = 'MA002'
const insufficientResources = '53'
/** Too many connections: another server or another moment may have room. */
const tooManyConnections = '53300'
/** A server that became a standby. */
const readOnly = '25006'
/** The routine of the server that finds a plan outdated, because a newer agent has changed the schema. */
const planOutdated = 'RevalidateCachedQuery'
/**
 * Classes of errors after which the session is of no use: connection, shutdown and crash of the server, its own failure. And
 * one of another statement's fault: a transaction that was rolled back, such as for a lock of an administrator.
 */
const lostClasses = ['08', '40', '57', '58', 'XX']

/** What the failure of a statement means. An error that only this statement has is returned as it is: a bug. */
export function errorOfStatement(error: unknown): unknown {
  const { code, routine, message } = error as { code?: string; routine?: string; message: string }
  const isOfServer = error instanceof Error && 'severity' in error && code !== undefined
  if (!isOfServer) return new StoreUnreachableError(message, { cause: error })
  if (code === leaseLost) return new LeaseLostError(message, { cause: error })
  if (code.startsWith(insufficientResources) && code !== tooManyConnections)
    return new StoreFullError(code, error, 'SERVICE_STORE_URL')
  const isLost =
    [readOnly, tooManyConnections, connectionGivenUp].includes(code) ||
    lostClasses.includes(code.slice(0, 2)) ||
    routine === planOutdated
  return isLost ? new StoreUnreachableError(message, { cause: error }) : error
}
