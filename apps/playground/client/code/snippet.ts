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

/** A value as TypeScript on one line. Fields without a value are left out. */
export function inline(value: unknown): string {
  if (typeof value === 'string') return literal(value)
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = given(value).map(([name, field]) => `${name}: ${inline(field)}`)
  return `{ ${fields.join(', ')} }`
}

/**
 * Fields as the lines of a TypeScript object. Fields without a value are left out. Each object of a list has a line.
 * @param depth Of the lines, two spaces each.
 */
export function fieldLines(fields: object, depth = 1): string {
  const pad = '  '.repeat(depth)
  return given(fields)
    .map(([name, value]) => `${pad}${name}: ${rows(value, pad)},`)
    .join('\n')
}

function given(fields: object): [string, unknown][] {
  return Object.entries(fields).filter(([, value]) => value !== undefined)
}

function rows(value: unknown, pad: string): string {
  if (!Array.isArray(value) || typeof value[0] !== 'object') return inline(value)
  return `[\n${value.map((row) => `${pad}  ${inline(row)},`).join('\n')}\n${pad}]`
}

/** A text as one word of the shell, without quotes if it needs none. */
export function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A file as the field of a form of curl. Without the quotes, curl would end the name at a comma or a semicolon. */
export function fileField(field: string, name: string): string {
  return shellWord(`${field}=@"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`)
}
