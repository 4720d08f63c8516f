import { envelopeSteps } from '../../../contract/envelope/open.ts'
import type { AuthenticationFault } from '../../partner-api/request-journal.ts'

type AuthenticationStep = AuthenticationFault['step']

/** The checks of a request's credentials, in the order in which they are made: the key, the envelope, then both. */
export const authenticationSteps: readonly AuthenticationStep[] = [
  'api-key',
  ...envelopeSteps,
  'api-key-owner',
  'replay',
]
