import { decimalOf } from '../formats.ts'

/** The receiver of the payment. The key's domain is reserved for names that do not exist, so no account can have it. */
const receiver = {
  key: 'simulacao@pagamento.invalid',
  name: 'SIMULACAO SEM VALOR',
  city: 'SAO PAULO',
} as const

/** Maximum length of the amount. A longer one is left out, and the payer types it. */
const amountLengthMax = 13

/**
 * The text of a Pix code (BR Code, the EMV merchant-presented mode with the central bank's fields), whole and with its
 * checksum, for an account that cannot exist. A wallet reads it; no bank can pay it.
 *
 * @param reference Names the purchase to its receiver: letters and digits, at most 25.
 */
export function pixCode({ amountCents, reference }: { amountCents: number; reference: string }): string {
  const amount = decimalOf(amountCents)
  const fields = [
    field('00', '01'),
    field('26', field('00', 'br.gov.bcb.pix') + field('01', receiver.key)),
    field('52', '0000'),
    field('53', '986'),
    ...(amount.length <= amountLengthMax ? [field('54', amount)] : []),
    field('58', 'BR'),
    field('59', receiver.name),
    field('60', receiver.city),
    field('62', field('05', reference)),
  ]
  return withChecksum(fields.join(''))
}

/** Field 63: the CRC of everything before it, its own id and length included. */
export function withChecksum(fields: string): string {
  const checked = `${fields}6304`
  return checked + crc16(checked).toString(16).toUpperCase().padStart(4, '0')
}

function field(id: string, value: string): string {
  return id + String(value.length).padStart(2, '0') + value
}

/** CRC-16 with the polynomial 0x1021 from 0xffff, neither reflected nor inverted. */
function crc16(text: string): number {
  let crc = 0xffff
  for (const byte of Buffer.from(text, 'latin1')) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  }
  return crc & 0xffff
}
