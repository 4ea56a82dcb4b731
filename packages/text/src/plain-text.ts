import { toDocument } from './blocks/to-document.ts'
import type { SpeakableBlock, SpeakableDocument } from './document.ts'
import { checkOptions, type ReadOptions } from './options.ts'
import { LINE_BREAK, tidy, withoutMarks } from './spoken/marks.ts'
import { spokenText } from './spoken/spoken-text.ts'

/**
 * Reads plain text: empty lines separate paragraphs, every line end stays. No character is markup.
 *
 * @throws TextOptionError naming the option
 */
export function readPlainText(source: string, options: ReadOptions = {}): SpeakableDocument {
  checkOptions('plain', options)
  const blocks: SpeakableBlock[] = []
  let paragraph: string[] = []
  let line = 1
  const flush = (): void => {
    const text = tidy(spokenText(paragraph.join(LINE_BREAK), options))
    if (text !== '') blocks.push({ kind: 'paragraph', text, line: line - paragraph.length })
    paragraph = []
  }
  for (const text of withoutMarks(source).split(/\r\n|[\n\r\u0085\f]/)) {
    if (text.trim() === '') flush()
    else paragraph.push(text)
    line += 1
  }
  flush()
  return toDocument({ blocks, options })
}
