import { html } from 'hono/html'
import { iso } from '../../clock/iso.ts'
import { duration, stamp } from '../browser/durations.js'
import type { Html } from '../document.ts'
import { badge, icon } from '../parts.ts'
import { actForm, field } from './acts.ts'
import type { ConsoleParts } from './console-parts.ts'

const jumps = { '+1 min': 60, '+15 min': 900, '+1 h': 3_600, '+1 day': 86_400 } as const

/** The stub's time, and the buttons that change it. */
export function clockPanel({ clock }: ConsoleParts): Html {
  const { offsetMs } = clock
  const nowMs = clock.nowMs()
  const act = { method: 'PUT', path: '/stub/clock' } as const
  // The stub needed a moment to set the clock, so the offset is rounded.
  const distanceMs = Math.round(Math.abs(offsetMs) / 1_000) * 1_000
  return html`<details class="clock" data-panel data-live-region="clock">
    <summary class="button small">
      ${icon('clock')}<span class="hidden-text">Clock of the stub: </span>
      <time datetime="${iso(nowMs)}" data-shows="clock">${stamp(nowMs)}</time> UTC
      ${offsetMs === 0 ? '' : badge('wait', `travelling ${offsetMs < 0 ? '−' : '+'}${duration(distanceMs)}`)}
    </summary>
    <div class="card pad stack">
      <p>Everything that becomes due on the way is done in order, each at its own time.</p>
      <div class="row">${Object.entries(jumps).map(([label, advanceSeconds]) => actForm({ ...act, label, body: { advanceSeconds } }))}</div>
      ${actForm({
        ...act,
        label: 'Travel',
        className: 'joined',
        fields: field(
          'To a moment, UTC',
          html`name="now" required placeholder="${iso(nowMs)}" pattern="\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?Z" title="ISO-8601 in UTC, as 2026-12-31T23:59:00Z"`,
        ),
      })}
      ${offsetMs === 0 ? html`<p class="soft">The stub uses this machine’s clock.</p>` : actForm({ ...act, method: 'DELETE', label: 'Back to the real time' })}
    </div>
  </details>`
}
