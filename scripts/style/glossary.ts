/** A term of the glossary and the words it replaces. */
export interface GlossaryTerm {
  readonly term: string
  /** Words and phrases in lower case. */
  readonly refused: readonly string[]
}

/**
 * Reads the glossary table of `docs/style.md`: the rows between `<!-- glossary -->` and `<!-- /glossary -->`.
 *
 * @throws Error when the table is missing or a row does not have three columns
 */
export function readGlossary(page: string): readonly GlossaryTerm[] {
  const table = /<!-- glossary -->([\s\S]*)<!-- \/glossary -->/.exec(page)?.[1]
  if (table === undefined)
    throw new Error('docs/style.md has no glossary between <!-- glossary --> and <!-- /glossary -->')
  const rows = table.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) => {
    const [term, , refused, ...rest] = row.split('|').slice(1, -1)
    if (term === undefined || refused === undefined || rest.length > 0) {
      throw new Error(`docs/style.md: a glossary row needs three columns: ${row}`)
    }
    const words = refused.split(',').map((word) => word.trim().toLowerCase())
    return { term: term.trim(), refused: words.filter((word) => word !== '') }
  })
}
