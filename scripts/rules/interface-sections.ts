/** A part of docs/interface.md, from one heading to the next. */
export interface Section {
  /** The heading's text. */
  readonly heading: string
  /** Names in the first columns of its tables: fields, headers, states, event types. */
  readonly names: readonly string[]
}

/** Matches a name, not a phrase, in the first cell of a row. */
const NAME = /^[A-Za-z][\w.[\]-]*$/

/** Returns the sections of the interface with text. A heading with only subheadings does not count. */
export function readSections(markdown: string): Section[] {
  const parts = markdown.split(/^(?=#{1,6} )/m)
  return parts.flatMap((part) => {
    const [first = '', ...lines] = part.split('\n')
    const said = lines.some((line) => line.trim() !== '')
    return first.startsWith('#') && said ? [{ heading: first.replace(/^#+ /, ''), names: readNames(lines) }] : []
  })
}

function readNames(lines: readonly string[]): string[] {
  return lines.flatMap((line, index) => {
    const [, cell] = line.split('|')
    // The row above the dashes is the table's head.
    const isHead = (lines[index + 1] ?? '').startsWith('|---')
    const name = cell?.trim().replaceAll('`', '') ?? ''
    return line.startsWith('|') && !isHead && NAME.test(name) ? [name] : []
  })
}
