/** Kind of a token. */
export type TokenKind = 'comment' | 'string' | 'keyword' | 'plain'

/** A token of code. */
export interface Token {
  readonly kind: TokenKind
  readonly text: string
}

const KEYWORDS = 'as async await class const export extends from function import let new return static type'

const PIECES = new RegExp(
  [
    String.raw`(?<comment>\/\/[^\n]*)`,
    String.raw`(?<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\`(?:[^\`\\]|\\.)*\`)`,
    String.raw`\b(?<keyword>${KEYWORDS.replaceAll(' ', '|')})\b`,
  ].join('|'),
  'g',
)

/** Splits TypeScript into tokens for highlighting: comments, strings, keywords and the rest. It does not parse. */
export function highlight(code: string): Token[] {
  const tokens: Token[] = []
  let end = 0
  for (const match of code.matchAll(PIECES)) {
    if (match.index > end) tokens.push({ kind: 'plain', text: code.slice(end, match.index) })
    tokens.push({ kind: kindOf(match.groups ?? {}), text: match[0] })
    end = match.index + match[0].length
  }
  if (end < code.length) tokens.push({ kind: 'plain', text: code.slice(end) })
  return tokens
}

function kindOf({ comment, string }: Readonly<Record<string, string | undefined>>): TokenKind {
  if (comment !== undefined) return 'comment'
  return string === undefined ? 'keyword' : 'string'
}
