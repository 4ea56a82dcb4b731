import { Parser } from 'htmlparser2'

/** Elements whose text is not displayed, or is code or a control. */
const SILENT = /^(?:script|style|textarea|svg|nav|button|video|audio|iframe|select|math|noscript|object|template)$/
const BLOCK = /^(?:p|div|li|h\d|pre|br|td|th|tr|blockquote|hr|summary|dt|dd|img)$/

/** Options of {@link displayedText}. */
export interface DisplayedOptions {
  /** Leaves out `<pre>`. @default false */
  readonly withoutCode?: boolean
  /** Leaves out images with these addresses. */
  readonly withoutImages?: RegExp
}

/** The text that a browser displays of HTML, with alternative texts of images: read by another parser than ours. */
export function displayedText(html: string, { withoutCode = false, withoutImages }: DisplayedOptions = {}): string {
  const out: string[] = []
  const silent: boolean[] = []
  const parser = new Parser({
    onopentag(name, attributes) {
      silent.push(
        SILENT.test(name) ||
          (withoutCode && name === 'pre') ||
          'hidden' in attributes ||
          attributes['aria-hidden'] === 'true',
      )
      if (BLOCK.test(name)) out.push(' ')
      if (name === 'img' && withoutImages?.test(attributes['src'] ?? '') !== true)
        out.push(attributes['alt'] ?? '', ' ')
    },
    onclosetag(name) {
      silent.pop()
      if (BLOCK.test(name)) out.push(' ')
    },
    ontext(text) {
      if (!silent.includes(true)) out.push(text)
    },
  })
  parser.write(html)
  parser.end()
  return out.join('')
}

/** The words and numbers of a text. */
export function words(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? []
}
