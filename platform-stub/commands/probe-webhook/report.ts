import type { PostOutcome } from '../../webhooks/webhook-post.ts'
import { cureOf, type Finding, type Reaction } from './judge.ts'
import type { ProbeKey } from './key.ts'

const marks: Readonly<Record<Finding['verdict'], string>> = { ok: 'ok  ', failed: 'FAIL', unjudged: '?   ' }

/** Maximum number of characters of an answer. The reason of an error page can be far behind its start. */
const shownLengthMax = { ok: 200, failed: 2_000, unjudged: 200 } as const

/** The key that the receiver must know. */
export function keyInWords({ kid, origin }: ProbeKey): string {
  return `The receiver has to know the kid ${kid} and its public key: ${origin}`
}

/** What was sent, expected and answered, in one line. If the rule was broken: its section too, and the cure in a second line. */
export function findingInWords(finding: Finding, nameLength: number): string {
  const { probe, verdict, reactions } = finding
  const { name, sent, expected, rule } = probe
  const wanted = expected === 'refused' ? 'anything but 2xx' : takingInWords(reactions)
  const line = `${marks[verdict]} ${name.padEnd(nameLength)}  sent ${sent}; expected ${wanted}; came ${cameInWords(reactions, shownLengthMax[verdict])}`
  const cure = cureOf(finding)
  return cure === null ? line : `${line}  (interface ${rule})\n     cure: ${cure}`
}

function takingInWords(reactions: readonly Reaction[]): string {
  const hasOrder = reactions.some(({ webhook }) => webhook.event === 'transfer_order')
  return hasOrder ? '2xx with observedQuantity' : '2xx'
}

function cameInWords(reactions: readonly Reaction[], lengthMax: number): string {
  const all = reactions.map(({ outcome }) => outcomeInWords(outcome, lengthMax))
  const [first = ''] = all
  return all.length > 1 && all.every((one) => one === first) ? `${all.length} × ${first}` : all.join(', then ')
}

function outcomeInWords(outcome: PostOutcome, lengthMax: number): string {
  if (outcome.kind === 'failure') return outcome.failure
  // The answer is shown on a terminal, and nothing in it may move the cursor.
  const body = outcome.body.replaceAll(/[\p{C}\s]+/gu, ' ').trim()
  const shown = [...body].length > lengthMax ? `${[...body].slice(0, lengthMax).join('')}…` : body
  return `${outcome.status} ${shown}`.trim()
}

/** The summary of the findings, and what they do not prove. */
export function summaryInWords(findings: readonly Finding[], probeCount: number): string[] {
  const namesOf = (verdict: Finding['verdict']): string[] =>
    findings.filter((finding) => finding.verdict === verdict).map(({ probe }) => probe.name)
  const [held, failed, unjudged] = [namesOf('ok'), namesOf('failed'), namesOf('unjudged')]
  const open = openPoints(findings)
  const unsent = probeCount - findings.length
  return [
    ...(open.length > 0 ? ['What no answer proves; look for yourself:', ...open.map((point) => `- ${point}`)] : []),
    ...(unjudged.length > 0
      ? [
          '?: refused, but so is every proper one of that event. Does the receiver know the kid and the public key above?',
        ]
      : []),
    ...(unsent > 0 ? [`Nothing answers there: the other ${unsent} probes were not sent.`] : []),
    `${held.length} of ${probeCount} held.${failed.length > 0 ? ` Failed: ${failed.join(', ')}.` : ''}`,
  ]
}

/** What a proper answer does not prove, each with its probes. */
function openPoints(findings: readonly Finding[]): string[] {
  const held = findings.filter(({ verdict }) => verdict === 'ok')
  const points = new Map<string, string[]>()
  for (const finding of held) {
    for (const point of openPointsOf(finding)) points.set(point, [...(points.get(point) ?? []), finding.probe.name])
  }
  const isRefusing = held.some(({ probe }) => probe.expected === 'refused')
  return [
    ...[...points].map(([point, names]) => `${names.join(', ')}: ${point}`),
    ...(isRefusing ? ['whatever was refused: that nothing had been done before'] : []),
  ]
}

function openPointsOf({ probe, reactions }: Finding): string[] {
  const hasFallen = reactions.some(({ outcome }) => outcome.kind === 'answer' && outcome.status >= 500)
  return [
    ...(probe.unproven ? [probe.unproven] : []),
    ...(hasFallen ? ['that the 5xx was meant, and no accident'] : []),
  ]
}

/** The whole result for programs: the verdict, the key that the receiver must know, and one entry for each probe sent. */
export function reportForPrograms({ kid, origin }: ProbeKey, findings: readonly Finding[], probeCount: number) {
  return {
    ok: hasPassed(findings, probeCount),
    key: { kid, publicKey: origin },
    notSent: probeCount - findings.length,
    probes: findings.map((finding) => {
      const { probe, verdict, reactions } = finding
      const { name, rule, sent, expected, unproven = null } = probe
      const answers = reactions.map(({ outcome }) =>
        outcome.kind === 'failure' ? { failure: outcome.failure } : { status: outcome.status, body: outcome.body },
      )
      return { name, verdict, rule: `interface ${rule}`, sent, expected, answers, cure: cureOf(finding), unproven }
    }),
  }
}

/** Whether every probe was sent and passed. */
export function hasPassed(findings: readonly Finding[], probeCount: number): boolean {
  return findings.length === probeCount && findings.every(({ verdict }) => verdict === 'ok')
}
