import type * as z from 'zod/mini'
import type { EnvelopeError, EnvelopeStep } from './envelope/open.ts'
import { limits } from './limits.ts'
import type { JsonError } from './strict-json.ts'

/**
 * What is wrong with one field of an input and how to correct it, in Brazilian Portuguese, for both programs.
 *
 * @param issue The first issue of a failed parse.
 * @param input What was parsed.
 */
export function inputErrorInWords(issue: z.core.$ZodIssue, input: unknown): string {
  const field = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    return `O campo "${[...issue.path, issue.keys[0]].join('.')}" não tem lugar aqui: retire-o.`
  }
  const subject = issue.path.length === 0 ? 'A entrada' : `O campo "${field}"`
  const received = issue.path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key],
    input,
  )
  if (received === undefined) return `${subject} é obrigatório: envie ${expected(issue)}.`
  return `${subject} deve ser ${expected(issue)}; ${receivedInWords(received)}.`
}

function expected(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeNames[issue.expected] ?? anyValue
    case 'too_small':
      return issue.origin === 'string' ? 'um texto não vazio' : `um número inteiro a partir de ${issue.minimum}`
    case 'too_big':
      return `um número inteiro até ${issue.maximum}`
    case 'invalid_value':
      return issue.values.map((value) => `"${String(value)}"`).join(' ou ')
    case 'invalid_union':
      return 'options' in issue ? (issue.options ?? []).map((option) => `"${String(option)}"`).join(' ou ') : anyValue
    case 'invalid_format':
      return 'um identificador diferente de "." e ".."'
    case 'custom':
      if (issue.params?.['lengthMax'] === undefined) return anyValue
      return `um texto de ${issue.params?.['lengthMin']} a ${issue.params?.['lengthMax']} caracteres`
    default:
      return anyValue
  }
}

const anyValue = 'um valor válido'

const typeNames: Readonly<Record<string, string>> = {
  string: 'um texto',
  number: 'um número inteiro',
  int: 'um número inteiro',
  boolean: 'true ou false',
  object: 'um objeto',
  array: 'uma lista',
}

/** What came instead, in words. A long text is not repeated. */
export function receivedInWords(value: unknown): string {
  return Array.isArray(value) ? 'foi recebida uma lista' : `foi recebido ${typeInWords(value)}`
}

function typeInWords(value: unknown): string {
  if (value === null) return 'null'
  if (value === '') return 'um texto vazio'
  switch (typeof value) {
    case 'number':
      return `o número ${value}`
    case 'string':
      return [...value].length > 40 ? `um texto de ${[...value].length} caracteres` : `o texto ${JSON.stringify(value)}`
    case 'boolean':
      return String(value)
    default:
      return 'um objeto'
  }
}

/** What is wrong with a JSON text and how to correct it, in Brazilian Portuguese. */
export function jsonErrorInWords(error: JsonError): string {
  switch (error.kind) {
    case 'not-json':
      return `O JSON é inválido na linha ${error.line}, coluna ${error.column}: confira aspas, vírgulas e chaves.`
    case 'not-an-object':
      return 'O JSON deve ser um objeto: comece com { e termine com }.'
    case 'too-deep':
      return `O JSON tem níveis demais: envie no máximo ${limits.jsonDepthMax} objetos ou listas aninhados.`
    case 'lone-surrogate':
      return `O texto na linha ${error.line}, coluna ${error.column} contém um caractere Unicode incompleto: envie-o em UTF-8 válido.`
    case 'duplicate-name':
      return `O campo "${[...error.name].slice(0, 40).join('')}" aparece mais de uma vez: envie cada campo uma só vez.`
    case 'inexact-number':
      return `O número ${error.number.slice(0, 40)} não pode ser lido com exatidão: use um inteiro entre -9007199254740991 e 9007199254740991.`
  }
}

/** Why an envelope does not open and how to correct it, in Brazilian Portuguese. */
export function envelopeErrorInWords({ step, cause }: Pick<EnvelopeError, 'step' | 'cause'>): string {
  return step === 'signature' && cause === 'other-bytes' ? otherBytes : envelopeTexts[step]
}

const otherBytes =
  'A chave da assinatura está certa, mas ela foi feita sobre outros bytes: envie o corpo e o cabeçalho exatamente como foram assinados.'

const envelopeTexts: Readonly<Record<EnvelopeStep, string>> = {
  'header-line': `Falta a assinatura: envie um só cabeçalho X-Platform-Signature de até ${limits.envelopeHeaderBytesMax} bytes.`,
  segments: 'A assinatura deve ter a forma <protected>..<signature>, com o meio vazio.',
  encoding: 'A assinatura deve estar em base64url sem preenchimento.',
  json: 'O cabeçalho protegido da assinatura deve ser um objeto JSON em UTF-8, sem nomes repetidos.',
  'forbidden-parameter': 'O cabeçalho protegido da assinatura tem um parâmetro que não é permitido.',
  algorithm: 'O algoritmo da assinatura deve ser RS256.',
  kid: 'A chave de assinatura (kid) não é conhecida.',
  expiry: 'A assinatura expirou ou tem um prazo (exp) que não é permitido. Confira o relógio.',
  jti: 'A assinatura deve ter um identificador (jti) de 1 a 255 caracteres.',
  method: 'A assinatura é de outro método (htm).',
  url: 'A assinatura é de outra rota (htu).',
  signature: 'A assinatura não foi feita com a chave privada deste kid, ou foi alterada no caminho: confira a chave.',
}
