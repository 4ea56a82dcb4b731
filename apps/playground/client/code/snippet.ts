/** Kinds of code, in the order of the tab. */
export const SNIPPET_KINDS = [
  'core',
  'curl',
  'openai',
  'ai-sdk',
  'express',
  'nestjs',
  'langchain',
  'n8n',
  'vite',
] as const

/** One of {@link SNIPPET_KINDS}. */
export type SnippetKind = (typeof SNIPPET_KINDS)[number]

/**
 * Code that runs as it stands: after the installation of its packages, with the service's address and key in the
 * environment.
 */
export interface Snippet {
  readonly kind: SnippetKind
  /** Name of the tab. */
  readonly title: string
  /** Suggested name of the file. */
  readonly file: string
  readonly code: string
  /** Command that installs what the code imports. */
  readonly install?: string
  /** More lines of the environment than the service's address and key. */
  readonly environment?: readonly string[]
  /** Command that runs the file. */
  readonly run?: string
  /** Command that uses the running program. */
  readonly call?: string
  /** Steps in words, for code that no command runs. They replace all others. */
  readonly steps?: readonly string[]
}

/** A text as a TypeScript literal with single quotes. */
export function literal(text: string): string {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`
}

/** Code as the value of a field. */
export class Code {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A value as TypeScript on one line. Fields without a value are left out. */
export function inline(value: unknown): string {
  if (value instanceof Code) return value.text
  if (typeof value === 'string') return literal(value)
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  return `{ ${fieldsOf(value, inline).join(', ')} }`
}

/**
 * Fields as a TypeScript object of several lines. Fields without a value are left out. Each object of a list has a line.
 * @param depth Of the fields, two spaces each.
 */
export function block(fields: object, depth = 1): string {
  const pad = '  '.repeat(depth)
  const lines = fieldsOf(fields, (value) => rows(value, pad)).map((field) => `${pad}${field},\n`)
  return `{\n${lines.join('')}${pad.slice(2)}}`
}

function fieldsOf(fields: object, show: (value: unknown) => string): string[] {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return given.map(([name, value]) => (show(value) === name ? name : `${name}: ${show(value)}`))
}

function rows(value: unknown, pad: string): string {
  if (!Array.isArray(value) || typeof value[0] !== 'object') return inline(value)
  return `[\n${value.map((row) => `${pad}  ${inline(row)},`).join('\n')}\n${pad}]`
}

/** Of all imports of a kind of programs, those that code needs. */
export function importsFor(code: string, all: string): string {
  const used = new Set(code.replaceAll(/'(?:[^'\\\n]|\\.)*'/g, '').match(/(?<![.\w])\w+/g))
  return all.replaceAll(
    /^(import (?:type )?\{)([^}]+)(\}.*\n)/gm,
    (_all, start: string, names: string, end: string) => {
      const needed = names.split(',').map((name) => name.trim())
      const found = needed.filter((name) => used.has(name.replace('type ', '')))
      return found.length === 0 ? '' : `${start} ${found.join(', ')} ${end}`
    },
  )
}

/** A text as one word of the shell, without quotes if it needs none. */
export function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A file as the field of a form of curl. Without the quotes, curl would end the name at a comma or a semicolon. */
export function fileField(field: string, name: string): string {
  return shellWord(`${field}=@"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`)
}
