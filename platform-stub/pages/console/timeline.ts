import { html } from 'hono/html'
import { operations } from '../../../contract/operations.ts'
import type { JournalEntry } from '../../partner-api/request-journal.ts'
import { journalEntriesMax } from '../../partner-api/request-journal.ts'
import type { HistoryRow, MoneyRow, TransactionRow } from '../../store/transaction-rows.ts'
import type { WebhookAttemptRow, WebhookDeliveryRow } from '../../store/webhook-rows.ts'
import type { Html } from '../document.ts'
import { inReais, stampOf } from '../formats.ts'
import type { Texts } from '../texts/en.ts'
import type { ConsoleParts } from './console-parts.ts'
import { attemptBadge, attemptTone } from './exchange-view.ts'
import { phaseAfter, phaseTone, statusBadges } from './phase-view.ts'

interface Happening {
  readonly atMs: number
  readonly tone: string
  readonly what: Html
}

/** Maximum number of entries. A receiver that stays down is tried without end. */
const happeningsMax = 60

/** Moves, payments, webhook attempts and the game server's calls in one list, newest first. */
export function timeline(parts: ConsoleParts, transaction: TransactionRow, history: readonly HistoryRow[]): Html {
  const { t, platform } = parts
  const { transactions, webhooks } = platform.tables
  const attempts = webhooks
    .newestOf(transaction.id, 20)
    .flatMap((delivery) =>
      webhooks.newestAttempts(delivery.id, null, happeningsMax).map((attempt) => attemptOf(t, delivery, attempt)),
    )
  const calls = callsOf(parts, transaction)
  // In the same millisecond, a call comes before what it changed.
  const happenings = [
    ...calls,
    ...history.map((row) => moveOf(t, row)),
    ...transactions.moneyOf(transaction.id).map((row) => moneyOf(t, row)),
    ...attempts,
  ]
    .sort((one, other) => one.atMs - other.atMs)
    .slice(-happeningsMax)
    .reverse()
  return html`<ol class="timeline">
    ${happenings.map(({ atMs, tone, what }) => html`<li class="${tone}"><span class="dot"></span><div>${what}</div>${stampOf(atMs, t.lang)}</li>`)}
  </ol>`
}

function moveOf(t: Texts, row: HistoryRow): Happening {
  const { at, trigger, detail } = row
  const { by, done } = t.history.moves[trigger]
  const what = html`<strong>${done}</strong> <span class="soft">${by}</span>
    ${statusBadges(row)} ${detail && html`<p class="wrap">${detail}</p>`}`
  return { atMs: at, tone: `move ${phaseTone(phaseAfter(row))}`, what }
}

function moneyOf(t: Texts, { kind, amountCents, at }: MoneyRow): Happening {
  const what = t.history[kind](html`<strong>${inReais(amountCents, t.lang)}</strong>`)
  return { atMs: at, tone: kind === 'payment' ? 'good' : 'wait', what }
}

function attemptOf(t: Texts, { id, event }: WebhookDeliveryRow, attempt: WebhookAttemptRow): Happening {
  const { at, number, durationMs } = attempt
  const link = html`<a href="/console/webhooks/${id}"><code>${event}</code></a>`
  const what = html`${t.history.attempt(link, number)} ${attemptBadge(t, event, attempt)} <span class="soft">${durationMs} ms</span>`
  return { atMs: at, tone: attemptTone(event, attempt), what }
}

/** The game server's calls about the transaction that the journal still has. */
function callsOf({ t, journal }: ConsoleParts, { id, gameServerId }: TransactionRow): Happening[] {
  const path = operations['transaction.get'].path.replace('{transactionId}', String(id))
  // Reading a transaction does not change it, so it is not an event of its life.
  const isAbout = (entry: JournalEntry) =>
    entry.gameServerId === gameServerId && entry.transactionId === id && entry.method !== 'GET'
  return journal
    .newest(journalEntriesMax)
    .filter(isAbout)
    .map(({ number, atMs, durationMs, method, path: asked, status, message }) => ({
      atMs: Math.floor(atMs - durationMs),
      tone: status === 200 ? 'busy' : 'bad',
      what: html`${t.history.call(html`<a href="/console/requests/${number}"><code>${method} ${asked.startsWith(`${path}/`) ? asked.slice(path.length) : asked}</code></a>`, html`<strong>${status ?? t.history.nothing}</strong>`)} ${message && html`<span class="soft" lang="pt-BR">${message}</span>`}`,
    }))
}
