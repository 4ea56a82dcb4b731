const TAG_NAME = /<\/?(?:[A-Za-z_$][\w$.:-]*)?/y
const QUOTES = new Set(['"', "'", '`'])
/** Longest tag or expression. It limits the cost of an unclosed one. */
const LENGTH_MAX = 20_000

/**
 * The end of the expression at an index, or `undefined`: `{…}` with balanced braces. Braces in strings, templates and
 * comments do not count.
 */
export function expressionEnd(source: string, from: number): number | undefined {
  let depth = 0
  for (let index = from; index < source.length && index - from < LENGTH_MAX; index += 1) {
    const letter = source.charAt(index)
    if (QUOTES.has(letter)) index = stringEnd(source, index)
    else if (source.startsWith('/*', index)) index = commentEnd(source, index)
    else if (letter === '{') depth += 1
    else if (letter === '}' && (depth -= 1) === 0) return index + 1
  }
  return undefined
}

/**
 * The end of the JSX tag at an index, or `undefined`: `<Name a="b" c={d}>`, `</Name>`, `<Name />` or a fragment's `<>`.
 */
export function tagEnd(source: string, from: number): number | undefined {
  TAG_NAME.lastIndex = from
  const name = TAG_NAME.exec(source)?.[0]
  if (name === undefined) return undefined
  let index = from + name.length
  if (!/[\s/>{]/.test(source.charAt(index))) return undefined
  for (; index < source.length && index - from < LENGTH_MAX; index += 1) {
    const letter = source.charAt(index)
    if (letter === '>') return index + 1
    if (letter === '<') return undefined
    if (letter === '{') {
      const end = expressionEnd(source, index)
      if (end === undefined) return undefined
      index = end - 1
    } else if (letter === '"' || letter === "'") {
      const end = source.indexOf(letter, index + 1)
      if (end < 0) return undefined
      index = end
    }
  }
  return undefined
}

/** Empties the expressions of a JSX tag, so it can be read as HTML. */
export function withoutExpressions(tag: string): string {
  const out: string[] = []
  let from = 0
  for (let index = 0; index < tag.length; index += 1) {
    const letter = tag.charAt(index)
    if (letter === '"' || letter === "'") {
      index = Math.max(index, tag.indexOf(letter, index + 1))
    } else if (letter === '{') {
      const end = expressionEnd(tag, index) ?? tag.length
      const isValue = tag.charAt(index - 1) === '='
      out.push(tag.slice(from, index), isValue ? '""' : '')
      from = end
      index = end - 1
    }
  }
  return out.join('') + tag.slice(from)
}

function stringEnd(source: string, from: number): number {
  const quote = source.charAt(from)
  for (let index = from + 1; index < source.length; index += 1) {
    const letter = source.charAt(index)
    if (letter === '\\') index += 1
    else if (letter === quote) return index
    // An apostrophe in a comment or in text: the line has no string.
    else if (letter === '\n' && quote !== '`') return from
  }
  return from
}

function commentEnd(source: string, from: number): number {
  const end = source.indexOf('*/', from + 2)
  return end < 0 ? from : end + 1
}
