import { fieldLines } from './literal.ts'
import type { Snippet } from './snippet.ts'

/** Reads the path of a recording from the command line. */
export const PATH_ARGUMENT = "const [, , path = 'recording.wav'] = process.argv\n"

/** The same in a script of the shell, as a field of a form of curl. */
export function pathField(field: string): string {
  return `--form "${field}=@\\"\${1:-recording.wav}\\""`
}

/** Code between the client's creation and its end. */
export interface ClientCode {
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
export interface ToolkitCode extends Pick<ClientCode, 'code'> {
  /** Options of the toolkit, besides its client and its store. */
  readonly options: object
  /** Lines between the client and the toolkit. */
  readonly before?: string
  /** More lines of the toolkit's options, two spaces deep. */
  readonly optionLines?: readonly string[]
  /** Creates the store. */
  readonly store?: 'folderAudioStore' | 'serviceAudioStore'
}

/** A program with LangChain's tools. */
export function langchainSnippet(toolkit: ToolkitCode): Snippet {
  const { code, options, before = '', optionLines = [], store = 'folderAudioStore' } = toolkit
  const lines = [
    '  client,',
    fieldLines(options),
    ...optionLines,
    `  store: ${store}(${store === 'folderAudioStore' ? "'./audio'" : 'client'}),`,
  ].filter((line) => line !== '')
  return {
    kind: 'langchain',
    title: 'LangChain',
    file: 'agent.ts',
    install: 'npm install @svc-audio/langchain-tools @svc-audio/core langchain @langchain/core @langchain/openai zod',
    run: 'node agent.ts',
    code: `import { AudioClient } from '@svc-audio/core'
import { ${store}, SpeechToolkit } from '@svc-audio/langchain-tools'

const client = new AudioClient()
${before}const toolkit = new SpeechToolkit({
${lines.join('\n')}
})
// An agent gets them with createAgent({ model, tools: toolkit.tools })
${code}
await client.close()
`,
  }
}
