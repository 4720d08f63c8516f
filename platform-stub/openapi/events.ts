import { transferOrderReply, type WebhookEvent, webhookEvents } from '../../contract/events.ts'
import { maturity } from '../../contract/operations.ts'
import { eventExample } from './examples.ts'
import { eventTexts, redeliveryText } from './prose.ts'
import { referenceTo } from './schemas.ts'
import { contentOf, type PathItem, type ResponseObject } from './shape.ts'

/** The document's `webhooks`: what the platform posts to the game server. */
export function webhookPathItems(): Readonly<Record<string, PathItem>> {
  const events = Object.keys(webhookEvents) as WebhookEvent[]
  return Object.fromEntries(events.map((event) => [event, pathItemOf(event)]))
}

function pathItemOf(event: WebhookEvent): PathItem {
  const { payload, summary } = webhookEvents[event]
  return {
    post: {
      operationId: event,
      summary,
      description: `${eventTexts[event]}\n\n${redeliveryText}`,
      tags: ['webhooks'],
      'x-maturity': maturity,
      security: [{ webhookSignature: [] }],
      requestBody: {
        required: true,
        content: contentOf(referenceTo(payload), { [event]: { value: eventExample(event) } }),
      },
      responses: {
        '2XX': acknowledgements[event],
        default: { description: 'Not taken: it is sent again.' },
      },
    },
  }
}

const acknowledgements: Readonly<Record<WebhookEvent, ResponseObject>> = {
  transfer_order: {
    description:
      'Taken. The order now belongs to the game server, and no reminder comes. The answer has the stock that is left of the listing, bare or under `data`.',
    content: contentOf(referenceTo(transferOrderReply), {
      bare: { value: { observedQuantity: 2 } },
      underData: { value: { data: { observedQuantity: 2 } } },
    }),
  },
  transaction_terminal: { description: 'Taken. The body is not read.' },
}
