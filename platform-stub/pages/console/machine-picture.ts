import { html } from 'hono/html'
import type { TransactionPhase } from '../../../contract/transaction.ts'
import type { Html } from '../document.ts'
import type { Texts } from '../texts/en.ts'
import { type Machine, narrowTransactionMachine, transactionMachine } from './machine.ts'
import { moveName } from './phase-view.ts'

/** What a picture of a machine emphasizes. */
export interface MachineView<State extends string> {
  /** How many things are in each state. */
  readonly counts?: ReadonlyMap<State, number>
  /** The state of the thing that the picture is about. */
  readonly current?: State
  /** The moves that it made. */
  readonly way?: readonly { readonly from: State; readonly trigger: string; readonly to: State }[]
  /** The address that a state links to. */
  readonly hrefOf?: (state: State) => string
}

/** The transaction's machine, drawn for the room that there is. */
export function transactionPicture(t: Texts, view: MachineView<TransactionPhase>): Html {
  return html`<div class="by-room">${machinePicture(t, transactionMachine, view)}${machinePicture(t, narrowTransactionMachine, view, 'narrow')}</div>`
}

/** A state machine as a picture that says in words what it shows. @param look Tells two drawings of one machine apart. */
export function machinePicture<State extends string>(
  t: Texts,
  machine: Machine<State>,
  view: MachineView<State>,
  look: 'wide' | 'narrow' = 'wide',
): Html {
  const { name, width, height, states } = machine
  const id = `machine-${name}-${look}`
  const moves = machine.moves.map((move) => ({
    ...move,
    kind: view.way?.some(({ from, trigger, to }) => from === move.from && trigger === move.trigger && to === move.to)
      ? 'took'
      : 'rest',
  }))
  // The moves that were made are drawn last, over the others.
  const inOrder = moves.sort((one, other) => one.kind.localeCompare(other.kind))
  return html`<div class="machine-frame ${look}">
    <svg class="machine ${width > 400 ? 'wide' : ''}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="group" aria-labelledby="${id}">
      <title id="${id}">${inWords(t, machine, view)}</title>
      <defs>${['rest', 'took'].map(
        (kind) =>
          html`<marker id="${id}-${kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path fill="context-stroke" d="M0 .6L8 4L0 7.4z"/></marker>`,
      )}</defs>
      ${inOrder.map(({ kind, line, trigger, x, y }) => html`<g class="move ${kind}"><path d="${line}" marker-end="url(#${id}-${kind})"/><text x="${x}" y="${y}">${moveName(t, trigger)}</text></g>`)}
      ${states.map((state) => stateOf(t, state, view))}
    </svg>
  </div>`
}

function stateOf<State extends string>(
  t: Texts,
  placed: Machine<State>['states'][number],
  view: MachineView<State>,
): Html {
  const { state, x, y, width, height, lines, stays, tone } = placed
  const { counts, current, way, hrefOf } = view
  const isOnTheWay = way?.some(({ from, to }) => from === state || to === state) ?? true
  const [left, top] = [x - width / 2, y - height / 2]
  const text = [
    ...lines.map((line, at) => ({ line, kind: at === 2 ? 'ends' : '' })),
    ...stays.map((trigger) => ({ line: t.machine.stays(moveName(t, trigger)), kind: 'stays' })),
  ]
  const group = html`<g class="state ${tone} ${state === current ? 'current reached' : isOnTheWay ? 'reached' : ''}">
    <rect x="${left}" y="${top}" width="${width}" height="${height}" rx="10"/>
    ${text.map(({ line, kind }, at) => html`<text class="${kind}" x="${x}" y="${top + 24 + at * 17}">${line}</text>`)}
    ${countOf(counts?.get(state) ?? 0, left + width, top)}
  </g>`
  return hrefOf ? html`<a href="${hrefOf(state)}">${group}</a>` : group
}

function countOf(count: number, right: number, top: number): Html | string {
  if (count === 0) return ''
  const width = 14 + String(count).length * 8
  return html`<g class="count"><rect x="${right - width + 8}" y="${top - 9}" width="${width}" height="20" rx="10"/><text x="${right - width / 2 + 8}" y="${top + 5}">${count}</text></g>`
}

function inWords<State extends string>(
  t: Texts,
  { name, states }: Machine<State>,
  { counts, current }: MachineView<State>,
): string {
  const title = t.machine.names[name]
  const known = states.find(({ state }) => state === current)
  if (known) return `${title}: ${known.lines.join(' / ')}`
  return `${title}: ${states.map(({ state, lines }) => `${lines.join(' / ')} ${counts?.get(state) ?? 0}`).join(', ')}`
}
