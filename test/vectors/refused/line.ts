import { base64url, body, halves, header, headerAnd, line, type Mutant, searched } from './workbench.ts'

const whole = line(header())
const [protectedSegment, signatureSegment] = halves(whole)
const other = line(header({ jti: 'another' }))

const lengthens = (bytes: number) => header({ note: 'n'.repeat(bytes) })
const tooLong = line(lengthens(2_814 - lengthens(0).length)).replace('..', '..A')

/** Header lines that are not exactly one. */
const lines: readonly Mutant[] = [
  { name: 'no line', why: 'nothing is signed', lines: [] },
  { name: 'two lines', why: 'which one counts is a guess', lines: [whole, other] },
  { name: 'the same line twice', why: 'one line is asked for', lines: [whole, whole] },
  { name: 'a good line behind an empty one', why: 'one line is asked for', lines: ['', whole] },
  { name: 'a good line before garbage', why: 'one line is asked for', lines: [whole, 'x'] },
  { name: 'a line of 4097 bytes', why: '4096 is the limit', lines: [tooLong] },
  { name: 'a line of 16 KiB', why: '4096 is the limit', lines: [line(lengthens(12_000))] },
].map((mutant) => ({ step: 'header-line', ...mutant }))

/** Lines that are not `<protected>..<signature>`. */
const segments: readonly Mutant[] = [
  ['empty line', ''],
  ['one dot alone', '.'],
  ['two dots alone', '..'],
  ['three dots alone', '...'],
  ['no dot', protectedSegment + signatureSegment],
  ['one dot', `${protectedSegment}.${signatureSegment}`],
  ['three dots in the middle', `${protectedSegment}...${signatureSegment}`],
  ['trailing dot', `${whole}.`],
  ['leading dot', `.${whole}`],
  ['four segments', `${whole}.${signatureSegment}`],
  ['five segments, as encrypted tokens have', `${protectedSegment}..${signatureSegment}.AA.AA`],
  ['empty protected header', `..${signatureSegment}`],
  ['empty signature', `${protectedSegment}..`],
  ['alg none without a signature', line(header({ alg: 'none' }), { by: () => new Uint8Array() })],
  ['the payload attached', `${protectedSegment}.${base64url(body)}.${signatureSegment}`],
  ['another payload attached', `${protectedSegment}.${base64url('{}')}.${signatureSegment}`],
  ['a space as payload', `${protectedSegment}. .${signatureSegment}`],
  ['padding as payload', `${protectedSegment}.=.${signatureSegment}`],
  ['two lines joined by a comma', `${whole}, ${other}`],
  ['the same line twice joined by a comma', `${whole},${whole}`],
  ['dots percent-encoded', whole.replaceAll('.', '%2E')],
  ['the flattened JSON serialization', JSON.stringify({ protected: protectedSegment, signature: signatureSegment })],
]
  .map(([name, text]) => ({ name: `${name}`, why: 'not three segments with the middle one empty', lines: [`${text}`] }))
  .map((mutant) => ({ step: 'segments', ...mutant }))

// A header whose encoding ends inside a group of four, and whose segment has a character that the alphabets spell apart.
const [loose, looseSignature] = halves(
  line(header({ note: 'n'.repeat([0, 1, 2].find((n) => lengthens(n).length % 3 === 1) ?? 0) })),
)
const [dashed, dashedSignature] = halves(line(headerAnd('"note":"~~~???ÿÿÿ"')))
const signed = halves(searched((candidate) => /\.\.[^.]*-[^.]*_/.test(candidate)))
const standard = (segment: string) => segment.replaceAll('-', '+').replaceAll('_', '/')

/** The same segment with a bit set in its last character that no byte has. */
function withTrailingBit(segment: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return segment.slice(0, -1) + alphabet[alphabet.indexOf(segment.slice(-1)) + 1]
}

const into = (text: string, at: number, piece: string) => text.slice(0, at) + piece + text.slice(at)
const inHeader = (piece: string) => into(whole, 40, piece)
const inSignature = (piece: string) => into(whole, whole.length - 40, piece)

/** Segments that are not the one base64url spelling of their bytes. */
const encodings: readonly Mutant[] = [
  ['padding on the signature', `${whole}==`],
  ['one padding character on the signature', `${whole}=`],
  ['padding on the header', `${loose}==..${looseSignature}`],
  ['percent-encoded padding', `${whole}%3D%3D`],
  ['standard alphabet in the header', `${standard(dashed)}..${dashedSignature}`],
  ['standard alphabet in the signature', `${signed[0]}..${standard(signed[1])}`],
  ['standard alphabet and padding in the signature', `${signed[0]}..${standard(signed[1])}==`],
  ['one character of the standard alphabet', `${signed[0]}..${signed[1].replace('_', '/')}`],
  ['trailing bits of the header changed', `${withTrailingBit(loose)}..${looseSignature}`],
  ['trailing bits of the signature changed', `${protectedSegment}..${withTrailingBit(signatureSegment)}`],
  ['leading space', ` ${whole}`],
  ['trailing space', `${whole} `],
  ['trailing tab', `${whole}\t`],
  ['trailing line feed', `${whole}\n`],
  ['trailing carriage return and line feed', `${whole}\r\n`],
  ['space before the dots', `${protectedSegment} ..${signatureSegment}`],
  ['space behind the dots', `${protectedSegment}.. ${signatureSegment}`],
  ['space inside the header', inHeader(' ')],
  ['tab inside the header', inHeader('\t')],
  ['line break inside the header', inHeader('\r\n')],
  ['folded line inside the header', inHeader('\r\n ')],
  ['space inside the signature', inSignature(' ')],
  ['line feed inside the signature', inSignature('\n')],
  ['form feed inside the signature', inSignature('\f')],
  ['no-break space inside the signature', inSignature('\u00a0')],
  ['zero-width space inside the header', inHeader('\u200b')],
  ['byte order mark before the line', `\ufeff${whole}`],
  ['NUL inside the signature', inSignature('\0')],
  ['NUL behind the signature', `${whole}\0`],
  ['asterisk inside the header', inHeader('*')],
  ['tilde inside the signature', inSignature('~')],
  ['character that completes no byte behind the signature', `${whole}AAA`],
  ['full-width letter in the header', whole.replace('J', '\uff2a')],
  ['line in quotation marks', `"${whole}"`],
  ['line behind a scheme', `Bearer ${whole}`],
  ['line before a comma', `${whole},`],
  ['line before a parameter', `${whole};v=1`],
]
  .map(([name, text]) => ({ name: `${name}`, why: 'one envelope has one spelling', lines: [`${text}`] }))
  .map((mutant) => ({ step: 'encoding', ...mutant }))

export const lineMutants: readonly Mutant[] = [...lines, ...segments, ...encodings]
