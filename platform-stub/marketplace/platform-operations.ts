import { operations, type PlatformOperation, type PlatformOperationName } from '../../contract/operations.ts'

/** One operation that is a route of the platform, with its name. */
export interface NamedOperation {
  readonly name: PlatformOperationName
  readonly operation: PlatformOperation
}

/** Every operation that is a route of the platform, in the contract's order; the agent's own are not among them. */
export const platformOperations: readonly NamedOperation[] = Object.entries(operations).flatMap(([name, operation]) =>
  operation.kind === 'platform' ? [{ name: name as PlatformOperationName, operation }] : [],
)

/** Their names. */
export const platformOperationNames: readonly PlatformOperationName[] = platformOperations.map(({ name }) => name)
