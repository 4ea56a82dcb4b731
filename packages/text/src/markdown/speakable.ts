import type { ReadMarkdownOptions } from '../options.ts'
import { readMarkdown } from './read-markdown.ts'

/**
 * Converts Markdown, e.g. a language model's answer, to speakable text: the `text` of {@link readMarkdown}. Pause
 * markers stay.
 *
 * @throws TextOptionError naming the option
 */
export function speakable(text: string, options: ReadMarkdownOptions = {}): string {
  return readMarkdown(text, options).text
}
