const mark = ',"replayed":true'

/** Whether an answer says that it was given before. @param text Of the whole answer. */
export function isRepetition(text: string): boolean {
  return text.includes(mark)
}

/** The text of the first answer. */
export function withoutMark(text: string): string {
  return text.replace(mark, '')
}
