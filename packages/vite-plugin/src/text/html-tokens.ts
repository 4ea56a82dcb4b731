/** A piece of HTML. Comments, doctypes and processing instructions are left out. */
export type HtmlToken =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'open'; readonly name: string; readonly attributes: string }
  | { readonly type: 'close'; readonly name: string }

/** A name, and attributes whose quotes may hold `>`; a bare `<` inside means that this was no tag. */
const MARKUP = /<!--[\s\S]*?(?:-->|$)|<[!?][^>]*>|<(\/?)([a-zA-Z][^\s/<>]*)((?:"[^"]*"|'[^']*'|[^"'<>])*)>/g

/** Elements whose content is no markup: it ends at their end tag, whatever stands in it. */
const RAW_TEXT = new Set(['script', 'style', 'textarea', 'title'])

/** Splits HTML into tags and text, in order. What looks like a tag but is none is text. */
export function* htmlTokens(html: string): Generator<HtmlToken, void, undefined> {
  const markup = new RegExp(MARKUP)
  let from = 0
  for (let match = markup.exec(html); match !== null; match = markup.exec(html)) {
    if (match.index > from) yield { type: 'text', text: html.slice(from, match.index) }
    from = markup.lastIndex
    const [, slash, tag, attributes = ''] = match
    if (tag === undefined) continue
    const name = tag.toLowerCase()
    if (slash === '/') {
      yield { type: 'close', name }
      continue
    }
    yield { type: 'open', name, attributes }
    if (RAW_TEXT.has(name)) {
      from = rawTextEnd(html, from, name)
      markup.lastIndex = from
    }
  }
  if (from < html.length) yield { type: 'text', text: html.slice(from) }
}

/** Value of an attribute; empty for one without a value, `undefined` where it is absent. */
export function attributeValue(attributes: string, name: string): string | undefined {
  const match = new RegExp(
    `(?:^|[\\s"'/])${name}(?:\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))|(?=[\\s/]|$))`,
    'i',
  ).exec(attributes)
  return match === null ? undefined : (match[1] ?? match[2] ?? match[3] ?? '')
}

function rawTextEnd(html: string, from: number, name: string): number {
  const end = new RegExp(`</${name}`, 'gi')
  end.lastIndex = from
  return end.exec(html)?.index ?? html.length
}
