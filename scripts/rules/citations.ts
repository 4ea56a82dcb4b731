import type { Side } from './rule.ts'

/** A test that says which rule it proves. */
export interface Citation {
  readonly id: string
  /** Path of the test file from the root of the repository. */
  readonly path: string
  readonly line: number
}

/** What a test file cites, and what is wrong with how it does. */
export interface FileCitations {
  readonly citations: readonly Citation[]
  readonly faults: readonly string[]
}

/** Whose tests a file holds: those of a server, or those of the client and all that is built on it. */
export function sideOf(path: string): Side {
  return /^apps\/(service|conformance)\//.test(path) ? 'service' : 'client'
}

const COMMENT = /^\s*\/\//
const CITATION = /^(.*?)\/\/ rules: *(.*)$/

/** A test, a group of tests, or a case in the table of one. */
const CITABLE = /^\s*(test|describe|it)\b|^\s*(\[|\{|\(|'|"|`|\.\.\.)/
const SKIPPED = /^\s*(test|describe|it)\.(skip|todo)\b/

/**
 * Finds lines such as `// rules: speech.pause-range, stream.pauses`, which stand directly above the test, the group of
 * tests or the case of a table that proves these rules.
 */
export function readCitations(path: string, source: string): FileCitations {
  const citations: Citation[] = []
  const faults: string[] = []
  const lines = source.split('\n')
  for (const [index, text] of lines.entries()) {
    const match = CITATION.exec(text)
    if (match === null) continue
    const [, before = '', ids = ''] = match
    const line = index + 1
    const cited = lines.slice(line).find((next) => !COMMENT.test(next)) ?? ''
    if (before.trim() !== '') faults.push(`${path}:${line}: a citation stands in a line of its own, above the test`)
    else if (SKIPPED.test(cited)) faults.push(`${path}:${line}: a test that does not run proves nothing`)
    else if (!CITABLE.test(cited)) faults.push(`${path}:${line}: there is no test directly below this citation`)
    else citations.push(...ids.split(',').map((id) => ({ id: id.trim(), path, line })))
  }
  return { citations, faults }
}

/** A call whose first argument may be a rule's id, as every check of the conformance suite is made. */
const CHECK = /\b(?<maker>\w+)\(\s*'(?<id>[\w.-]+)'/g

/**
 * Finds the checks of the conformance suite, which name their rules themselves; a rule that has none says why.
 * @param ids Every rule. The suite's own test finds fault with a check of no rule.
 */
export function readChecks(path: string, source: string, ids: ReadonlySet<string>): FileCitations {
  const citations = [...source.matchAll(CHECK)].flatMap(({ groups, index }) => {
    const { maker, id = '' } = groups ?? {}
    const line = source.slice(0, index).split('\n').length
    return maker !== 'unobservable' && ids.has(id) ? [{ id, path, line }] : []
  })
  return { citations, faults: [] }
}
