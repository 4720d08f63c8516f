/** A way to write that costs a reader time who learned English at school, with a plainer one. */
export interface SentencePattern {
  readonly name: string
  readonly pattern: RegExp
  readonly better: string
  /** A sentence of this pattern, as it was found here. */
  readonly before: string
  readonly after: string
}

/** The patterns of CONTRIBUTING.md that a program can find. `X` in a text is code or a quote. */
export const sentencePatterns: readonly SentencePattern[] = [
  {
    name: 'who as a noun',
    pattern:
      /(?:^Who (?:can|may|has|does|is)\b|\. Who\b)[^.?|]*\.|[:;] who \w+ [^.?]*\b(?:can|may|must)\b|\b[Ww]hoever\b/g,
    better: 'anyone who, a caller that, …',
    before: 'Who can use them sells in the name of the game server.',
    after: 'Anyone who has them can sell as the game server.',
  },
  {
    name: 'what as a noun',
    pattern: /[.:;] What (?!to\b)[^.?]*\./g,
    better: 'a noun: a file that …, text that …, everything that …',
    before: 'The worker tries once. What stays no reply is set aside.',
    after: 'The worker tries once. A file that is still not a valid reply is set aside.',
  },
  {
    name: 'no on the noun',
    pattern: /(?<!there )\b(?:is|are|was|were) no (?!(?:longer|more|less|fewer|later|older|newer|earlier)\b)/gi,
    better: 'not on the verb: is not a …',
    before: 'The body is no JSON.',
    after: 'The body is not JSON.',
  },
  {
    name: 'alone after the noun',
    pattern: /(?<!\b(?:run|runs|is|are|was|live|lives|counts) )\balone\b/gi,
    better: 'only before the noun',
    before: 'It reads that section alone.',
    after: 'It reads only that section.',
  },
  {
    name: 'so for "like this"',
    pattern:
      /\b(?:wait|waits|stay|stays|written|named|called|calls) so\b(?! that)|\bso (?:many|much)\b(?![^.:;]*\bthat\b)/gi,
    better: 'like this; this many, this much',
    before: 'Up to 64 requests may wait so.',
    after: 'Up to 64 requests may wait like this.',
  },
  {
    name: 'an own, another than',
    pattern: /\b(?:an|no) own\b|\b(?:another|otherwise|different) than\b/gi,
    better: 'its own, a different … from',
    before: 'Each attempt has an own id.',
    after: 'Each attempt has its own id.',
  },
  {
    name: 'see that',
    pattern: /(?:^|[.:;,] |\b(?:and|to) )see that\b/gi,
    better: 'check that',
    before: 'After a rotation, see that the fingerprint is shown.',
    after: 'After a rotation, check that the fingerprint is shown.',
  },
  {
    name: 'hold to, a signature that holds',
    pattern:
      /\b(?:hold|holds|held|holding) (?:(?!what|that|which)[\w'’-]+ ){1,5}(?:to|against) (?!be\b)|\bsignature (?:that )?(?:holds|does not hold)\b/gi,
    better: 'test with, check against; is valid, is not valid',
    before: 'Hold your verifier to our vectors. Answer 401 where the signature does not hold.',
    after: 'Test your verifier with our vectors. Answer 401 where the signature is not valid.',
  },
  {
    name: 'of for "about"',
    pattern: /\b(?:says?|said|tells?|told|learns?|knows?|known|hears?|warns?|warned|nothing) of\b/gi,
    better: 'about',
    before: 'It says nothing of the platform.',
    after: 'It says nothing about the platform.',
  },
  {
    name: 'go on, stand, lead to',
    pattern:
      /\b(?:go|goes|went|going) on\b(?! (?:Windows|Linux|disk))|\bstands?\b(?! (?:for|by|in for|still|up|down)\b)(?!-)|\bleads? to\b/gi,
    better: 'continue; is; forward to, point to, cause',
    before: 'A proxy that leads to it goes on. The name stands in the file.',
    after: 'A proxy that forwards to it continues. The name is in the file.',
  },
  {
    name: 'have it done',
    pattern:
      /\b(?:has|have|had|having) (?:(?:the|an?|every) (?:\w+ )?|it |them )(?:asked|repeated|sent|shown|signed|started|stopped)\b/gi,
    better: 'make it do, or the verb itself',
    before: 'A command has the platform asked about each order.',
    after: 'A command makes the agent ask the platform about each order.',
  },
  {
    name: 'beside, anew, shall, for want of, but for',
    pattern: /\bbeside\b|\banew\b|\bshall\b|\bfor want of\b|\bbut for (?!the next\b)/gi,
    better: 'next to, besides; again; should; because there is no; except',
    before: 'It fails for want of space. Each attempt is signed anew.',
    after: 'It fails because there is no space. Each attempt is signed again.',
  },
  {
    name: 'for as "because"',
    pattern:
      /[,;] for (?:it|they|he|she|we|you|nothing|nobody|there|this|that|then) (?!(?:alone|one|time)\b)(?:\w+ )?(?:is|are|was|were|has|have|had|may|can|must|would|will|do|does)\b/gi,
    better: 'because',
    before: 'It stays a claim, for it may have been sent.',
    after: 'It stays a claim, because it may have been sent.',
  },
  {
    name: 'a comma before and, between two verbs of one subject',
    pattern:
      /(?<!,[^.:;]*), and (?:is|are|was|were|has|have|does|can|cannot|may|must|will|would|gets|gives|takes|goes|stays|ends|says|keeps|knows|makes|sends)\b/gi,
    better: 'leave the comma out, or begin a new sentence',
    before: 'The file is read, and is removed.',
    after: 'The file is read and is removed.',
  },
  {
    name: 'a comma before that',
    pattern: /\b(?:says|say|means|shows|show|knows|know|proves|promises|sure), that\b/gi,
    better: 'leave the comma out',
    before: 'The log says, that the clock is wrong.',
    after: 'The log says that the clock is wrong.',
  },
]

/** The patterns that a text contains, each with the words that were found. */
export function findPatterns(
  text: string,
  patterns = sentencePatterns,
): { name: string; better: string; words: string }[] {
  const plain = text
    .replace(/\{@link [^}]*\}|`[^`]*`|"[^"]*"|“[^”]*”|\]\([^)]*\)|https?:\S+/g, (part) =>
      part.startsWith(']') ? ']' : 'X',
    )
    .replace(/[*[\]]/g, '')
  return patterns.flatMap(({ name, better, pattern }) =>
    [...plain.matchAll(pattern)].map(([words]) => ({ name, better, words: words.trim() })),
  )
}
