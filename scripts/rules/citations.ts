import type { Side } from './rule.ts'

/** A test's citation of a rule. */
export interface Citation {
  readonly id: string
  /** Path of the test file from the root of the repository. */
  readonly path: string
  readonly line: number
}

/** The citations of a test file, and their faults. */
export interface FileCitations {
  readonly citations: readonly Citation[]
  readonly faults: readonly string[]
}

/** Returns the side of a test file: the service, or the client and its adapters. */
export function sideOf(path: string): Side {
  return /^apps\/(service|conformance)\//.test(path) ? 'service' : 'client'
}

const COMMENT = /^\s*\/\//
const CITATION = /^(.*?)\/\/ rules: *(.*)$/

/** Matches a test, a group of tests, or a case in a table. */
const CITABLE = /^\s*(test|describe|it)\b|^\s*(\[|\{|\(|'|"|`|\.\.\.)/
const SKIPPED = /^\s*(test|describe|it)\.(skip|todo)\b/

/**
 * Finds citations such as `// rules: speech.pause-range, stream.pauses`, directly above a test, a group of tests or a
 * case of a table.
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
    if (before.trim() !== '') faults.push(`${path}:${line}: put the citation on a separate line, above the test`)
    else if (SKIPPED.test(cited)) faults.push(`${path}:${line}: a skipped test does not run and proves nothing`)
    else if (!CITABLE.test(cited)) faults.push(`${path}:${line}: no test directly below this citation`)
    else citations.push(...ids.split(',').map((id) => ({ id: id.trim(), path, line })))
  }
  return { citations, faults }
}

/** Matches a call with a rule's id as its first argument: the form of each conformance check. */
const CHECK = /\b(?<maker>\w+)\(\s*'(?<id>[\w.-]+)'/g

/**
 * Finds the checks of the conformance suite. Each check names its rule. `unobservable` does not count.
 * @param ids All rules. The suite's test reports checks of unknown rules.
 */
export function readChecks(path: string, source: string, ids: ReadonlySet<string>): FileCitations {
  const citations = [...source.matchAll(CHECK)].flatMap(({ groups, index }) => {
    const { maker, id = '' } = groups ?? {}
    const line = source.slice(0, index).split('\n').length
    return maker !== 'unobservable' && ids.has(id) ? [{ id, path, line }] : []
  })
  return { citations, faults: [] }
}
