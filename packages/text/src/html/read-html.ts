import { BlockBuilder } from '../blocks/block-builder.ts'
import { countSkipEnds, SkipMarks } from '../blocks/skip.ts'
import { toDocument } from '../blocks/to-document.ts'
import type { SpeakableDocument } from '../document.ts'
import { checkOptions, type ReadHtmlOptions } from '../options.ts'
import { withoutMarks } from '../spoken/marks.ts'
import { spokenMath } from '../spoken/math.ts'
import { LineCounter } from './line-counter.ts'
import { readTags } from './html-events.ts'

/**
 * Converts HTML, a whole page or a fragment, to speakable text. It omits scripts, styles, hidden elements, menus,
 * controls, players, drawings, code blocks and footnote marks. It speaks images by their alternative texts.
 *
 * @throws TextOptionError naming the option
 */
export function readHtml(source: string, options: ReadHtmlOptions = {}): SpeakableDocument {
  checkOptions('html', options)
  const html = withoutMarks(source)
  const builder = new BlockBuilder(options)
  const lines = new LineCounter(html)
  const marks = new SkipMarks(countSkipEnds(html))
  readTags(html, {
    open(name, attributes, isSelfClosing, offset) {
      builder.line = lines.at(offset)
      builder.open(name, attributes)
      // Only drawings and formulas close themselves: `<div/>` is an opening tag.
      if (isSelfClosing && (name === 'svg' || name === 'math')) builder.close(name)
    },
    close(name) {
      // As in browsers, `</br>` is a line break.
      if (name === 'br') builder.lineBreak()
      else builder.close(name)
    },
    text(text, offset) {
      builder.line = lines.at(offset + text.length - text.trimStart().length)
      builder.text(spokenMath(text, options))
    },
    skipMark(comment, offset) {
      const isSkipping = marks.read(comment, lines.at(offset))
      if (isSkipping !== undefined) builder.skip(isSkipping)
    },
  })
  const blocks = builder.end()
  const { pageTitle: title, pageLanguage: language } = builder
  return toDocument({ blocks, options, title, language, problems: marks.problems })
}
