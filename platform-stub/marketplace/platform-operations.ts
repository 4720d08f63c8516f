import * as z from 'zod/mini'
import { operations, type PlatformOperation, type PlatformOperationName } from '../../contract/operations.ts'

/** One operation that is a route of the platform, with its name. */
export interface NamedOperation {
  readonly name: PlatformOperationName
  readonly operation: PlatformOperation
  /**
   * The fields of its input, and no others: the contract's schema lets unknown ones pass on the wire, and none of them
   * may reach a use case.
   */
  readonly input: z.ZodMiniObject
}

/** Every operation that is a route of the platform, in the contract's order; the agent's own are not among them. */
export const platformOperations: readonly NamedOperation[] = Object.entries(operations).flatMap(([name, operation]) =>
  operation.kind === 'platform'
    ? [{ name: name as PlatformOperationName, operation, input: z.object(operation.input.def.shape) }]
    : [],
)

/** Their names. */
export const platformOperationNames: readonly PlatformOperationName[] = platformOperations.map(({ name }) => name)
