import { type Node, parseSync, Visitor } from 'oxc-parser'

const levels = new Set(['info', 'warn', 'error', 'fatal'])
/** What reads the settings collects warnings, which are logged elsewhere. */
const notLogs = new Set(['this', 'reader'])

/** A text of a source, its values as `…`; or the code that makes it, where only a run of the program can tell it. */
type Found = { readonly text: string } | { readonly code: string }

/** The texts that a source gives to a log, and those of a field or constant `msg`, which a log gets elsewhere. */
export function logTextsIn(path: string, source: string, constants: ReadonlyMap<string, string>): Found[] {
  const found: Found[] = []
  const add = (node: Node | undefined) => {
    if (!node || node.type === 'ObjectExpression' || node.type === 'ArrayExpression') return
    const code = source.slice(node.start, node.end)
    const text = literalOf(node) ?? constants.get(code)
    if (text !== '') found.push(text === undefined ? { code } : { text })
  }
  const addEither = (node: Node | null) => {
    if (node?.type === 'ConditionalExpression') {
      addEither(node.consequent)
      addEither(node.alternate)
    } else if (node && literalOf(node) !== undefined) add(node)
  }
  new Visitor({
    CallExpression({ callee, arguments: given }) {
      if (callee.type !== 'MemberExpression') return
      const { object, property } = callee
      const receiver = source.slice(object.start, object.end)
      const isLevel = property.type === 'Identifier' && levels.has(property.name) && !notLogs.has(receiver)
      if (isLevel || (callee.computed && /log/i.test(receiver))) add(given.at(-1))
    },
    Property({ key, value }) {
      if (key.type === 'Identifier' && key.name === 'msg') addEither(value)
    },
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && id.name === 'msg') addEither(init)
    },
  }).visit(parseSync(path, source).program)
  return found
}

/** The constants at the top of a source that are texts, by their names. */
export function textConstantsIn(path: string, source: string): [name: string, text: string][] {
  const statements = parseSync(path, source).program.body.map((statement) =>
    statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement,
  )
  return statements
    .flatMap((statement) => (statement?.type === 'VariableDeclaration' ? statement.declarations : []))
    .flatMap(({ id, init }) => {
      const text = init ? literalOf(init) : undefined
      return id.type === 'Identifier' && text !== undefined ? [[id.name, text] as [string, string]] : []
    })
}

function literalOf(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked ?? '').join('…')
  return undefined
}

/** Whether a page has a text: whole, or with `…` in the place of a part. */
export function isOnPage(page: string, text: string): boolean {
  const spans = [...page.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  const covers = (pattern: string, other: string) => {
    const parts = pattern.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    return /[a-z]/.test(pattern) && new RegExp(`^${parts.join('.+')}$`).test(other)
  }
  return spans.some((span) => covers(span, text) || covers(text, span))
}
