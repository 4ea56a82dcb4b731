// Compares the rules of the interface (docs/rules.json) with docs/interface.md and with the tests that cite them.
// `--write` writes docs/rules.md. Without it, an outdated page fails.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PAGE = 'docs/rules.md'

/** The side that a rule concerns: the client, the service or both. */
export type Keeper = 'client' | 'service' | 'both'

/** A side. Tests are counted per side. */
export type Side = 'client' | 'service'

/** A rule of docs/interface.md. */
export interface Rule {
  /** A group and a slug, e.g. `speech.pause-range`. It never changes, because tests cite it. */
  readonly id: string
  /** The rule's heading in docs/interface.md. */
  readonly section: string
  /** The rule's sentence. */
  readonly rule: string
  readonly keeper: Keeper
}

/** Returns the sides that a rule concerns. */
export function sidesOf({ keeper }: Rule): readonly Side[] {
  return keeper === 'both' ? ['client', 'service'] : [keeper]
}

const SLUG = /^[a-z]+(-[a-z]+)*\.[a-z0-9]+(-[a-z0-9]+)*$/

/**
 * Reads the rules of docs/rules.json.
 * @throws Error with the first entry that is not a {@link Rule}, or with a duplicate id
 */
export function readRules(json: string): readonly Rule[] {
  const value: unknown = JSON.parse(json)
  const { rules } = isRecord(value) ? value : {}
  if (!Array.isArray(rules)) throw new Error('rules must be an array')
  const ids = new Set<string>()
  return rules.map((entry: unknown, index): Rule => {
    if (!isRule(entry)) throw new Error(`rules[${index}] is not a rule: ${JSON.stringify(entry)}`)
    if (ids.has(entry.id)) throw new Error(`duplicate id ${entry.id}`)
    ids.add(entry.id)
    return entry
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isRule(value: unknown): value is Rule {
  if (!isRecord(value)) return false
  const { id, section, rule, keeper, ...rest } = value
  const texts = [section, rule].every((text) => typeof text === 'string' && text !== '')
  const known = ['client', 'service', 'both'].some((one) => one === keeper)
  return texts && known && typeof id === 'string' && SLUG.test(id) && Object.keys(rest).length === 0
}

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

/** Sections with tables that repeat other sections. */
const REPEATING: ReadonlySet<string> = new Set(['Limits'])

/** Returns the gaps of the rules: unknown headings, and sections and fields without a rule. */
export function findGaps(rules: readonly Rule[], sections: readonly Section[]): string[] {
  const headings = new Set(sections.map(({ heading }) => heading))
  const unknown = rules.filter(({ section }) => !headings.has(section))
  const gaps = unknown.map(({ id, section }) => `${id}: docs/interface.md has no section “${section}”`)
  for (const { heading, names } of sections) {
    const own = rules.filter(({ section }) => section === heading)
    if (own.length === 0) gaps.push(`the section “${heading}” has no rule`)
    else if (!REPEATING.has(heading)) {
      const said = own.map(({ rule }) => rule).join('\n')
      const missing = names.filter((name) => !said.includes(`\`${name}\``) && !said.includes(`\`${name}=`))
      gaps.push(...missing.map((name) => `no rule of the section “${heading}” names \`${name}\``))
    }
  }
  return gaps
}

/** Returns the citations of unknown rules, and of rules that concern the other side only. */
export function findWrongCitations(rules: readonly Rule[], citations: readonly Citation[]): string[] {
  const known = new Map(rules.map((rule) => [rule.id, rule]))
  return citations.flatMap(({ id, path, line }) => {
    const rule = known.get(id)
    if (rule === undefined) return [`${path}:${line}: unknown rule ${id}`]
    if (sidesOf(rule).includes(sideOf(path))) return []
    return [`${path}:${line}: ${id} concerns the ${rule.keeper} only`]
  })
}

/** Returns the rules without a test of a side that they concern. */
export function findUntested(rules: readonly Rule[], citations: readonly Citation[]): string[] {
  const tested = new Set(citations.map(({ id, path }) => `${sideOf(path)} ${id}`))
  return rules.flatMap((rule) =>
    sidesOf(rule)
      .filter((side) => !tested.has(`${side} ${rule.id}`))
      .map((side) => `${rule.id} has no test of the ${side}: ${rule.rule}`),
  )
}

const HEAD = `# Rules of the interface

The rules of [interface.md](interface.md), the sides that they concern, and the files that prove them. A check of apps/conformance names its rule and proves it for the service. A test cites a rule with a line such as \`// rules: speech.pause-range\` above the test or the case. \`pnpm generate\` writes this page from [rules.json](rules.json) and the citations. \`pnpm check\` fails for a rule without a test.

## What may be clamped

A clamped value is replaced by the nearest allowed one, without an error.

| Value out of range | A server may |
|---|---|
| \`limit\` and \`offset\` of a list | refuse it or clamp it. It never returns more than the maximum |
| \`speed\` and \`expected_duration_sec\` of a stream | only refuse it: \`invalid_range\` |
| \`[pause X.Ys]\` | refuse it or leave the pause out. It never makes a pause of that length |
| A duration of audio, a time, a size or a count in a response | only report what it is |
`

/** Renders docs/rules.md: for each section a table of its rules and their tests. */
export function renderRules(all: readonly Rule[], citations: readonly Citation[]): string {
  const sections = Map.groupBy(all, ({ section }) => section)
  const tables = [...sections].map(([section, rules]) => {
    const rows = rules.map((rule) => renderRow(rule, citations))
    return `## ${section}\n\n| Rule | Says | Client | Service |\n|---|---|---|---|\n${rows.join('\n')}\n`
  })
  return [HEAD, ...tables].join('\n')
}

function renderRow(rule: Rule, citations: readonly Citation[]): string {
  const sides = (['client', 'service'] as const).map((side) => {
    if (!sidesOf(rule).includes(side)) return ''
    const own = citations.filter(({ id, path }) => id === rule.id && sideOf(path) === side)
    const paths = [...new Set(own.map(({ path }) => path))].toSorted()
    return paths.map(link).join('<br>')
  })
  return `| ${[`\`${rule.id}\``, rule.rule.replaceAll('|', '\\|'), ...sides].join(' | ')} |`
}

/** Links a file without a line number: line numbers change too often. */
function link(path: string): string {
  return `[${path.replace(/^(apps|engines|kit|packages)\//, '')}](../${path})`
}

/** Returns one line with the number of rules, and the tested rules of each side. */
export function summarize(rules: readonly Rule[], citations: readonly Citation[]): string {
  const parts = (['client', 'service'] as const).map((side) => {
    const own = rules.filter((rule) => sidesOf(rule).includes(side))
    const cited = new Set(citations.filter(({ path }) => sideOf(path) === side).map(({ id }) => id))
    const tested = own.filter(({ id }) => cited.has(id)).length
    return `${side}: ${tested} of ${own.length} have a test`
  })
  return [`${rules.length} rules`, ...parts].join('; ')
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..')
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')

  const list = readRules(read('docs/rules.json'))
  const tests = globSync('{apps,engines,kit,packages}/**/*.test.ts', {
    cwd: root,
    exclude: ['**/node_modules/**', '**/dist/**'],
  })
  const ids = new Set(list.map(({ id }) => id))
  const checks = globSync('apps/conformance/src/checks/*.ts', { cwd: root })
  const files = [
    ...tests.toSorted().map((path) => readCitations(path, read(path))),
    ...checks.toSorted().map((path) => readChecks(path, read(path), ids)),
  ]
  const citations = files.flatMap((file) => file.citations)
  const page = renderRules(list, citations)
  const faults = [
    ...findGaps(list, readSections(read('docs/interface.md'))),
    ...files.flatMap((file) => file.faults),
    ...findWrongCitations(list, citations),
    ...findUntested(list, citations),
  ]
  if (process.argv.includes('--write')) writeFileSync(join(root, PAGE), page)
  else if (read(PAGE) !== page) faults.push(`${PAGE} is out of date: run pnpm generate`)

  for (const fault of faults) console.error(fault)
  console.log(summarize(list, citations))
  process.exitCode = faults.length === 0 ? 0 : 1
}
