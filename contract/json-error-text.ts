import type { JsonError } from './strict-json.ts'

/** What is wrong with a JSON text, for people who run a command. Completes a sentence that begins with its name. */
export function jsonErrorText(error: JsonError): string {
  switch (error.kind) {
    case 'not-json':
      return `is not valid JSON at line ${error.line}, column ${error.column}; check quotes, commas and braces`
    case 'not-an-object':
      return 'is not a JSON object; begin with { and end with }'
    case 'too-deep':
      return 'is nested too deeply'
    case 'lone-surrogate':
      return `has half a Unicode character at line ${error.line}, column ${error.column}; save it as UTF-8`
    case 'duplicate-name':
      return `has the name ${JSON.stringify(error.name)} twice in one object; keep one`
    case 'inexact-number':
      return `has the number ${error.number}, which cannot be read exactly; keep within ±9007199254740991`
  }
}
