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

/** Reads the path of a recording from the command line. */
export const PATH_ARGUMENT = "const [, , path = 'recording.wav'] = process.argv\n"

/** The same in a script of the shell, as a field of a form of curl. */
export function pathField(field: string): string {
  return `--form "${field}=@\\"\${1:-recording.wav}\\""`
}

/** Code between the client's creation and its end. */
interface ClientCode {
  /** Name of the file. */
  readonly file: string
  readonly code: string
  /** Lines before the client. */
  readonly before?: string
  /** Arguments of the command that runs the file. */
  readonly args?: string
}

/** A program with the client alone. */
export function coreSnippet({ file, code, before = '', args = '' }: ClientCode): Snippet {
  return {
    kind: 'core',
    title: 'TypeScript',
    file,
    install: 'npm install @svc-audio/core',
    run: `node ${file}${args === '' ? '' : ` ${args}`}`,
    code: `import { AudioClient } from '@svc-audio/core'

${before}const audio = new AudioClient()
${code}
await audio.close()
`,
  }
}

/** A program with LangChain's tools, as an agent gets them. */
interface ToolkitCode extends Pick<ClientCode, 'code'> {
  /** Options of the toolkit, besides its client and its store. */
  readonly options: object
  /** Lines between the client and the toolkit. */
  readonly before?: string
  /** Creates the store. */
  readonly store?: "folderAudioStore('./audio')" | 'serviceAudioStore(client)'
}

/** A program with LangChain's tools. */
export function langchainSnippet(toolkit: ToolkitCode): Snippet {
  const { code, options, before = '', store = "folderAudioStore('./audio')" } = toolkit
  const program = `
const client = new AudioClient()
${before}const toolkit = new SpeechToolkit(${block({ client: new Code('client'), ...options, store: new Code(store) })})
// An agent gets them with createAgent({ model, tools: toolkit.tools })
${code}
await client.close()
`
  return {
    kind: 'langchain',
    title: 'LangChain',
    file: 'agent.mts',
    install: 'npm install @svc-audio/langchain-tools @svc-audio/core langchain @langchain/core @langchain/openai zod',
    run: 'node agent.mts',
    code: importsFor(program, LANGCHAIN_IMPORTS) + program,
  }
}

const LANGCHAIN_IMPORTS = `import { AudioClient } from '@svc-audio/core'
import { folderAudioStore, serviceAudioStore, SpeechToolkit } from '@svc-audio/langchain-tools'
`

/** A script of the shell. @param args Arguments of the command that runs it. */
export function curlSnippet(file: string, code: string, args = ''): Snippet {
  return { kind: 'curl', title: 'curl', file, run: `sh ${file}${args === '' ? '' : ` ${args}`}`, code }
}

/** A command of curl. It fails if the service refuses. @param parts Its options, one on each line. */
export function curlCommand(path: string, parts: readonly string[] = []): string {
  const head = [
    `curl --fail-with-body "$SVC_AUDIO_BASE_URL${path}"`,
    '--header "Authorization: Bearer $SVC_AUDIO_API_KEY"',
  ]
  return [...head, ...parts].join(' \\\n  ')
}

/** A command of curl that sends JSON. The quoted heredoc protects every character of the text from the shell. */
export function curlJson(path: string, body: object, parts: readonly string[] = []): string {
  const command = curlCommand(path, [
    "--header 'Content-Type: application/json'",
    ...parts,
    "--data-binary @- <<'JSON'",
  ])
  return `${command}\n${JSON.stringify(body, undefined, 2)}\nJSON\n`
}

/** A call of a foreign client. */
interface ForeignCall {
  /** Name of the program's file. */
  readonly file: string
  /** Its method or function, e.g. `speech`. */
  readonly call: string
  readonly fields: object
  /** Uses `result`. */
  readonly after: string
}

const FILE_IMPORTS = `import { createReadStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
`

/** A program of the official OpenAI client, for a service with `--openai-api true`. */
export function openaiSnippet({ file, call, fields, after }: ForeignCall): Snippet {
  const program = `import OpenAI from 'openai'

// The service needs the setting --openai-api true.
const client = new OpenAI({
  apiKey: process.env.SVC_AUDIO_API_KEY,
  baseURL: \`\${process.env.SVC_AUDIO_BASE_URL}/openai/v1\`,
})
const result = await client.audio.${call}.create(${block(fields)})
${after}
`
  const code = importsFor(program, FILE_IMPORTS) + program
  return { kind: 'openai', title: 'OpenAI', file, install: 'npm install openai', run: `node ${file}`, code }
}

/** A program of the AI SDK with the svc audio provider. */
export function aiSdkSnippet({ file, call, fields, after }: ForeignCall): Snippet {
  const program = `import { svcAudio } from '@svc-audio/ai-sdk'
import { ${call} } from 'ai'

const result = await ${call}(${block(fields)})
${after}
`
  const code = importsFor(program, FILE_IMPORTS) + program
  const install = 'npm install @svc-audio/ai-sdk ai'
  return { kind: 'ai-sdk', title: 'AI SDK', file, install, run: `node ${file}`, code }
}

/** A site of one page. */
interface SiteCode {
  /** Options of the plugin. */
  readonly options: object
  /** Lines of the body of the page. */
  readonly body: string
  /** Other files of the site. */
  readonly files?: Readonly<Record<string, string>>
}

/** A script that writes a site with narration and builds it. */
export function viteSnippet({ options, body, files = {} }: SiteCode): Snippet {
  const all = {
    'vite.config.mjs': `import { narration } from '@svc-audio/vite-plugin'

export default {
  plugins: [
    narration(${block(options, 3)}),
  ],
}`,
    'index.html': `<!doctype html>
<html lang="en">
  <title>Narrated</title>
${body}
</html>`,
    ...files,
  }
  return {
    kind: 'vite',
    title: 'Vite',
    file: 'narrate.sh',
    install: 'npm install --save-dev vite @svc-audio/vite-plugin',
    run: 'sh narrate.sh && npx vite preview',
    code: `${Object.entries(all)
      .map(([name, content]) => hereDocument(name, content))
      .join('')}npx vite build\n`,
  }
}

/** Writes a file. The end mark is a line that the content does not have. */
function hereDocument(name: string, content: string): string {
  const lines = new Set(content.split('\n'))
  let mark = 'END'
  while (lines.has(mark)) mark += '_'
  return `cat > ${name} <<'${mark}'\n${content}\n${mark}\n`
}

/** A text in HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
