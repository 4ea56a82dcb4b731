import type { SpeakableSpan } from '../document.ts'
import { tidy } from '../spoken/marks.ts'

/** A part of a block's text while it is read. */
export interface TextPart {
  readonly text: string
  readonly language: string | undefined
}

/**
 * The spans of a block, by language. Together they are its text.
 * @param text The tidied text of the block.
 * @returns `undefined` for a block without a language of its own
 */
export function spansOf(parts: readonly TextPart[], text: string): readonly SpeakableSpan[] | undefined {
  if (parts.every(({ language }) => language === undefined)) return undefined
  const spans: SpeakableSpan[] = []
  let source = ''
  let from = 0
  for (const [index, part] of parts.entries()) {
    source += part.text
    if (parts[index + 1] !== undefined && parts[index + 1]?.language === part.language) continue
    const isLast = index === parts.length - 1
    const to = isLast ? text.length : tidy(source).length
    // White space at a boundary may be tidied otherwise than inside the text.
    if (!isLast && !text.startsWith(tidy(source))) return undefined
    const own = text.slice(from, to)
    const { language } = part
    if (own !== '') spans.push(language === undefined ? { text: own } : { text: own, language })
    from = to
  }
  return spans
}

/** Puts a text before the first span and another behind the last. */
export function extendSpans(spans: readonly SpeakableSpan[], before: string, behind: string): readonly SpeakableSpan[] {
  return spans.map((span, index) => ({
    ...span,
    text: `${index === 0 ? before : ''}${span.text}${index === spans.length - 1 ? behind : ''}`,
  }))
}

/** The text of parts. */
export function joined(parts: readonly TextPart[]): string {
  return parts.map(({ text }) => text).join('')
}
