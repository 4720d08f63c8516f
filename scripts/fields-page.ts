/** `node scripts/fields-page.ts`: writes fields.md in docs/en and docs/pt-BR, the fields of every operation and webhook. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { transferOrderReply, type WebhookEvent, webhookEvents } from '../contract/events.ts'
import { type OperationName, operations, type PlatformOperationName } from '../contract/operations.ts'
import { eventExample, operationExamples } from '../platform-stub/openapi/examples.ts'
import { fieldsOf } from '../platform-stub/openapi/field-schemas.ts'
import type { JsonSchema } from '../platform-stub/openapi/shape.ts'
import {
  type AgentField,
  envelopeExample,
  envelopeFields,
  orderExample,
  orderFields,
  verifyFields,
} from './fields/agent-answers.ts'
import { eventTexts, type Language, pageTexts, textOfContract, typeInLanguage } from './fields/field-texts.ts'

/** Calls that must not run twice have an id. */
const exampleIds: Partial<Record<OperationName, string>> = {
  'character.link': 'link-char-1-1',
  'market.register': 'register-offer-1-1',
  'transaction.create': 'buy-71-1',
}

/** The text of the page in a language. */
export function fieldsPage(language: Language): string {
  const page = new FieldsPage(language)
  const isOfPlatform = (name: OperationName) => operations[name].kind === 'platform'
  const names = Object.keys(operations) as OperationName[]
  const platformNames = names.filter(isOfPlatform) as PlatformOperationName[]
  const { twin, title, madeBy, howToRead, rules, operationsOfPlatform, operationsOfAgent, webhooks } = pageTexts
  return `${[
    `# ${title[language]}`,
    twin[language],
    madeBy[language],
    `## 1. ${howToRead[language]}`,
    rules[language],
    `## 2. ${operationsOfPlatform[language]}`,
    ...platformNames.flatMap((name, at) => [`### 2.${at + 1} \`${name}\``, ...page.platformOperation(name)]),
    `## 3. ${operationsOfAgent[language]}`,
    ...page.agentOperations().flatMap(([name, ...parts], at) => [`### 3.${at + 1} \`${name}\``, ...parts]),
    `## 4. ${webhooks[language]}`,
    ...(Object.keys(webhookEvents) as WebhookEvent[]).flatMap((event, at) => [
      `### 4.${at + 1} \`${event}\``,
      ...page.webhook(event),
    ]),
  ].join('\n\n')}\n`
}

/** The parts of the page, in one language. */
class FieldsPage {
  readonly #language: Language

  constructor(language: Language) {
    this.#language = language
  }

  platformOperation(name: PlatformOperationName): string[] {
    const { method, path, input, output } = operations[name]
    const example = operationExamples[name]
    return [
      this.#summary(name),
      this.#text('route', `\`${method} ${path}\``),
      this.#text('input'),
      this.#table(this.#rowsOf(input)),
      callBlock(name, example.input),
      ...(output ? [this.#text('data'), this.#table(this.#rowsOf(output))] : [this.#text('noData')]),
      answerBlock(name, example.data),
    ]
  }

  agentOperations(): [name: OperationName, ...parts: string[]][] {
    const bodyBase64 = Buffer.from(JSON.stringify(eventExample('transfer_order'))).toString('base64')
    const ended = {
      ...orderExample,
      state: 'closed',
      waitsFor: 'Nada: o pedido foi encerrado.',
      result: 'DELIVERED',
      outcome: 'CONCLUIDA',
      reported: 'DELIVERED',
    }
    return [
      this.#envelope('market.register.envelope'),
      this.#envelope('transaction.create.envelope'),
      [
        'webhook.verify',
        this.#summary('webhook.verify'),
        this.#text('input'),
        this.#agentTable(verifyFields.input),
        callBlock('webhook.verify', { signature: 'eyJhbGciOiJSUzI1NiIs…..pO8fEwQ…', bodyBase64 }),
        this.#text('data'),
        this.#agentTable(verifyFields.data),
        answerBlock('webhook.verify', { event: eventExample('transfer_order') }),
      ],
      [
        'orders.open',
        this.#summary('orders.open'),
        this.#text('input'),
        this.#table(this.#rowsOf(operations['orders.open'].input)),
        callBlock('orders.open', {}),
        this.#text('oneOrder'),
        this.#agentTable(orderFields),
        this.#text('moreOrders'),
        answerBlock('orders.open', { orders: [orderExample], closed: [{ ...ended, transactionId: 2 }], more: false }),
      ],
      [
        'orders.take',
        this.#summary('orders.take'),
        this.#text('input'),
        this.#table(this.#rowsOf(operations['orders.take'].input)),
        callBlock('orders.take', { transactionId: 1, observedQuantity: 2, result: 'DELIVERED' }),
        this.#text('takenOrder'),
      ],
    ]
  }

  webhook(event: WebhookEvent): string[] {
    const { summary, payload } = webhookEvents[event]
    const [bareReply] = (z.toJSONSchema(transferOrderReply) as JsonSchema).anyOf ?? []
    const isAnswered = event === 'transfer_order' && bareReply
    return [
      textOfContract(summary, this.#language),
      eventTexts[event][this.#language],
      this.#table(this.#rowsOf(payload)),
      jsonBlock(eventExample(event)),
      ...(isAnswered
        ? [this.#text('reply'), this.#table(this.#rowsOfSchema(bareReply)), jsonBlock({ observedQuantity: 2 })]
        : [this.#text('anyReply')]),
    ]
  }

  #envelope(name: 'market.register.envelope' | 'transaction.create.envelope'): [OperationName, ...string[]] {
    const { seals } = operations[name]
    const { input } = operationExamples[seals]
    return [
      name,
      this.#summary(name),
      this.#text('sameInput', `\`${seals}\``),
      callBlock(name, input),
      this.#text('data'),
      this.#agentTable(envelopeFields),
      answerBlock(name, envelopeExample(operations[seals].path, input)),
    ]
  }

  #summary(name: OperationName): string {
    const { summary, summaryPt } = operations[name]
    return this.#language === 'en' ? summary : summaryPt
  }

  #text(name: keyof typeof pageTexts, value = ''): string {
    return pageTexts[name][this.#language].replace('{}', () => value || '{}')
  }

  #rowsOf(schema: z.ZodMiniType): string[][] {
    return this.#rowsOfSchema(z.toJSONSchema(schema) as JsonSchema)
  }

  #rowsOfSchema(schema: JsonSchema): string[][] {
    return fieldsOf(schema).map(({ name, type, isRequired, description, values }) => {
      const known = values.map((value) => `\`${value}\``).join(', ')
      const meaning = [textOfContract(description, this.#language), known].filter((part) => part !== '').join(' ')
      const shownType = typeInLanguage(type, this.#language)
      return [name, isRequired ? shownType : `${shownType}, ${this.#text('optional')}`, meaning]
    })
  }

  #agentTable(fields: Readonly<Record<string, AgentField>>): string {
    return this.#table(
      Object.entries(fields).map(([name, field]) => [
        name,
        typeInLanguage(field.type, this.#language),
        field[this.#language],
      ]),
    )
  }

  #table(rows: readonly (readonly string[])[]): string {
    const [field, type, meaning] = [this.#text('field'), this.#text('type'), this.#text('meaning')]
    const lines = rows.map(([name, ...cells]) => `| \`${name}\` | ${cells.join(' | ')} |`)
    return [`| ${field} | ${type} | ${meaning} |`, '|---|---|---|', ...lines].join('\n')
  }
}

/** What is posted to `/call`. */
function callBlock(operation: OperationName, input: object): string {
  return jsonBlock({ ...idOf(operation), operation, input })
}

function answerBlock(operation: OperationName, data: object | null): string {
  return jsonBlock({ ok: true, ...idOf(operation), data })
}

function idOf(operation: OperationName): { id?: string } {
  const id = exampleIds[operation]
  return id === undefined ? {} : { id }
}

function jsonBlock(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``
}

if (import.meta.main) {
  for (const language of ['en', 'pt-BR'] as const) {
    writeFileSync(join(import.meta.dirname, '..', 'docs', language, 'fields.md'), fieldsPage(language))
  }
}
