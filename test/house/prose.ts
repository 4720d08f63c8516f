import { type Node, parseSync, Visitor } from 'oxc-parser'

/** A piece of text for people: a comment, the name of a test, a paragraph or a row of a page. */
export interface Prose {
  readonly line: number
  readonly text: string
}

/** The comments of a source file and the names of its tests. Lines of `//` that follow each other are one comment. */
export function proseOfSource(path: string, text: string): Prose[] {
  const { comments, program } = parseSync(path, text)
  const found: Prose[] = []
  let lastEnd = -1
  for (const { type, value, start, end } of comments) {
    const last = found.at(-1)
    const plain = value.replace(/^\*/, '').replace(/\n[ \t]*\*?/g, ' ')
    const joins = type === 'Line' && /^\n[ \t]*$/.test(text.slice(lastEnd, start))
    if (joins && last) found[found.length - 1] = { ...last, text: `${last.text} ${plain.trim()}` }
    else found.push({ line: lineAt(text, start), text: plain.trim().replace(/\s+/g, ' ') })
    lastEnd = type === 'Line' ? end : -1
  }
  new Visitor({
    CallExpression: ({ callee, arguments: [first] }) => {
      if (first && /^(?:test|describe|it)\b/.test(text.slice(callee.start, callee.end))) {
        const title = titleOf(first)
        if (title) found.push({ line: lineAt(text, first.start), text: title })
      }
    },
  }).visit(program)
  return found
}

/** The strings and templates of a source file. */
export function stringsOfSource(path: string, text: string): Prose[] {
  const found: Prose[] = []
  const add = (node: Node) => {
    const value = titleOf(node)
    if (value) found.push({ line: lineAt(text, node.start), text: value })
  }
  new Visitor({ Literal: add, TemplateLiteral: add }).visit(parseSync(path, text).program)
  return found
}

/** A template's values count as code. */
function titleOf(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.raw).join('`value`')
  return undefined
}

/** The lines of a Markdown page, without code blocks, quotes and the links' addresses. A cell of a table is a piece. */
export function proseOfPage(text: string): Prose[] {
  const withoutBlocks = text.replace(/^([ \t]*)(```|~~~)[\s\S]*?^\1\2.*$/gm, (block) => block.replace(/[^\n]/g, ''))
  return withoutBlocks.split('\n').flatMap((line, index) => {
    if (/^\s*>/.test(line)) return []
    const pieces = line.startsWith('|') ? line.split('|') : [line.replace(/^[\s#*-]+|^\d+\. /, '')]
    return pieces.filter((piece) => piece.trim() !== '').map((piece) => ({ line: index + 1, text: piece.trim() }))
  })
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
