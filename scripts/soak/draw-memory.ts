/** Resident memory after a number of calls. */
export interface Sample {
  readonly calls: number
  readonly memoryMb: number
}

const [width, height] = [760, 300]
const [left, right, top, bottom] = [56, 16, 16, 40]

/** A picture of the samples as SVG: calls to the right, megabytes upwards, from zero. */
export function drawMemory(samples: readonly Sample[]): string {
  const callsMax = Math.max(...samples.map(({ calls }) => calls))
  const memoryMax = Math.ceil((Math.max(...samples.map(({ memoryMb }) => memoryMb)) * 1.1) / 50) * 50
  const x = (calls: number) => (left + (calls / callsMax) * (width - left - right)).toFixed(1)
  const y = (memoryMb: number) => (height - bottom - (memoryMb / memoryMax) * (height - top - bottom)).toFixed(1)
  const points = samples.map(({ calls, memoryMb }) => `${x(calls)},${y(memoryMb)}`).join(' ')
  const quarters = [0, 0.25, 0.5, 0.75, 1].map((share) => share * callsMax)
  const levels = Array.from({ length: memoryMax / 50 + 1 }, (_, n) => n * 50)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" role="img">
<title>Resident memory of the agent over ${callsMax.toLocaleString('en')} calls with ids</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${levels.map((mb) => `<path d="M${left} ${y(mb)}H${width - right}" stroke="#ddd"/><text x="${left - 8}" y="${y(mb)}" dy="4" text-anchor="end">${mb} MB</text>`).join('\n')}
${quarters.map((calls) => `<text x="${x(calls)}" y="${height - bottom + 18}" text-anchor="${calls === callsMax ? 'end' : 'middle'}">${Math.round(calls).toLocaleString('en')}</text>`).join('\n')}
<text x="${(left + width - right) / 2}" y="${height - 4}" text-anchor="middle">calls with a new id</text>
<polyline points="${points}" fill="none" stroke="#1a5fb4" stroke-width="2"/>
</svg>
`
}
