import { writeFileSync } from 'node:fs'
import { claimMutants } from './refused/claims.ts'
import { headerMutants } from './refused/header.ts'
import { lineMutants } from './refused/line.ts'
import { signatureMutants } from './refused/signature.ts'
import { webhookMutants } from './refused/webhook.ts'
import {
  body,
  gameServerKid,
  gameServerPublicPem,
  type Mutant,
  nowS,
  path,
  platformKid,
  platformPublicPem,
  type RefusedEnvelope,
} from './refused/workbench.ts'

// Signs with node:crypto and pads by hand; our own sealing and opening code has no part in it.
//
//   node test/vectors/make-refused.ts       writes refused.json next to this script

/** The whole text of `refused.json`; the same on every machine. */
export function refusedJson(): string {
  const keys = [
    { kid: gameServerKid, direction: 'request', publicKeyPem: gameServerPublicPem },
    { kid: platformKid, direction: 'webhook', publicKeyPem: platformPublicPem },
  ]
  const file = {
    what: 'Envelopes that must be refused. Test keys: published, never to be used elsewhere. See README.md.',
    leewayS: { request: 0, webhook: 30 },
    keys,
    refused: [...lineMutants, ...headerMutants, ...claimMutants, ...signatureMutants, ...webhookMutants].map(
      refusedEnvelope,
    ),
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

function refusedEnvelope(mutant: Mutant): RefusedEnvelope {
  const { name, why, step, direction = 'request' } = mutant
  const target = direction === 'request' ? { method: mutant.method ?? 'PUT', path: mutant.path ?? path } : {}
  const bodyBase64 = Buffer.from(mutant.body ?? body).toString('base64')
  return { name, why, step, direction, ...target, nowS: mutant.nowS ?? nowS, headerLines: mutant.lines, bodyBase64 }
}

if (import.meta.main) writeFileSync(new URL('refused.json', import.meta.url), refusedJson())
