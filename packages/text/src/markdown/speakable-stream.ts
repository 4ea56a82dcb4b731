import { checkOptions, type ReadMarkdownOptions } from '../options.ts'
import { Paragraphs } from './paragraphs.ts'
import { speakable } from './read-markdown.ts'

/**
 * {@link speakable} for streamed text, paragraph by paragraph, because only later text shows the meaning of a mark. A
 * paragraph of more than 16,384 characters is read in parts. Link definitions and elements do not reach across
 * paragraphs. Everything else equals the result for the whole text. Each yield ends with an empty line.
 *
 * @throws TextOptionError naming the option
 */
export function speakableStream(
  chunks: AsyncIterable<string>,
  options: ReadMarkdownOptions = {},
): AsyncGenerator<string, void, undefined> {
  checkOptions('markdown', options)
  return spokenChunks(chunks, options)
}

async function* spokenChunks(
  chunks: AsyncIterable<string>,
  options: ReadMarkdownOptions,
): AsyncGenerator<string, void, undefined> {
  const paragraphs = new Paragraphs()
  for await (const chunk of chunks) {
    for (const paragraph of paragraphs.push(chunk)) yield* spoken(paragraph, options)
  }
  yield* spoken(paragraphs.end(), options)
}

function* spoken(paragraph: string, options: ReadMarkdownOptions): Generator<string, void, undefined> {
  const text = speakable(paragraph, options)
  if (text !== '') yield `${text}\n\n`
}
