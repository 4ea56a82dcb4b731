import { LineCounter as Lines, parseDocument } from 'yaml'
import type { SourceProblem } from '../document.ts'

/** Front matter and the rest of the source. */
export interface FrontMatter {
  readonly data: Readonly<Record<string, unknown>>
  readonly problems: readonly SourceProblem[]
  /** The source with empty lines in place of the front matter. Line numbers stay the same. */
  readonly body: string
}

const YAML = /^---[ \t]*\n((?:[\s\S]*?\n)?)(?:---|\.\.\.)[ \t]*(?:\n|$)/
const TOML = /^\+\+\+[ \t]*\n(?:[\s\S]*?\n)?\+\+\+[ \t]*(?:\n|$)/
const KEY = /^[ \t]*(?:#.*|["']?[\w][\w .-]*["']?[ \t]*:(?:[ \t].*)?)?$/

/** Reads the YAML front matter of a source. Text between two horizontal rules is not front matter. */
export function readFrontMatter(source: string): FrontMatter {
  const toml = TOML.exec(source)?.[0]
  if (toml !== undefined) {
    const message = 'TOML front matter is left out: write it as YAML between --- lines'
    return { data: {}, problems: [{ message, line: 1 }], body: withoutLines(source, toml) }
  }
  const [block, yaml] = YAML.exec(source) ?? []
  if (block === undefined || yaml === undefined) return { data: {}, problems: [], body: source }
  const lines = new Lines()
  const document = parseDocument(yaml, { lineCounter: lines })
  const data = document.errors.length === 0 ? asRecord(valueOf(document)) : undefined
  if (data !== undefined) return { data, problems: [], body: withoutLines(source, block) }
  const first = yaml.split('\n').find((line) => line.trim() !== '') ?? ''
  if (!KEY.test(first)) return { data: {}, problems: [], body: source }
  const problems = document.errors.map(({ message, pos }) => ({
    message: `Invalid front matter: ${message.split('\n', 1)[0]?.replace(/ at line \d+.*$/, '') ?? ''}`,
    line: lines.linePos(pos[0]).line + 1,
  }))
  return { data: {}, problems, body: withoutLines(source, block) }
}

/** The value of a document. `undefined` if its aliases grow without limit. */
function valueOf(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS()
  } catch {
    return undefined
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (value === null) return {}
  return isRecord(value) ? value : undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function withoutLines(source: string, block: string): string {
  return block.replaceAll(/[^\n]+/g, '') + source.slice(block.length)
}
