import { html } from 'hono/html'
import type { Html } from '../document.ts'
import type { MachineLayout, PlacedMove, PlacedState } from './machine-layout.ts'

/** What of a machine is brought out. */
export interface MachineView<State extends string> {
  /** How many stand in each state. */
  readonly counts?: ReadonlyMap<State, number>
  /** Where the one stands that the picture is about. */
  readonly current?: State
  /** The way that it took. */
  readonly way?: readonly { readonly from: State; readonly trigger: string; readonly to: State }[]
  /** Where a state leads when somebody follows it. */
  readonly hrefOf?: (state: State) => string
}

/** A state machine as a picture that says in words what it shows. */
export function machinePicture<State extends string>(layout: MachineLayout<State>, view: MachineView<State>): Html {
  const { name, width, height, states, moves } = layout
  const id = `machine-${name.toLowerCase()}`
  const took = (move: PlacedMove<State>) =>
    view.way?.some(({ from, trigger, to }) => from === move.from && trigger === move.trigger && to === move.to) ?? false
  // What was walked is drawn last, over what was not.
  const inOrder = [...moves].sort((one, other) => Number(took(one)) - Number(took(other)))
  return html`<div class="machine-frame" tabindex="0" role="region" aria-label="${name} states">
    <svg class="machine" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="group" aria-labelledby="${id}">
      <title id="${id}">${inWords(layout, view)}</title>
      <defs>${['rest', 'took'].map(
        (kind) =>
          html`<marker id="${id}-${kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="arrow ${kind}" d="M0 .6L8 4L0 7.4z"/></marker>`,
      )}</defs>
      ${inOrder.map((move) => moveOf(move, id, took(move) ? 'took' : 'rest'))}
      ${states.map((state) => stateOf(state, view))}
    </svg>
  </div>`
}

function moveOf<State extends string>({ points, trigger, x, y }: PlacedMove<State>, id: string, kind: string): Html {
  return html`<g class="move ${kind}"><path d="${pathThrough(points)}" marker-end="url(#${id}-${kind})"/><text x="${round(x)}" y="${round(y)}">${trigger}</text></g>`
}

function stateOf<State extends string>(placed: PlacedState<State>, view: MachineView<State>): Html {
  const { state, x, y, width, height, lines, stays, tone } = placed
  const { counts, current, way, hrefOf } = view
  const isOnTheWay = way?.some(({ from, to }) => from === state || to === state) ?? false
  const marks = [tone, state === current && 'current', (isOnTheWay || !way) && 'reached'].filter(Boolean).join(' ')
  const left = round(x - width / 2)
  const top = round(y - height / 2)
  const text = [
    ...lines.map((line, at) => ({ line, kind: at === 2 ? 'ends' : 'status' })),
    ...stays.map((trigger) => ({ line: `stays: ${trigger}`, kind: 'stays' })),
  ]
  const drawn = html`<rect x="${left}" y="${top}" width="${width}" height="${height}" rx="10"/>
    ${text.map(({ line, kind }, at) => html`<text class="${kind}" x="${round(x)}" y="${round(top + 24 + at * 17)}">${line}</text>`)}
    ${counts ? countOf(counts.get(state) ?? 0, left + width, top) : ''}`
  const group = html`<g class="state ${marks}">${drawn}</g>`
  return hrefOf ? html`<a href="${hrefOf(state)}">${group}</a>` : group
}

function countOf(count: number, right: number, top: number): Html | string {
  if (count === 0) return ''
  const width = 14 + String(count).length * 8
  return html`<g class="count"><rect x="${right - width + 8}" y="${top - 9}" width="${width}" height="20" rx="10"/><text x="${right - width / 2 + 8}" y="${top + 5}">${count}</text></g>`
}

/** A line that bends towards each point and ends at the last. */
function pathThrough(points: PlacedMove<string>['points']): string {
  const [first, ...rest] = points.map(({ x, y }) => ({ x: round(x), y: round(y) }))
  if (!first) return ''
  const bends = rest.slice(0, -1).map((point, at) => {
    const next = rest[at + 1] ?? point
    const isLast = at === rest.length - 2
    const end = isLast ? next : { x: round((point.x + next.x) / 2), y: round((point.y + next.y) / 2) }
    return `Q${point.x} ${point.y} ${end.x} ${end.y}`
  })
  return `M${first.x} ${first.y}${bends.join('')}`
}

function inWords<State extends string>(
  { name, states }: MachineLayout<State>,
  { counts, current }: MachineView<State>,
): string {
  const known = states.find(({ state }) => state === current)
  if (known) return `${name}: ${known.lines.join(' / ')}`
  return `${name}: ${states.map(({ state, lines }) => `${lines.join(' / ')} ${counts?.get(state) ?? 0}`).join(', ')}`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
