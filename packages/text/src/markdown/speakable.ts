import type { ReadMarkdownOptions } from '../options.ts'
import { readMarkdown } from './read-markdown.ts'

/**
 * The speakable text of Markdown, e.g. of a language model's answer: the `text` of {@link readMarkdown}. Pause markers
 * stay.
 *
 * @throws TextOptionError naming the option
 */
export function speakable(text: string, options: ReadMarkdownOptions = {}): string {
  return readMarkdown(text, options).text
}
