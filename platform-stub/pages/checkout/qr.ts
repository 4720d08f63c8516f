import { html } from 'hono/html'
import encodeQR from 'qr'
import type { Html } from '../document.ts'

/** Width of the empty border that QR readers need, in modules. */
const quietZone = 4

/**
 * A QR code as a picture in the page.
 *
 * @param label Its description for screen readers.
 */
export function qrPicture(text: string, label: string): Html {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: quietZone })
  const path = rows.flatMap((row, y) => runsOf(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`)).join('')
  return html`<svg class="qr" viewBox="0 0 ${rows.length} ${rows.length}" role="img" aria-label="${label}" shape-rendering="crispEdges"><path d="${path}"/></svg>`
}

/** Start and length of each dark run of a row. */
function runsOf(row: readonly boolean[]): [number, number][] {
  const runs: [number, number][] = []
  row.forEach((isDark, x) => {
    const last = runs.at(-1)
    if (!isDark) return
    if (last && last[0] + last[1] === x) last[1]++
    else runs.push([x, 1])
  })
  return runs
}
