import type { SourceProblem, SpeakableBlock, SpeakableDocument, SpeakableSpan } from '../document.ts'
import type { ReadOptions } from '../options.ts'
import { applyLexicon } from '../sentences/lexicon.ts'

/** Findings of a reader. */
interface Found {
  readonly blocks: readonly SpeakableBlock[]
  readonly options: ReadOptions
  readonly title?: string | undefined
  readonly language?: string | undefined
  readonly frontMatter?: Readonly<Record<string, unknown>>
  readonly problems?: readonly SourceProblem[]
}

/** Makes a document of the findings. Front matter overrides the title and language of the page. */
export function toDocument({ blocks, options, frontMatter = {}, problems = [], ...page }: Found): SpeakableDocument {
  const heading = blocks.find((block) => block.kind === 'heading' && block.level === 1)
  const language = languageOf(frontMatter) ?? page.language
  const spoken = blocks.map((block) => respelled(withForeignSpans(block, language), options, language))
  return {
    frontMatter,
    title: textOf(frontMatter['title']) ?? (heading === undefined ? page.title : headingTitle(heading.text)),
    language,
    blocks: spoken,
    text: spoken.map((block) => block.text).join('\n\n'),
    problems,
  }
}

/** `lang` or `language` of the front matter. */
export function languageOf(frontMatter: Readonly<Record<string, unknown>>): string | undefined {
  return textOf(frontMatter['lang']) ?? textOf(frontMatter['language'])
}

/** Keeps the spans of a block only if one is in another language than the document. */
function withForeignSpans(block: SpeakableBlock, language: string | undefined): SpeakableBlock {
  if (block.spans === undefined) return block
  const own = language?.toLowerCase()
  const { spans, ...rest } = block
  const merged: SpeakableSpan[] = []
  for (const span of spans) {
    const isOwn = span.language === undefined || span.language.toLowerCase() === own
    const last = merged.at(-1)
    if (last !== undefined && last.language === (isOwn ? undefined : span.language)) {
      merged.splice(-1, 1, { ...last, text: last.text + span.text })
    } else merged.push(isOwn ? { text: span.text } : span)
  }
  return merged.some((span) => span.language !== undefined) ? { ...rest, spans: merged } : rest
}

function respelled(block: SpeakableBlock, options: ReadOptions, language: string | undefined): SpeakableBlock {
  const { lexicon } = options
  if (lexicon === undefined) return block
  const respell = (text: string, tag = options.language ?? language): string => applyLexicon(text, lexicon, tag).spoken
  if (block.spans === undefined) return { ...block, text: respell(block.text) }
  const spans = block.spans.map((span) => ({ ...span, text: respell(span.text, span.language) }))
  return { ...block, text: spans.map(({ text }) => text).join(''), spans }
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** Removes the full stop that was added for speech. */
function headingTitle(text: string): string {
  return text.replace(/[.。।]$/u, '')
}
