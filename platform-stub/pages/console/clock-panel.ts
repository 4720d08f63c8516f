import { html } from 'hono/html'
import { iso } from '../../clock/iso.ts'
import { duration, stamp } from '../browser/durations.js'
import type { Html } from '../document.ts'
import { icon } from '../icons.ts'
import { actForm } from './acts.ts'
import type { ConsoleParts } from './console-parts.ts'

const jumps = [
  ['+1 min', 60],
  ['+15 min', 900],
  ['+1 h', 3_600],
  ['+1 day', 86_400],
] as const

/** The stub's time, and the buttons that change it. */
export function clockPanel({ clock }: ConsoleParts): Html {
  const { offsetMs } = clock
  const nowMs = clock.nowMs()
  // The stub needed a moment to set the clock, so the offset is rounded.
  const distanceMs = Math.round(Math.abs(offsetMs) / 1_000) * 1_000
  const distance = `${offsetMs < 0 ? '−' : '+'}${duration(distanceMs)}`
  return html`<details class="clock" data-panel data-live-region="clock">
    <summary class="chip">
      ${icon('clock')}<span class="hidden-text">Clock of the stub: </span>
      <time datetime="${iso(nowMs)}" data-shows="clock">${stamp(nowMs)}</time> UTC
      ${offsetMs === 0 ? '' : html`<span class="badge wait">travelling ${distance}</span>`}
    </summary>
    <div class="card pad panel">
      <p>Everything that becomes due on the way is done in order, each at its own time.</p>
      <div class="row">
        ${jumps.map(([label, advanceSeconds]) => actForm({ method: 'PUT', path: '/stub/clock', label, body: { advanceSeconds } }))}
      </div>
      ${actForm({
        method: 'PUT',
        path: '/stub/clock',
        label: 'Travel',
        className: 'joined',
        isKept: true,
        fields: html`<label class="field"><span>To a moment, UTC</span><input name="now" required placeholder="${iso(nowMs)}" pattern="\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?Z" title="ISO-8601 in UTC, as 2026-12-31T23:59:00Z"></label>`,
      })}
      ${offsetMs === 0 ? html`<p class="soft">The stub uses this machine’s clock.</p>` : actForm({ method: 'DELETE', path: '/stub/clock', label: 'Back to the real time' })}
    </div>
  </details>`
}
