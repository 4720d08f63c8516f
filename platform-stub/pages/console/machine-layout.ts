import type { Machine, MachineMove, MachineState } from './machine.ts'

/** A state with its place; sizes and places in CSS pixels, `x` and `y` of the middle. */
export interface PlacedState<State extends string> extends MachineState<State> {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Triggers that lead from the state to itself. */
  readonly stays: readonly string[]
}

/** Moves from one state to another, drawn as one arrow for each pair and trigger. */
export interface PlacedMove<State extends string> extends MachineMove<State> {
  readonly points: readonly { readonly x: number; readonly y: number }[]
  readonly x: number
  readonly y: number
}

/** A machine with everything in its place; sizes in CSS pixels. */
export interface MachineLayout<State extends string> {
  readonly name: string
  readonly width: number
  readonly height: number
  readonly states: readonly PlacedState<State>[]
  readonly moves: readonly PlacedMove<State>[]
}

const lineHeight = 17
const margin = 12
const laidOut = new Map<object, Promise<MachineLayout<string>>>()

/** Where everything of a machine goes. Worked out once, when somebody looks. */
export function layoutOf<State extends string>(machine: Machine<State>): Promise<MachineLayout<State>> {
  const known = laidOut.get(machine) ?? layOut(machine)
  laidOut.set(machine, known)
  return known as Promise<MachineLayout<State>>
}

async function layOut<State extends string>({ name, states, moves }: Machine<State>): Promise<MachineLayout<State>> {
  const { Graph, layout } = await import('@dagrejs/dagre')
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'TB', nodesep: 12, ranksep: 30, edgesep: 8, marginx: margin, marginy: margin })
  const staysOf = (state: State) => moves.filter(({ from, to }) => from === state && to === state)
  for (const { state, lines } of states) {
    const height = 22 + lineHeight * (lines.length + staysOf(state).length)
    graph.setNode(state, { width: 164, height })
  }
  const leading = moves.filter(({ from, to }) => from !== to)
  leading.forEach(({ from, to, trigger }, at) => {
    graph.setEdge(from, to, { width: trigger.length * 6 + 4, height: 16, labelpos: 'c' }, String(at))
  })
  layout(graph)
  const { width = 0, height = 0 } = graph.graph()
  return {
    name,
    width: Math.ceil(width),
    height: Math.ceil(height),
    states: states.map((state) => {
      const { x = 0, y = 0, width, height } = graph.node(state.state)
      return { ...state, x, y, width, height, stays: staysOf(state.state).map(({ trigger }) => trigger) }
    }),
    moves: leading.map((move, at) => {
      const { points = [], x = 0, y = 0 } = graph.edge(move.from, move.to, String(at))
      return { ...move, points, x, y }
    }),
  }
}
