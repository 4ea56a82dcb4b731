import type { SourceProblem, SpeakableBlock, SpeakableDocument } from '../document.ts'
import { applyLexicon } from '../lexicon/lexicon.ts'
import type { ReadOptions } from '../options.ts'

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
  const language = textOf(frontMatter['lang']) ?? textOf(frontMatter['language']) ?? page.language
  const { lexicon } = options
  const spoken =
    lexicon === undefined
      ? blocks
      : blocks.map((block) => ({
          ...block,
          text: applyLexicon(block.text, lexicon, options.language ?? language).spoken,
        }))
  return {
    frontMatter,
    title: textOf(frontMatter['title']) ?? (heading === undefined ? page.title : headingTitle(heading.text)),
    language,
    blocks: spoken,
    text: spoken.map((block) => block.text).join('\n\n'),
    problems,
  }
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** Removes the full stop that was added for speech. */
function headingTitle(text: string): string {
  return text.replace(/[.。।]$/u, '')
}
